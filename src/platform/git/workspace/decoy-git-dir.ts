// The decoy is the `.git` that an agent finds: a complete repository that borrows our objects and starts with a copy of our index.
// A reset replaces it. Its files are known to the byte, so detect-git-use.ts sees what an agent did to it.
import { mkdirSync, writeFileSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { clearPath, readRegularFile } from '../unruly-files.ts'
import type { Workspace } from './object-store.ts'
import { formatGitConfig, objectFolder, readExcludeRules, readRef } from './object-store.ts'

// The decoy has an identity: an agent that can't commit would set one, and a changed configuration is a violation.
const DECOY_CONFIG = [
  '\tbare = false',
  '\tfilemode = true',
  '\tlogallrefupdates = true',
  '[gc]',
  '\tauto = 0',
  '[user]',
  '\tname = Agent',
  '\temail = agent@fixwright.invalid',
]

export function decoyGitDirPath(workspace: Workspace): string {
  return join(workspace.tree, '.git')
}

/** The commit that the decoy was built on, which is the head of our own branch. */
export function readAgentHead(workspace: Workspace): string {
  return readRef(workspace.gitDir, `refs/heads/${workspace.branch}`) ?? workspace.base
}

/** The files of the decoy that an agent must not change, with their original text. */
export function expectedDecoyFiles(workspace: Workspace, gitDir = workspace.gitDir): Map<string, string> {
  const files = new Map([
    ['config', formatGitConfig(workspace.base, DECOY_CONFIG)],
    ['info/exclude', readRegularFile(excludeCopyPath(workspace)) ?? readExcludeRules(workspace.gitDir)],
    ['objects/info/alternates', `${objectFolder(gitDir)}\n`],
  ])
  // Only a shallow clone has `shallow`.
  for (const name of ['info/attributes', 'shallow']) {
    const text = readRegularFile(join(workspace.gitDir, name))
    if (text) files.set(name, text)
  }
  return files
}

/** The ignore rules that the decoy was built with: another lane's checks may add to the session's meanwhile. */
function excludeCopyPath({ gitDir }: Workspace): string {
  return join(gitDir, 'decoy-exclude')
}

export interface DecoyOptions {
  /** The final place of our git directory, while the workspace is being built elsewhere. */
  readonly gitDir?: string
  /** The index of a checkout beside the work tree. */
  readonly index?: string
  readonly head?: string
}

export async function buildDecoy(workspace: Workspace, options: DecoyOptions = {}): Promise<void> {
  const {
    gitDir = workspace.gitDir,
    index = join(workspace.gitDir, 'index'),
    head = readAgentHead(workspace),
  } = options
  const decoy = decoyGitDirPath(workspace)
  await clearPath(decoy, workspace.directory)
  mkdirSync(decoy)
  writeFileSync(excludeCopyPath(workspace), readExcludeRules(workspace.gitDir))
  const files = expectedDecoyFiles(workspace, gitDir)
  files.set(`refs/heads/${workspace.branch}`, `${head}\n`)
  files.set('HEAD', `ref: refs/heads/${workspace.branch}\n`)
  for (const [name, text] of files) {
    mkdirSync(dirname(join(decoy, name)), { recursive: true })
    writeFileSync(join(decoy, name), text)
  }
  await copyFile(index, join(decoy, 'index'))
}
