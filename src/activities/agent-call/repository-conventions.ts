// The repository's conventions as of the session's base. They reach a prompt as text, never as a file that CLIs obey.
import { listFilesAtCommit, readBlobTexts } from '../../platform/git/repository/inspect.ts'
import type { Workspace } from '../../platform/git/workspace/object-store.ts'

const CONVENTION_FILES = ['CLAUDE.md', 'AGENTS.md', 'GEMINI.md']
/** No prompt has room for a longer file, and a file of 512 MB could not even be read. */
const MAX_BYTES = 1 << 22

export async function loadConventions({
  gitDir,
  base,
}: Pick<Workspace, 'gitDir' | 'base'>): Promise<string | undefined> {
  const found = await listFilesAtCommit(gitDir, base, CONVENTION_FILES)
  const short = found.filter(({ bytes }) => bytes <= MAX_BYTES)
  const contents = await readBlobTexts(
    gitDir,
    short.map(({ sha }) => sha),
  )
  const texts = [...new Map(short.map(({ path }, index) => [contents[index]?.trim() ?? '', path]))]
  const long = found.filter((file) => !short.includes(file)).map(({ path }) => `${path}: it is too long to be shown.`)
  return [...texts.map(([text, file]) => `${file}:\n${text}`), ...long].join('\n\n') || undefined
}
