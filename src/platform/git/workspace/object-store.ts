// The private git directory of a session: its own configuration, no remote, no hooks, and the person's objects by hard link (by copy on
// another device). Hard links and not an alternate: what the person's git prunes later stays here.
import {
  constants,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  writeFileSync,
} from 'node:fs'
import { copyFile, rename } from 'node:fs/promises'
import { basename, isAbsolute, join, resolve } from 'node:path'
import { temporaryPath, writeFileAtomically } from '../../processes/write-file-atomically.ts'
import { runGitText } from '../git.ts'
import { getPathKind, readRegularFile } from '../unruly-files.ts'

interface ObjectSource {
  readonly objects: string
  readonly shallow: string
  readonly exclude: string
}

async function locateObjectSource(root: string): Promise<ObjectSource> {
  const names = ['objects', 'shallow', 'info/exclude']
  const asked = names.flatMap((name) => ['--git-path', name])
  const paths = (await runGitText(root, ['rev-parse', '--path-format=absolute', ...asked])).split('\n')
  return { objects: paths[0]!, shallow: paths[1]!, exclude: paths[2]! }
}

export function formatGitConfig(sha: string, lines: readonly string[]): string {
  const format = sha.length === 64 ? ['\trepositoryformatversion = 1'] : ['\trepositoryformatversion = 0']
  const extension = sha.length === 64 ? ['[extensions]', '\tobjectFormat = sha256'] : []
  return `${['[core]', ...format, ...lines, ...extension].join('\n')}\n`
}

/** Builds the git directory with one branch at `commit`. Nothing is verified here: the checkout of the tree does that. */
export async function buildGitDirectory(
  gitDir: string,
  from: { readonly root: string; readonly commit: string; readonly branch: string; readonly ignore: readonly string[] },
): Promise<void> {
  const source = await locateObjectSource(from.root)
  mkdirSync(join(gitDir, 'objects/info'), { recursive: true })
  writeFileSync(join(gitDir, 'HEAD'), `ref: refs/heads/${from.branch}\n`)
  writeFileSync(join(gitDir, 'config'), formatGitConfig(from.commit, WORKSPACE_CONFIG))
  writeFileAtomically(join(gitDir, 'info/attributes'), VERBATIM_ATTRIBUTES)
  writeFileAtomically(join(gitDir, 'info/exclude'), `${[...from.ignore, readIgnoreRules(source.exclude)].join('\n')}\n`)
  writeRef(gitDir, `refs/heads/${from.branch}`, from.commit)
  await linkObjects(source, gitDir)
}

/** Reads ignore rules, of which checks may add very many. A lost rule would let by-products into a commit, so too long a file throws. */
function readIgnoreRules(file: string): string {
  const text = readRegularFile(file, MAX_RULES_BYTES)
  if (text === undefined && getPathKind(file) === 'file') {
    throw new Error(`${file} is longer than ${MAX_RULES_BYTES / 2 ** 20} MiB: no work goes on without what it ignores`)
  }
  return text ?? ''
}

const MAX_RULES_BYTES = 64 * 2 ** 20

/** The ignore rules of a session besides those in its tree. */
export function readExcludeRules(gitDir: string): string {
  return readIgnoreRules(join(gitDir, 'info/exclude'))
}

export function appendExcludeRules(gitDir: string, patterns: readonly string[]): void {
  writeFileAtomically(join(gitDir, 'info/exclude'), `${readExcludeRules(gitDir)}${patterns.join('\n')}\n`)
}

/**
 * A file's bytes are those of its blob, both ways, whatever the tree's attributes say of line ends, `$Id$` and encodings: git would
 * rewrite untouched files whose blobs don't match the attributes. Filters have no command here, so they do nothing.
 */
const VERBATIM_ATTRIBUTES = '* -text -ident !working-tree-encoding\n'

const WORKSPACE_CONFIG = [
  '\tbare = true',
  '\tfilemode = true',
  '\tlogallrefupdates = false',
  '[uploadpack]',
  '\tallowAnySHA1InWant = true',
]

/** Links the objects that the repository has gained since, which brings a person's new commits here without a transfer. */
export async function refreshObjects(root: string, gitDir: string): Promise<void> {
  await linkObjects(await locateObjectSource(root), gitDir)
}

