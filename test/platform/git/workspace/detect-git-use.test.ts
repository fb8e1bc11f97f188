import assert from 'node:assert/strict'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { type AgentGitUse, detectAgentGitUse } from '../../../../src/platform/git/workspace/detect-git-use.ts'
import { listChanges } from '../../../../src/platform/git/workspace/diff.ts'
import type { Workspace } from '../../../../src/platform/git/workspace/object-store.ts'
import { createSnapshot, resetWorkTree } from '../../../../src/platform/git/workspace/snapshot-and-reset.ts'
import { AT, agentGit, sandbox } from '../support.ts'

async function changedPaths(workspace: Workspace): Promise<string[]> {
  const { commit } = await createSnapshot(workspace, { name: 'a', parent: workspace.base, message: '', at: AT })
  return (await listChanges(workspace, workspace.base, commit)).map(({ path }) => path)
}

const NOTHING: AgentGitUse = { observations: [], violations: [] }

test('an agent that only edits, looks and stages leaves no trace', async (t) => {
  const box = sandbox(t)
  const workspace = await box.open()
  box.write({ 'README.md': 'fixed\n', 'new.txt': 'x' }, workspace.tree)
  for (const command of ['status', 'diff', 'log', 'add -A', 'ls-files', 'branch -a', 'blame README.md'])
    agentGit(workspace, ...command.split(' '))
  assert.deepEqual(await detectAgentGitUse(workspace), NOTHING)
})

test('a link that leads to a repository is told as one, though nothing else in the tree is', async (t) => {
  const box = sandbox(t)
  const workspace = await box.open()
  symlinkSync('.', join(workspace.tree, 'src/around'))
  assert.deepEqual(await detectAgentGitUse(workspace), NOTHING)
  symlinkSync('..', join(workspace.tree, 'src/back'))
  const { violations } = await detectAgentGitUse(workspace)
  assert.deepEqual(violations, ['src/back became a git repository of its own'])
})

test('commits of an agent are folded back into the tree and noted [C12]', async (t) => {
  const box = sandbox(t)
  const workspace = await box.open()
  box.write({ 'README.md': 'fixed\n', 'new.txt': 'x' }, workspace.tree)
  agentGit(workspace, 'add', '-A')
  agentGit(workspace, 'commit', '-qm', 'I fixed it')
  assert.deepEqual(await detectAgentGitUse(workspace), {
    observations: ['the agent made a commit: "I fixed it"'],
    violations: [],
  })
  assert.deepEqual(await changedPaths(workspace), ['README.md', 'new.txt'])
  await resetWorkTree(workspace, workspace.base)
  assert.deepEqual(await detectAgentGitUse(workspace), NOTHING)
  assert.equal(agentGit(workspace, 'log', '--all', '--format=%s'), 'first')
})

test('branches, detached heads, stashes and packed refs are noted, and the tree is what counts [C12]', async (t) => {
  const box = sandbox(t)
  const workspace = await box.open()
  box.write({ 'README.md': 'one\n' }, workspace.tree)
  agentGit(workspace, 'checkout', '-q', '-b', 'my/idea')
  agentGit(workspace, 'commit', '-qam', 'one')
  box.write({ 'README.md': 'two\n' }, workspace.tree)
  agentGit(workspace, 'commit', '-qam', 'two')
  box.write({ 'run.sh': 'stashed\n' }, workspace.tree)
  agentGit(workspace, 'stash')
  agentGit(workspace, 'gc', '-q')
  agentGit(workspace, 'pack-refs', '--all')
  const expected = [
    'the agent switched to my/idea',
    'the agent created the branch my/idea',
    'the agent left changes in a stash',
  ]
  const found = await detectAgentGitUse(workspace)
  assert.deepEqual(new Set(found.observations), new Set([...expected, 'the agent made 2 commits: "two", "one"']))
  assert.deepEqual(found.violations, [])
  assert.deepEqual(await changedPaths(workspace), ['README.md'])
  agentGit(workspace, 'checkout', '-q', '--detach')
  agentGit(workspace, 'branch', '-qD', 'fix/session')
  const later = await detectAgentGitUse(workspace)
  assert.match(later.observations.join('\n'), /switched to [0-9a-f]{40}\n/)
  assert.match(later.observations.join('\n'), /deleted the branch fix\/session/)
})

test('an agent that goes back in history is noted', async (t) => {
  const box = sandbox(t)
  const first = box.git(['rev-parse', 'HEAD'])
  box.write({ 'README.md': 'second\n' })
  box.git(['commit', '-qam', 'second'])
  const workspace = await box.open()
  agentGit(workspace, 'reset', '-q', '--hard', 'HEAD~1')
  assert.deepEqual((await detectAgentGitUse(workspace)).observations, [`the agent moved the branch back to ${first}`])
  assert.deepEqual(await changedPaths(workspace), ['README.md'])
})

