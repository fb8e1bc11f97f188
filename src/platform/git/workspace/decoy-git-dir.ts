// The `.git` that an agent finds in its work tree: a small, complete repository on the session's branch that borrows our
// objects and starts with a copy of our index, so that `git status`, `log` and `diff` work and are fast. It is thrown
// away at every reset. Its files are known to the byte, which is how traces.ts sees what an agent did to it.
import { mkdirSync, writeFileSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { clearPath, readRegularFile } from '../files.ts'
import type { Workspace } from './object-store.ts'
import { formatGitConfig, readExcludeRules, readRef } from './object-store.ts'

// An identity of its own: an agent that can't commit would set one, and a changed configuration is a violation.
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

/** The commit that the decoy was built on: where our own branch points. */
export function readAgentHead(workspace: Workspace): string {
  return readRef(workspace.gitDir, `refs/heads/${workspace.branch}`) ?? workspace.base
}

/** The files that an agent has no business to change, with the text they were given. */
export function expectedDecoyFiles(workspace: Workspace, gitDir = workspace.gitDir): Map<string, string> {
  const files = new Map([
    ['config', formatGitConfig(workspace.base, DECOY_CONFIG)],
    ['info/exclude', readExcludeRules(workspace.gitDir)],
    ['objects/info/alternates', `${join(gitDir, 'objects')}\n`],
  ])
  // Only a shallow clone has the second one.
  for (const name of ['info/attributes', 'shallow']) {
    const text = readRegularFile(join(workspace.gitDir, name))
    if (text) files.set(name, text)
  }
  return files
}

export interface DecoyOptions {
  /** Where ours will be, when the workspace is still being built elsewhere. */
  readonly gitDir?: string
  /** Of a checkout beside the work tree. */
  readonly index?: string
  readonly head?: string
}

/** Makes the decoy anew. */
export async function buildDecoy(workspace: Workspace, options: DecoyOptions = {}): Promise<void> {
  const {
    gitDir = workspace.gitDir,
    index = join(workspace.gitDir, 'index'),
    head = readAgentHead(workspace),
  } = options
  const decoy = decoyGitDirPath(workspace)
  await clearPath(decoy, workspace.directory)
  mkdirSync(decoy)
  const files = expectedDecoyFiles(workspace, gitDir)
  files.set(`refs/heads/${workspace.branch}`, `${head}\n`)
  files.set('HEAD', `ref: refs/heads/${workspace.branch}\n`)
  for (const [name, text] of files) {
    mkdirSync(dirname(join(decoy, name)), { recursive: true })
    writeFileSync(join(decoy, name), text)
  }
  await copyFile(index, join(decoy, 'index'))
}