// Gaps: objects that the source itself borrows through an alternate stay borrowed. A partial clone's missing objects stay missing,
// since nothing here talks to a network.
async function linkObjects(source: ObjectSource, gitDir: string): Promise<void> {
  const target = join(gitDir, 'objects')
  // The person's git may repack while we link: the objects of a vanished file are then in a pack that we have not listed yet.
  for (let attempt = 1; ; attempt++) {
    try {
      // Loose objects come first: objects only ever move from there into packs.
      for (const name of readdirSync(source.objects)) {
        if (/^[0-9a-f]{2}$/.test(name))
          await linkFiles(join(source.objects, name), join(target, name), /^[0-9a-f]{38,62}$/)
      }
      await linkFiles(
        join(source.objects, 'pack'),
        join(target, 'pack'),
        /^(?!tmp_|\.tmp|multi-pack).*\.(pack|idx|rev|promisor)$/,
      )
      break
    } catch (error) {
      if (!hasErrorCode(error, 'ENOENT') || attempt === 5) throw error
    }
  }
  const borrowed = readRegularFile(join(source.objects, 'info/alternates'))
  if (borrowed) writeFileAtomically(join(target, 'info/alternates'), resolveAlternates(borrowed, source.objects))
  const shallow = readRegularFile(source.shallow)
  if (shallow) writeFileAtomically(join(gitDir, 'shallow'), shallow)
}

function resolveAlternates(alternates: string, base: string): string {
  const lines = alternates.split('\n').filter((line) => line && !line.startsWith('#'))
  return `${lines.map((line) => (isAbsolute(line) ? line : resolve(base, line))).join('\n')}\n`
}

// Runs without a pause within a directory: a link takes microseconds.
async function linkFiles(from: string, to: string, wanted: RegExp): Promise<void> {
  const entries = readdirSync(from, { withFileTypes: true })
  const names = entries.filter((entry) => entry.isFile() && wanted.test(entry.name)).map((entry) => entry.name)
  if (names.length === 0) return
  mkdirSync(to, { recursive: true })
  // Git complains about an .idx whose .pack is not there yet.
  for (const name of names.sort(packsFirst)) {
    if (!tryHardLink(join(from, name), join(to, name))) await copyFileAtomically(join(from, name), join(to, name))
  }
}

function packsFirst(a: string, b: string): number {
  return Number(b.endsWith('.pack')) - Number(a.endsWith('.pack'))
}

// False on another device, for a file of another owner, or on a file system without hard links.
function tryHardLink(from: string, to: string): boolean {
  try {
    linkSync(from, to)
    return true
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) throw error
    return hasErrorCode(error, 'EEXIST')
  }
}

async function copyFileAtomically(from: string, to: string): Promise<void> {
  const draft = temporaryPath(to)
  await copyFile(from, draft, constants.COPYFILE_FICLONE)
  await rename(draft, to)
}

function hasErrorCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}

/** The folders with its objects, borrowed ones too. A hostile `.git` may name any folder, so each must look like an object folder. */
export function listObjectFolders(gitDir: string): string[] {
  const found = new Set([objectFolder(gitDir)])
  // The set grows during the loop: a lender may have borrowed too.
  for (const folder of found) {
    const borrowed = (readRegularFile(join(folder, 'info/alternates')) ?? '').split('\n').filter((line) => line !== '')
    for (const line of borrowed.map((each) => resolve(folder, each)).filter(isObjectFolder)) {
      if (found.size < MAX_OBJECT_FOLDERS) found.add(realpathSync(line))
    }
  }
  return [...found]
}

/** The folder of its own objects; a lane's is a link to the session's. */
export function objectFolder(gitDir: string): string {
  const folder = join(gitDir, 'objects')
  return getPathKind(folder) === 'symlink' ? readlinkSync(folder) : folder
}

/** Git itself stops at a depth of five. */
const MAX_OBJECT_FOLDERS = 10

function isObjectFolder(path: string): boolean {
  if (!existsSync(path)) return false
  const real = realpathSync(path)
  return basename(real) === 'objects' && ['info', 'pack'].every((name) => getPathKind(join(real, name)) === 'directory')
}

/** Writes a ref of our git directory as a file. Nobody else writes there, so no lock and no git process is needed. */
export function writeRef(gitDir: string, ref: string, sha: string): void {
  writeFileAtomically(join(gitDir, ref), `${sha}\n`)
}

export function readRef(gitDir: string, ref: string): string | undefined {
  const text = readRegularFile(join(gitDir, ref))?.trim()
  return text && /^[0-9a-f]{40,64}$/.test(text) ? text : undefined
}

export interface Workspace {
  readonly directory: string
  /** Of a lane: the directory of the session's first work tree, which the copies of its setup are for. */
  readonly sharedFrom?: string | undefined
  readonly gitDir: string
  readonly tree: string
  readonly base: string
  readonly repository: string
  readonly branch: string
}
