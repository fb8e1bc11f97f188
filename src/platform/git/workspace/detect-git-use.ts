// Detects what an agent did with the decoy. Reads files and never runs git on the decoy, whose configuration the agent may have changed.
// Commits, branches and stashes are observations. Hooks, configuration, other refs, worktrees and nested repositories are violations.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { splitFields } from '../git.ts'
import {
  ensureDirectoryAccess,
  getPathKind,
  listDirectory,
  makeTreeAccessible,
  readRegularFile,
} from '../unruly-files.ts'
import { decoyGitDirPath, expectedDecoyFiles, readAgentHead } from './decoy-git-dir.ts'
import { findNestedRepositories } from './nested-repositories.ts'
import type { Workspace } from './object-store.ts'
import { runWorkspaceGit } from './workspace.ts'

export interface AgentGitUse {
  readonly observations: readonly string[]
  readonly violations: readonly string[]
  /** The agent removed the work tree, or put something else in its place: there is nothing to take a snapshot of. */
  readonly treeIsGone?: boolean
}

/** Must run after every agent call, before the next reset. */
export async function detectAgentGitUse(workspace: Workspace): Promise<AgentGitUse> {
  const tree = getPathKind(workspace.tree)
  if (tree !== 'directory') {
    return { observations: [], violations: [`the work tree ${describeReplacement(tree)}`], treeIsGone: true }
  }
  ensureDirectoryAccess(workspace.tree)
  await makeTreeAccessible(decoyGitDirPath(workspace))
  const repositories = await findNestedRepositories(workspace)
  const embedded = repositories.map((folder) => `${folder} became a git repository of its own`)
  const kind = getPathKind(decoyGitDirPath(workspace))
  if (kind !== 'directory') return { observations: [], violations: [`.git ${describeReplacement(kind)}`, ...embedded] }
  const refs = await findRefChanges(workspace)
  return {
    observations: refs.observations,
    violations: [...findDecoyChanges(workspace), ...refs.violations, ...embedded],
  }
}

function describeReplacement(kind: string): string {
  return kind === 'missing' ? 'was removed' : `was replaced by ${kind === 'file' ? 'a file' : 'something else'}`
}

// Files that git obeys and that the decoy does not start with.
const FORBIDDEN_FILES = [
  'config.worktree',
  'commondir',
  'gitdir',
  'worktrees',
  'modules',
  'shallow',
  'info/attributes',
  'info/grafts',
  'info/sparse-checkout',
]

function findDecoyChanges(workspace: Workspace): string[] {
  const decoy = decoyGitDirPath(workspace)
  const fixed = expectedDecoyFiles(workspace)
  const isSame = (name: string, text: string) => readRegularFile(join(decoy, name), Buffer.byteLength(text)) === text
  const changed = [...fixed].filter(([name, text]) => !isSame(name, text)).map(([name]) => name)
  const created = FORBIDDEN_FILES.filter((name) => !fixed.has(name) && getPathKind(join(decoy, name)) !== 'missing')
  // `git init` copies the samples; git never runs them.
  const hooks = listDirectory(join(decoy, 'hooks')).filter((name) => !name.endsWith('.sample'))
  return [
    ...changed.map((name) => `.git/${name} was changed`),
    ...[...created, ...hooks.map((name) => `hooks/${name}`)].map((name) => `.git/${name} was created`),
  ]
}

async function findRefChanges(workspace: Workspace): Promise<AgentGitUse> {
  const own = `refs/heads/${workspace.branch}`
  const start = readAgentHead(workspace)
  const head = readRegularFile(join(decoyGitDirPath(workspace), 'HEAD'))?.trim()
  const refs = readRefs(decoyGitDirPath(workspace))
  const notes: string[] = []
  const violations: string[] = []
  if (head === undefined) violations.push('.git/HEAD was removed or replaced')
  else if (head !== `ref: ${own}`) notes.push(`the agent switched to ${head.replace(/^ref: (refs\/heads\/)?/, '')}`)
  if (!refs.has(own)) notes.push(`the agent deleted the branch ${workspace.branch}`)
  for (const ref of refs.keys()) {
    if (ref === own || ref.startsWith('refs/bisect/')) continue
    if (ref === 'refs/stash') notes.push('the agent left changes in a stash')
    else if (ref.startsWith('refs/heads/'))
      notes.push(`the agent created the branch ${ref.slice('refs/heads/'.length)}`)
    else violations.push(`the ref ${ref} was created`)
  }
  const branches = [...refs].filter(([ref]) => ref.startsWith('refs/heads/')).map(([, sha]) => sha)
  const tips = [head ?? '', ...branches].filter((sha) => sha !== start && /^[0-9a-f]{40,64}$/.test(sha))
  const commits = await describeAgentCommits(workspace, start, tips)
  if (commits) notes.push(commits)
  else if (refs.has(own) && refs.get(own) !== start) notes.push(`the agent moved the branch back to ${refs.get(own)}`)
  return { observations: notes, violations }
}

function readRefs(decoy: string): Map<string, string> {
  const refs = new Map<string, string>()
  for (const line of (readRegularFile(join(decoy, 'packed-refs')) ?? '').split('\n')) {
    const match = /^([0-9a-f]{40,64}) (refs\/.+)$/.exec(line)
    if (match) refs.set(match[2]!, match[1]!)
  }
  if (getPathKind(join(decoy, 'refs')) !== 'directory') return refs
  for (const entry of readdirSync(join(decoy, 'refs'), { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory() || entry.name.endsWith('.lock')) continue
    const path = join(entry.parentPath, entry.name)
    refs.set(path.slice(decoy.length + 1), readRegularFile(path)?.trim() ?? '')
  }
  return refs
}

// Our own git, with our configuration, reads the decoy's objects as an alternate.
async function describeAgentCommits(
  workspace: Workspace,
  start: string,
  tips: readonly string[],
): Promise<string | undefined> {
  if (tips.length === 0) return undefined
  const env = { GIT_ALTERNATE_OBJECT_DIRECTORIES: join(decoyGitDirPath(workspace), 'objects') }
  const args = ['log', '-z', '--format=%s', '--no-show-signature', ...tips, '--not', start, '--']
  const { stdout, code } = await runWorkspaceGit(workspace, args, { env, accept: [128] })
  const subjects = splitFields(stdout)
  if (code !== 0) return `the agent left refs that name no commit: ${tips.join(', ')}`
  if (subjects.length === 0) return undefined
  const shown = subjects.slice(0, 5).map((subject) => `"${truncateAtWord(subject)}"`)
  const more = subjects.length > shown.length ? ' and more' : ''
  return `the agent made ${subjects.length === 1 ? 'a commit' : `${subjects.length} commits`}: ${shown.join(', ')}${more}`
}

/** Cuts between words: masking would not recognise half of a secret. */
function truncateAtWord(subject: string): string {
  if (subject.length <= 100) return subject
  return `${subject.slice(0, Math.max(subject.lastIndexOf(' ', 100), 0))}…`
}
