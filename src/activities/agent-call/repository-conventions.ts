// What a repository tells those who work in it, as of the session's base: it reaches a prompt as text, never as a file that a
// CLI would obey.
import { listFilesAtCommit, readBlobTexts } from '../../platform/git/repository/inspect.ts'
import type { Workspace } from '../../platform/git/workspace/object-store.ts'

const CONVENTION_FILES = ['CLAUDE.md', 'AGENTS.md', 'GEMINI.md']
/** More than any prompt has room for; one of 512 MB could not even be read. */
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
