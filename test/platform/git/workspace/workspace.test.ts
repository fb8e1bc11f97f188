import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { detectAgentGitUse } from '../../../../src/platform/git/workspace/detect-git-use.ts'
import { createSnapshot } from '../../../../src/platform/git/workspace/snapshot-and-reset.ts'
import {
  findWorkspace,
  openWorkspace,
  removeWorkspace,
  renameBranch,
} from '../../../../src/platform/git/workspace/workspace.ts'
import { fingerprintRepository } from '../../../support/fingerprint-repository.ts'
import { AT, agentGit, FILES, IGNORE, plainGit, sandbox, trapHooks } from '../support.ts'

test('a workspace holds the base, executable bits and links included, on a branch of its own', async (t) => {
  const box = sandbox(t)
  const workspace = await box.open()
  for (const [name, content] of Object.entries(FILES))
    assert.equal(readFileSync(join(workspace.tree, name), 'utf8'), content)
  assert.equal(statSync(join(workspace.tree, 'run.sh')).mode & 0o111, 0o111)
  assert.equal(readFileSync(join(workspace.tree, 'link.md'), 'utf8'), 'hello\n')
  assert.equal(agentGit(workspace, 'status', '--porcelain', '--branch'), '## fix/session')
  assert.equal(agentGit(workspace, 'log', '--format=%H'), workspace.base)
  assert.equal(agentGit(workspace, 'remote'), '')
})

test("opening changes nothing in the person's repository, and none of its hooks runs", async (t) => {
  const box = sandbox(t)
  box.write({ 'README.md': 'work in progress\n', 'untracked.txt': 'mine\n' })
  const trace = trapHooks(box)
  const before = await fingerprintRepository(box.repository)
  const workspace = await box.open()
  await createSnapshot(workspace, { name: 'a', parent: workspace.base, message: '', at: AT })
  assert.equal(await fingerprintRepository(box.repository), before)
  assert.equal(existsSync(trace), false)
  assert.equal(existsSync(join(workspace.tree, 'untracked.txt')), false)
})

test('opening again finds what is there, as it is, and refuses another session', async (t) => {
  const box = sandbox(t)
  const workspace = await box.open()
  writeFileSync(join(workspace.tree, 'README.md'), 'half done\n')
  assert.deepEqual(await box.open(), workspace)
  assert.deepEqual(findWorkspace(workspace.directory), workspace)
  assert.equal(readFileSync(join(workspace.tree, 'README.md'), 'utf8'), 'half done\n')
  await assert.rejects(box.open('session', { branch: 'fix/other' }), /is the workspace of .*fix\/session/)
})

test('a branch gets another name, also one that the old one is the beginning of, and the agent finds it', async (t) => {
  const box = sandbox(t)
  const workspace = await box.open()
  for (const branch of ['fix/session/further', 'fix']) {
    await renameBranch(findWorkspace(workspace.directory)!, branch)
    const renamed = { ...workspace, branch }
    assert.deepEqual(findWorkspace(workspace.directory), renamed)
    assert.equal(agentGit(renamed, 'status', '--porcelain', '--branch'), `## ${branch}`)
    assert.equal(plainGit(['--git-dir', workspace.gitDir, 'branch', '--list'], workspace.gitDir).trim(), `* ${branch}`)
    assert.deepEqual(await detectAgentGitUse(renamed), { observations: [], violations: [] })
  }
})

test('two openings of one workspace at once make one', async (t) => {
  const box = sandbox(t)
  const opened = await Promise.all([box.open(), box.open(), box.open()])
  assert.deepEqual(opened[1], opened[0])
  assert.deepEqual(readdirSync(dirname(opened[0].directory)), ['session'])
})

test('two sessions on one repository do not meet', async (t) => {
  const box = sandbox(t)
  const [one, two] = await Promise.all([box.open('one'), box.open('two')])
  writeFileSync(join(one.tree, 'README.md'), 'one\n')
  agentGit(one, 'commit', '-qam', 'one')
  agentGit(one, 'stash', 'list')
  await createSnapshot(one, { name: 'a', parent: one.base, message: '', at: AT })
  assert.equal(agentGit(two, 'status', '--porcelain'), '')
  assert.equal(agentGit(two, 'log', '--all', '--format=%s'), 'first')
  assert.equal(plainGit(['for-each-ref', '--format=%(refname)'], two.gitDir), 'refs/heads/fix/two')
  assert.equal(box.git(['for-each-ref', '--format=%(refname)']), 'refs/heads/main')
})

test('objects are linked, not copied, packed and loose ones alike', async (t) => {
  const box = sandbox(t)
  box.git(['gc', '-q'])
  box.write({ 'later.txt': 'loose\n' })
  box.git(['add', '.'])
  box.git(['commit', '-qm', 'second'])
  const workspace = await box.open()
  const pack = readdirSync(join(workspace.gitDir, 'objects/pack')).find((name) => name.endsWith('.pack'))!
  const inode = (objects: string) => statSync(join(objects, 'pack', pack)).ino
  assert.equal(inode(join(workspace.gitDir, 'objects')), inode(join(box.repository, '.git/objects')))
  assert.equal(plainGit(['fsck', '--full'], workspace.gitDir), '')
  // What the person prunes later stays here.
  box.git(['checkout', '-q', '--orphan', 'fresh'])
  box.git(['commit', '-qm', 'fresh'])
  box.git(['branch', '-qD', 'main'])
  box.git(['reflog', 'expire', '--expire=now', '--all'])
  box.git(['gc', '-q', '--prune=now'])
  assert.equal(agentGit(workspace, 'log', '--format=%s'), 'second\nfirst')
})

