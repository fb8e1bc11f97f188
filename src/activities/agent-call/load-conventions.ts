// Loads how a project wants its code written: its convention files at the root and in the folders of the issues, with what these import.
// All are read from the session's base, and reach a prompt as text, never as files that CLIs obey.
import { parsePathInside } from '../../domain/scope/paths.ts'
import { findImports } from '../../domain/text/find-imports.ts'
import { type CommittedFile, listFilesAtCommit } from '../../platform/git/repository/list-tree.ts'
import { readBlobTexts } from '../../platform/git/repository/read-blobs.ts'
import type { Workspace } from '../../platform/git/workspace/object-store.ts'

/** No prompt has room for a longer file, and a file of 512 MB could not even be read. */
const MAX_FILE_BYTES = 1 << 22
const MAX_FOLDERS = 100
const MAX_IMPORTS = 20
/** An imported file may import others, up to this depth. */
const MAX_IMPORT_DEPTH = 3

type CommitSource = Pick<Workspace, 'gitDir' | 'base'>

interface ConventionRequest {
  /** Names that count in every folder, and paths from the root. */
  readonly names: readonly string[]
  /** The files that the conventions are for. */
  readonly files: readonly string[]
}

interface ConventionFile extends CommittedFile {
  readonly importedBy?: string | undefined
  /** Undefined if it is too long. */
  readonly text: string | undefined
}

export async function loadConventions(
  workspace: CommitSource,
  { names, files }: ConventionRequest,
): Promise<string | undefined> {
  const folders = [...new Set(files.flatMap(listFolders))].slice(0, MAX_FOLDERS)
  const paths = names.flatMap((name) =>
    name.includes('/') ? [name] : [name, ...folders.map((folder) => `${folder}/${name}`)],
  )
  const own = await readFiles(workspace, paths)
  const all = [...own.sort(outermostFirst(names)), ...(await readImports(workspace, own))]
  // Projects often keep the same text under several names.
  const texts = [...new Map(all.flatMap(({ text, ...file }) => (text === undefined ? [] : [[text.trim(), file]])))]
  const shown = texts.map(([text, { path, importedBy }]) => {
    return `${path}${importedBy === undefined ? '' : ` (imported by ${importedBy})`}:\n${text}`
  })
  const long = all.flatMap(({ path, text }) => (text === undefined ? [`${path}: it is too long to be shown.`] : []))
  return [...shown, ...long].join('\n\n') || undefined
}

/** The folders that a file lies in, the innermost last, without the root. */
function listFolders(file: string): string[] {
  const names = file.split('/').slice(0, -1)
  return names.map((_, index) => names.slice(0, index + 1).join('/'))
}

function outermostFirst(names: readonly string[]) {
  const depth = ({ path }: CommittedFile) => (names.includes(path) ? 1 : path.split('/').length)
  const order = ({ path }: CommittedFile) => names.findIndex((name) => path === name || path.endsWith(`/${name}`))
  return (one: CommittedFile, other: CommittedFile) =>
    depth(one) - depth(other) || order(one) - order(other) || (one.path < other.path ? -1 : 1)
}

async function readFiles({ gitDir, base }: CommitSource, paths: readonly string[]): Promise<ConventionFile[]> {
  const found = await listFilesAtCommit(gitDir, base, [...new Set(paths)])
  const short = found.filter(({ bytes }) => bytes <= MAX_FILE_BYTES)
  const texts = await readBlobTexts(
    gitDir,
    short.map(({ sha }) => sha),
  )
  const textBySha = new Map(short.map(({ sha }, index) => [sha, texts[index] ?? '']))
  return found.map((file) => ({ ...file, text: textBySha.get(file.sha) }))
}

/** A path counts from the folder of the file that names it; what lies outside of the repository is not there. */
async function readImports(workspace: CommitSource, own: readonly ConventionFile[]): Promise<ConventionFile[]> {
  const known = new Set(own.map(({ path }) => path))
  const imported: ConventionFile[] = []
  let latest: readonly ConventionFile[] = own
  for (let depth = 1; depth <= MAX_IMPORT_DEPTH && latest.length > 0; depth += 1) {
    const named = new Map(
      latest.flatMap(({ path: from, text = '' }) =>
        findImports(text).flatMap((path) => {
          const inside = parsePathInside([...from.split('/').slice(0, -1), path].join('/')).path
          return inside === undefined || known.has(inside) ? [] : [[inside, from] as const]
        }),
      ),
    )
    const paths = [...named.keys()].slice(0, MAX_IMPORTS - imported.length)
    const read = await readFiles(workspace, paths)
    latest = read.map((file) => ({ ...file, importedBy: named.get(file.path) }))
    for (const { path } of latest) known.add(path)
    imported.push(...latest)
  }
  return imported
}
