// The workspace of a session: SESSION/git is ours, agents work in SESSION/tree, whose `.git` is a decoy (decoy-git-dir.ts). We read the
// tree only through SESSION/git, so nothing that an agent commits, switches, stashes or configures has an effect on us.
import { writeFileSync } from 'node:fs'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { temporaryPath, writeFileAtomically } from '../../processes/write-file-atomically.ts'
import { GitError, type GitOptions, type GitOutput, runGit, runGitText } from '../git.ts'
import { makeTreeAccessible, readRegularFile, removePath, removeStaleTemporaries } from '../unruly-files.ts'
import { buildDecoy } from './decoy-git-dir.ts'
import { buildGitDirectory, readRef, type Workspace, writeRef } from './object-store.ts'

export interface WorkspaceRequest {
  /** Root of the person's repository, as `inspectRepository` returned it. */
  readonly repository: string
  readonly base: string
  /** The place of the workspace; its parent folder is ours. */
  readonly directory: string
  readonly branch: string
  /** Patterns of files that no commit includes, in the syntax of .gitignore. */
  readonly ignore: readonly string[]
}

const MARKER = 'workspace.json'

/**
 * Builds the workspace with the base checked out, or finds the existing one as it is. Safe to repeat and to kill: a workspace is built
 * under another name, marked complete, and renamed into place.
 */
export async function openWorkspace(request: WorkspaceRequest): Promise<Workspace> {
  const { directory, repository, base, branch } = request
  const there = findWorkspace(directory)
  if (there) return assertSameWorkspace(there, request)
  await mkdir(dirname(directory), { recursive: true, mode: 0o700 })
  await removeStaleTemporaries(draftPathPrefix(directory))
  const draft = temporaryPath(draftPathPrefix(directory))
  const workspace = toWorkspace(draft, { repository, base, branch })
  try {
    await mkdir(workspace.tree, { recursive: true, mode: 0o700 })
    const { ignore } = request
    await buildGitDirectory(workspace.gitDir, { root: repository, commit: base, branch, ignore })
    await runWorkTreeGit(workspace, ['read-tree', '--reset', '-u', base])
    await buildDecoy(workspace, { gitDir: join(directory, 'git') })
    await writeFile(join(draft, MARKER), JSON.stringify({ repository, base, branch }))
    return await moveIntoPlace(draft, request)
  } catch (error) {
    await removePath(draft)
    throw error
  }
}

/** The complete workspace in a directory; undefined if there is none or only half of one. */
export function findWorkspace(directory: string): Workspace | undefined {
  const marker = readRegularFile(join(directory, MARKER))
  return marker ? toWorkspace(directory, JSON.parse(marker)) : undefined
}

/** Gives the branch another name, on the commit where it is. The marker comes last, so a call that was killed is done again. */
export async function renameBranch(workspace: Workspace, branch: string): Promise<void> {
  const { directory, gitDir, repository, base } = workspace
  if (workspace.branch === branch) return
  const head = readRef(gitDir, `refs/heads/${workspace.branch}`) ?? base
  // The whole folder goes: one name may be the beginning of the other.
  await removePath(join(gitDir, 'refs/heads'))
  writeRef(gitDir, `refs/heads/${branch}`, head)
  writeFileSync(join(gitDir, 'HEAD'), `ref: refs/heads/${branch}\n`)
  await buildDecoy({ ...workspace, branch })
  writeFileAtomically(join(directory, MARKER), JSON.stringify({ repository, base, branch }))
}

/** Removes a workspace, complete or half-built. Links are removed, not followed. */
export async function removeWorkspace(directory: string): Promise<void> {
  // The marker goes first: if we are killed in between, the rest counts as half-built.
  await removePath(join(directory, MARKER))
  await removePath(directory)
  await removeStaleTemporaries(draftPathPrefix(directory))
}

function draftPathPrefix(directory: string): string {
  return `${directory}.building`
}

function toWorkspace(directory: string, of: Pick<Workspace, 'repository' | 'base' | 'branch'>): Workspace {
  const { repository, base, branch } = of
  return { directory, gitDir: join(directory, 'git'), tree: join(directory, 'tree'), base, repository, branch }
}

function assertSameWorkspace(there: Workspace, asked: WorkspaceRequest): Workspace {
  if (there.repository === asked.repository && there.base === asked.base && there.branch === asked.branch) return there
  throw new Error(
    `${there.directory} is the workspace of ${there.repository}, branch ${there.branch} from ${there.base}: remove it before another is opened there`,
  )
}

async function moveIntoPlace(draft: string, request: WorkspaceRequest): Promise<Workspace> {
  const { directory } = request
  for (let attempt = 1; ; attempt++) {
    try {
      await rename(draft, directory)
      return toWorkspace(directory, request)
    } catch (error) {
      const there = findWorkspace(directory)
      if (there) {
        // Another attempt of the same activity was faster.
        await removePath(draft)
        return assertSameWorkspace(there, request)
      }
      if (attempt === 3) throw error
      await removePath(directory)
    }
  }
}

/** Runs a command on our git directory alone (objects, refs, trees). The tree's attributes and ignore rules don't apply. */
export async function runWorkspaceGit(
  workspace: Pick<Workspace, 'gitDir'>,
  args: readonly string[],
  call: GitOptions = {},
): Promise<GitOutput> {
  return await runGit(workspace.gitDir, args, { ...call, env: { GIT_DIR: workspace.gitDir, ...call.env } })
}

export async function runWorkspaceGitText(
  workspace: Workspace,
  args: readonly string[],
  call: GitOptions = {},
): Promise<string> {
  return await runGitText(workspace.gitDir, args, { ...call, env: { GIT_DIR: workspace.gitDir, ...call.env } })
}

/** Runs a command on the work tree, with our git directory and index. */
export async function runWorkTreeGit(
  workspace: Workspace,
  args: readonly string[],
  call: GitOptions = {},
): Promise<GitOutput> {
  return await runWorkspaceGit(workspace, args, { ...call, env: { GIT_WORK_TREE: workspace.tree, ...call.env } })
}

/** The same, with one retry after what is read-only is made accessible. An index lock, left by a killed git, is removed first. */
export async function runWorkTreeGitRetrying(
  workspace: Workspace,
  args: readonly string[],
  call: GitOptions = {},
): Promise<GitOutput> {
  await removePath(join(workspace.gitDir, 'index.lock'))
  try {
    return await runWorkTreeGit(workspace, args, call)
  } catch (error) {
    if (!(error instanceof GitError)) throw error
    await makeTreeAccessible(workspace.tree)
    if (/index file (corrupt|smaller)|bad (index|signature)/.test(error.stderr))
      await removePath(join(workspace.gitDir, 'index'))
    return await runWorkTreeGit(workspace, args, call)
  }
}