const VIOLATIONS: Record<string, { readonly act: (workspace: Workspace) => void; readonly says: RegExp }> = {
  'a hook': {
    act: (workspace) => writeIn(workspace, 'hooks/pre-commit', '#!/bin/sh\n'),
    says: /^\.git\/hooks\/pre-commit was created$/,
  },
  'a changed configuration': {
    act: (workspace) => agentGit(workspace, 'config', 'core.hooksPath', '/tmp/x'),
    says: /^\.git\/config was changed$/,
  },
  'a configuration replaced by a link': {
    act: (workspace) => {
      renameSync(join(workspace.tree, '.git/config'), join(workspace.tree, '.git/config2'))
      symlinkSync('config2', join(workspace.tree, '.git/config'))
    },
    says: /^\.git\/config was changed$/,
  },
  attributes: {
    act: (workspace) => writeIn(workspace, 'info/attributes', '* -diff\n'),
    says: /info\/attributes was changed/,
  },
  'ignore rules of its own': {
    act: (workspace) => appendFileSync(join(workspace.tree, '.git/info/exclude'), '*\n'),
    says: /info\/exclude was changed/,
  },
  'borrowed objects': {
    act: (workspace) => appendFileSync(join(workspace.tree, '.git/objects/info/alternates'), '/elsewhere\n'),
    says: /alternates was changed/,
  },
  'a tag': { act: (workspace) => agentGit(workspace, 'tag', 'v1'), says: /^the ref refs\/tags\/v1 was created$/ },
  'a remote ref': {
    act: (workspace) => agentGit(workspace, 'update-ref', 'refs/remotes/origin/main', 'HEAD'),
    says: /refs\/remotes\/origin\/main/,
  },
  'a worktree': {
    act: (workspace) => agentGit(workspace, 'worktree', 'add', '-q', '--detach', '../elsewhere'),
    says: /^\.git\/worktrees was created$/,
  },
  'a .git that is a file': {
    act: (workspace) => {
      rmSync(join(workspace.tree, '.git'), { recursive: true })
      writeFileSync(join(workspace.tree, '.git'), 'gitdir: /elsewhere\n')
    },
    says: /^\.git was replaced by a file$/,
  },
  'a .git that is a link': {
    act: (workspace) => {
      renameSync(join(workspace.tree, '.git'), join(workspace.directory, 'moved'))
      symlinkSync('../moved', join(workspace.tree, '.git'))
    },
    says: /^\.git was replaced by something else$/,
  },
  'a removed .git': {
    act: (workspace) => rmSync(join(workspace.tree, '.git'), { recursive: true }),
    says: /^\.git was removed$/,
  },
  'a repository in a new directory': {
    act: (workspace) => agentGit(workspace, 'init', '-q', 'nested/one'),
    says: /^nested\/one became a git repository of its own$/,
  },
  'a repository in a tracked directory': {
    act: (workspace) => agentGit(workspace, 'init', '-q', 'src/lib'),
    says: /^src\/lib became a git repository of its own$/,
  },
}

for (const [name, { act, says }] of Object.entries(VIOLATIONS)) {
  test(`a violation: ${name}; a reset takes it away`, async (t) => {
    const workspace = await sandbox(t).open()
    act(workspace)
    const { violations } = await detectAgentGitUse(workspace)
    assert.equal(violations.length, 1, violations.join('; '))
    assert.match(violations[0]!, says)
    assert.deepEqual(await changedPaths(workspace), [])
    await resetWorkTree(workspace, workspace.base)
    assert.deepEqual(await detectAgentGitUse(workspace), NOTHING)
    assert.equal(agentGit(workspace, 'status', '--porcelain'), '')
  })
}

test('looking runs nothing that an agent put into its git', async (t) => {
  const box = sandbox(t)
  const workspace = await box.open()
  const trace = join(box.home, 'ran')
  const trap = join(box.home, 'trap')
  writeFileSync(trap, `#!/bin/sh\ntouch '${trace}'\n`, { mode: 0o755 })
  agentGit(workspace, 'commit', '-q', '--allow-empty', '-m', 'x')
  for (const key of ['core.fsmonitor', 'diff.external', 'core.sshCommand', 'gpg.program'])
    agentGit(workspace, 'config', key, trap)
  mkdirSync(join(workspace.tree, '.git/hooks'))
  for (const hook of ['post-index-change', 'reference-transaction'])
    symlinkSync(trap, join(workspace.tree, '.git/hooks', hook))
  await detectAgentGitUse(workspace)
  await changedPaths(workspace)
  await resetWorkTree(workspace, workspace.base)
  assert.equal(existsSync(trace), false)
  assert.match(readFileSync(join(workspace.tree, '.git/config'), 'utf8'), /name = Agent/)
})

function writeIn(workspace: Workspace, name: string, content: string): void {
  mkdirSync(join(workspace.tree, '.git', name, '..'), { recursive: true })
  writeFileSync(join(workspace.tree, '.git', name), content)
}