test('shallow, detached, linked, borrowing and SHA-256 repositories are worked on', async (t) => {
  const box = sandbox(t)
  box.write({ 'README.md': 'second\n' })
  box.git(['commit', '-qam', 'second'])
  box.git(['clone', '-q', '--depth', '1', `file://${box.repository}`, join(box.home, 'shallow')])
  box.git(['clone', '-q', '--shared', box.repository, join(box.home, 'borrowing')])
  box.git(['worktree', 'add', '-q', '--detach', join(box.home, 'linked'), 'HEAD~1'])
  box.git(['init', '-q', '--object-format=sha256', join(box.home, 'sha256')])
  box.write({ 'README.md': 'hello\n' }, join(box.home, 'sha256'))
  box.git(['add', '.'], join(box.home, 'sha256'))
  box.git(['commit', '-qm', 'first'], join(box.home, 'sha256'))
  for (const name of ['shallow', 'borrowing', 'linked', 'sha256']) {
    const repository = join(box.home, name)
    const base = box.git(['rev-parse', 'HEAD'], repository)
    const directory = join(box.home, 'sessions', name)
    const workspace = await openWorkspace({ repository, base, directory, branch: 'fix/x', ignore: IGNORE })
    assert.equal(agentGit(workspace, 'status', '--porcelain'), '', name)
    writeFileSync(join(workspace.tree, 'README.md'), 'fixed\n')
    const { commit } = await createSnapshot(workspace, { name: 'a', parent: base, message: '', at: AT })
    assert.equal(plainGit(['show', `${commit}:README.md`], workspace.gitDir), 'fixed', name)
    assert.equal(agentGit(workspace, 'diff', '--stat').includes('README.md'), true, name)
  }
})

test('filters and line-end rules of the person run nothing', async (t) => {
  const box = sandbox(t)
  box.write({ '.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n', 'big.bin': 'version https://git-lfs\n' })
  box.git(['add', '.'])
  box.git(['commit', '-qm', 'pointer'])
  for (const part of ['clean', 'smudge', 'process']) box.git(['config', `filter.lfs.${part}`, 'exit 1'])
  box.git(['config', 'filter.lfs.required', 'true'])
  const workspace = await box.open()
  assert.equal(readFileSync(join(workspace.tree, 'big.bin'), 'utf8'), 'version https://git-lfs\n')
  const { tree } = await createSnapshot(workspace, { name: 'a', parent: workspace.base, message: '', at: AT })
  assert.equal(tree, box.git(['rev-parse', 'HEAD^{tree}']))
})

test('a base that is not there fails, and leaves nothing', async (t) => {
  const box = sandbox(t)
  await assert.rejects(box.open('session', { base: '1'.repeat(40) }), /git read-tree .* failed/)
  assert.deepEqual(readdirSync(join(box.home, 'sessions')), [])
})

test('a workspace whose making was killed, at any moment, is made anew', async (t) => {
  const box = sandbox(t)
  const base = box.git(['rev-parse', 'HEAD'])
  for (let number = 0; number < 300; number++) box.write({ [`many/${number}.txt`]: `${number}\n` })
  box.git(['add', '.'])
  box.git(['commit', '-qm', 'many'])
  const request = { repository: box.repository, base: box.git(['rev-parse', 'HEAD']), branch: 'fix/x', ignore: [] }
  const directory = join(box.home, 'sessions/session')
  const module = new URL('../../../../src/platform/git/workspace/workspace.ts', import.meta.url).href
  const program = `import('${module}').then((it) => it.openWorkspace(${JSON.stringify({ ...request, directory })}))`
  // Killed as soon as the tree, the git directory, or the checkout can be seen.
  for (const part of ['tree', 'git/HEAD', 'tree/many/0.txt', 'tree/many/200.txt']) {
    const child = spawn(process.execPath, ['-e', program], { stdio: 'ignore' })
    const ended = new Promise((resolve) => child.once('exit', resolve))
    const seen = () => draftsIn(dirname(directory)).some((draft) => existsSync(join(draft, part)))
    while (child.exitCode === null && !seen()) await new Promise((resolve) => setImmediate(resolve))
    child.kill('SIGKILL')
    await ended
    const workspace = await openWorkspace({ ...request, directory })
    assert.equal(agentGit(workspace, 'status', '--porcelain'), '', part)
    assert.deepEqual(draftsIn(dirname(directory)), [])
    await removeWorkspace(directory)
  }
  // Half of one, in place: what a removal that was killed leaves.
  mkdirSync(join(directory, 'git'), { recursive: true })
  assert.equal(findWorkspace(directory), undefined)
  const workspace = await openWorkspace({ ...request, base, directory })
  assert.equal(agentGit(workspace, 'log', '--format=%s'), 'first')
})

function draftsIn(parent: string): string[] {
  if (!existsSync(parent)) return []
  return readdirSync(parent)
    .filter((name) => name.includes('.building.'))
    .map((name) => join(parent, name))
}

test('removing a workspace takes what is read-only and does not follow links out of it', async (t) => {
  const box = sandbox(t)
  const workspace = await box.open()
  box.write({ 'outside/kept.txt': 'kept\n' }, box.home)
  symlinkSync(join(box.home, 'outside'), join(workspace.tree, 'out'))
  box.write({ 'locked/deep/file.txt': 'x' }, workspace.tree)
  chmodSync(join(workspace.tree, 'locked/deep/file.txt'), 0o400)
  chmodSync(join(workspace.tree, 'locked/deep'), 0o500)
  chmodSync(join(workspace.tree, 'locked'), 0o000)
  await removeWorkspace(workspace.directory)
  await removeWorkspace(workspace.directory)
  assert.deepEqual(readdirSync(join(box.home, 'sessions')), [])
  assert.equal(readFileSync(join(box.home, 'outside/kept.txt'), 'utf8'), 'kept\n')
})
