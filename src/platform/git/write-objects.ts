// Writes objects into a git directory of ours, byte for byte as git does: a git process for each object would take longer. For
// an unusual tree or commit the function returns undefined, and its caller runs git, which takes it or refuses it.
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { deflateSync } from 'node:zlib'
import { writeFileAtomically } from '../processes/write-file-atomically.ts'
import { askObjects, parseRawTree, type RawTreeEntry } from './ask-objects.ts'
import { isObjectId } from './object-memory.ts'

/** `like` is an id of the same repository: ids have one length there. */
export function writeObject(gitDir: string, type: 'blob' | 'tree' | 'commit', content: Buffer, like: string): string {
  const bytes = Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content])
  const sha = createHash(like.length === 64 ? 'sha256' : 'sha1')
    .update(bytes)
    .digest('hex')
  const file = join(gitDir, 'objects', sha.slice(0, 2), sha.slice(2))
  if (!existsSync(file)) writeFileAtomically(file, deflateSync(bytes), 0o444)
  return sha
}

export interface CommitLines {
  readonly tree: string
  readonly parent: string
  readonly message: string
  readonly identity: { readonly name: string; readonly email: string }
  readonly seconds: number
}

/** Git strips these from the ends of a name, and the brackets and newlines from within. */
const PLAIN_IDENTITY = /^(?![.,:;<>"'\\ ])[^\p{Cc}<>]+(?<![.,:;<>"'\\ ])$/u
/** Git reads a smaller number as a date. */
const MIN_SECONDS = 1_000_000_000

export async function writeCommit(gitDir: string, commit: CommitLines): Promise<string | undefined> {
  const { tree, parent, message, identity, seconds } = commit
  const isPlain = [identity.name, identity.email].every((text) => PLAIN_IDENTITY.test(text))
  if (!isPlain || seconds < MIN_SECONDS || message.includes('\0')) return undefined
  if (![tree, parent].every(isObjectId)) return undefined
  const [root, before] = await askObjects(gitDir, [
    ['info', tree],
    ['info', parent],
  ])
  if (root?.type !== 'tree' || before?.type !== 'commit') return undefined
  const who = `${identity.name} <${identity.email}> ${seconds} +0000`
  const lines = [`tree ${tree}`, `parent ${parent}`, `author ${who}`, `committer ${who}`, '', message]
  return writeObject(gitDir, 'commit', Buffer.from(lines.join('\n')), tree)
}

export interface IndexEntry {
  /** 000000 removes the path. */
  readonly mode: string
  readonly sha: string
  /** In latin1, one character a byte. */
  readonly path: string
}

type Tree = Map<string, Omit<RawTreeEntry, 'name'>>

const FOLDER_MODE = '040000'
const REMOVED_MODE = '000000'
const LINKED_COMMIT_MODE = '160000'
const FILE_MODES = ['100644', '100755', '120000', LINKED_COMMIT_MODE]
/** Another file system may take a name for `.git` that begins as it does, or that has unusual characters. Git knows which. */
const PLAIN_NAME = /^(?!\.git|git~|\.\.?$)[ !-9;-[\]-~]+$/i

/** The tree with these entries in the place of its own. */
export async function writeChangedTree(
  gitDir: string,
  tree: string,
  entries: readonly IndexEntry[],
): Promise<string | undefined> {
  const added = entries.filter(({ mode }) => mode !== REMOVED_MODE)
  const paths = new Set(added.map(({ path }) => path))
  const isPlain = entries.every(
    ({ mode, path }) =>
      (mode === REMOVED_MODE || FILE_MODES.includes(mode)) &&
      path.split('/').every((name) => PLAIN_NAME.test(name)) &&
      !listFolders(path).some((folder) => paths.has(folder)),
  )
  if (!isPlain || !isObjectId(tree)) return undefined
  const folders = [...new Set(entries.flatMap(({ path }) => listFolders(path)))]
  const blobs = [...new Set(added.filter(({ mode }) => mode !== LINKED_COMMIT_MODE).map(({ sha }) => sha))]
  const answers = await askObjects(gitDir, [
    ...['', ...folders].map((folder) => ['contents', `${tree}:${folder}`] as const),
    ...blobs.map((sha) => ['info', sha] as const),
  ])
  if (blobs.some((_, index) => answers[1 + folders.length + index]?.type !== 'blob')) return undefined
  const trees = new Map<string, Tree>()
  for (const [index, folder] of ['', ...folders].entries()) {
    const found = answers[index]
    const listed = found?.type === 'tree' && found.content ? parseRawTree(found.content, tree) : []
    if (listed.some(({ mode }) => mode !== FOLDER_MODE && !FILE_MODES.includes(mode))) return undefined
    trees.set(folder, new Map(listed.map(({ name, ...entry }) => [name, entry])))
  }
  if (answers[0]?.type !== 'tree') return undefined
  for (const { path, mode, sha } of entries) applyEntry(trees, path, mode === REMOVED_MODE ? undefined : { mode, sha })
  // The deepest folders first: each gives its own an entry.
  for (const folder of folders.sort((a, b) => b.split('/').length - a.split('/').length)) {
    const inside = trees.get(folder)!
    const around = trees.get(findFolder(folder))!
    const name = basename(folder)
    const standing = around.get(name)
    if (inside.size > 0) around.set(name, { mode: FOLDER_MODE, sha: writeTree(gitDir, inside, tree) })
    else if (standing?.mode === FOLDER_MODE) around.delete(name)
  }
  return writeTree(gitDir, trees.get('')!, tree)
}

function applyEntry(trees: Map<string, Tree>, path: string, entry: Omit<RawTreeEntry, 'name'> | undefined): void {
  const around = trees.get(findFolder(path))!
  const name = basename(path)
  if (entry) around.set(name, entry)
  else if (around.get(name)?.mode !== FOLDER_MODE) around.delete(name)
}

function writeTree(gitDir: string, tree: Tree, like: string): string {
  const sortName = ([name, { mode }]: [string, { mode: string }]): string => (mode === FOLDER_MODE ? `${name}/` : name)
  const sorted = [...tree].sort((a, b) => (sortName(a) < sortName(b) ? -1 : 1))
  const bytes = sorted.flatMap(([name, { mode, sha }]) => [
    Buffer.from(`${mode.replace(/^0/, '')} ${name}\0`, 'latin1'),
    Buffer.from(sha, 'hex'),
  ])
  return writeObject(gitDir, 'tree', Buffer.concat(bytes), like)
}

/** `a/b/c` lies in `a` and `a/b`. */
function listFolders(path: string): string[] {
  const names = path.split('/').slice(0, -1)
  return names.map((_, index) => names.slice(0, index + 1).join('/'))
}

/** '' for the tree's own. */
function findFolder(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf('/'), 0))
}
