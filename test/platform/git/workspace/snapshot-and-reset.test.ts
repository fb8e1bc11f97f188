import assert from 'node:assert/strict'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { runGitInProcess } from '../../../../src/platform/git/execute.ts'
import { setGitRunner } from '../../../../src/platform/git/git.ts'
import { detectAgentGitUse } from '../../../../src/platform/git/workspace/detect-git-use.ts'
import { listChanges } from '../../../../src/platform/git/workspace/diff.ts'
import type { Workspace } from '../../../../src/platform/git/workspace/object-store.ts'
import {
  createSnapshot,
  ignorePaths,
  listUntracked,
  readSnapshot,
  resetWorkTree,
  saveCommit,
} from '../../../../src/platform/git/workspace/snapshot-and-reset.ts'
import { AT, AUTHOR, agentGit, plainGit, sandbox } from '../support.ts'

async function taken(workspace: Workspace, name = 'a'): Promise<string> {
  return (await createSnapshot(workspace, { name, parent: workspace.base, message: 'note', at: AT })).commit
}

/** Everything in the tree but the decoy, with modes and link targets. */
function contents(workspace: Workspace): string[] {
  return readdirSync(workspace.tree, { recursive: true, encoding: 'utf8' })
    .filter((name) => name !== '.git' && !name.startsWith('.git/') && existsSync(join(workspace.tree, name)))
    .map((name) => {
      const stats = statSync(join(workspace.tree, name))
      return stats.isFile()
        ? `${name} ${stats.mode.toString(8)} ${readFileSync(join(workspace.tree, name), 'utf8')}`
        : name
    })
    .sort()
}

test('a snapshot records the tree as it is, and leaves it so', async (t) => {
  const box = sandbox(t)
  const workspace = await box.open()
  box.write({ 'README.md': 'changed\n', 'new/file.txt': 'new\n' }, workspace.tree)
  unlinkSync(join(workspace.tree, 'src/app.py'))
  agentGit(workspace, 'add', 'README.md')
  const before = [contents(workspace), agentGit(workspace, 'status', '--porcelain')]
  const made = await createSnapshot(workspace, {
    name: 'batch-1/attempt-1',
    parent: workspace.base,
    message: '{"n": 1}\n\nmore',
    at: AT,
  })
  assert.deepEqual([contents(workspace), agentGit(workspace, 'status', '--porcelain')], before)
  assert.deepEqual(await readSnapshot(workspace, 'batch-1/attempt-1'), { ...made, message: '{"n": 1}\n\nmore' })
  assert.equal(await readSnapshot(workspace, 'batch-1/attempt-2'), undefined)
  assert.equal(plainGit(['rev-parse', `${made.commit}^`], workspace.gitDir), workspace.base)
  assert.deepEqual(plainGit(['ls-tree', '-r', '--name-only', made.tree], workspace.gitDir).split('\n'), [
    'README.md',
    'link.md',
    'new/file.txt',
    'run.sh',
    'src/lib/util.py',
  ])
})

test('the same tree, parent, note and time give the same snapshot', async (t) => {
  const box = sandbox(t)
  const workspace = await box.open()
  box.write({ 'README.md': 'changed\n' }, workspace.tree)
  assert.equal(await taken(workspace, 'a'), await taken(workspace, 'b'))
})

test('odd names, links, modes and empty files are recorded and restored', async (t) => {
  const box = sandbox(t)
  const workspace = await box.open()
  const odd = [
    'with space.txt',
    'new\nline.txt',
    '-dash.txt',
    'ünïcödé.txt',
    '"quoted"',
    'tab\t.txt',
    ':(top)magic',
    'star*',
  ]
  box.write(Object.fromEntries(odd.map((name) => [name, `${name}\n`])), workspace.tree)
  const bytes = Buffer.concat([Buffer.from(`${workspace.tree}/`), Buffer.from([0x66, 0xff, 0xfe, 0x2e, 0x74])])
  writeFileSync(bytes, 'not UTF-8\n')
  box.write({ empty: '' }, workspace.tree)
  symlinkSync('/etc/passwd', join(workspace.tree, 'leaves'))
  chmodSync(join(workspace.tree, 'README.md'), 0o755)
  const commit = await taken(workspace)
  const found = await listChanges(workspace, workspace.base, commit)
  const kinds = new Map(found.map((change) => [change.path, change]))
  for (const name of [...odd, 'empty']) assert.equal(kinds.get(name)?.kind, 'added', name)
  assert.deepEqual(kinds.get('leaves'), { path: 'leaves', kind: 'added', mode: '120000', symlink: '/etc/passwd' })
  assert.deepEqual(kinds.get('README.md'), { path: 'README.md', kind: 'modified', mode: '100755' })
  const before = contents(workspace)
  await resetWorkTree(workspace, workspace.base)
  assert.equal(
    await taken(workspace, 'b').then((sha) => plainGit(['rev-parse', `${sha}^{tree}`], workspace.gitDir)),
    baseTree(workspace),
  )
  assert.equal(existsSync(bytes), false)
  await resetWorkTree(workspace, commit)
  assert.deepEqual(contents(workspace), before)
  assert.equal(readFileSync(bytes, 'utf8'), 'not UTF-8\n')
})

function baseTree(workspace: Workspace): string {
  return plainGit(['rev-parse', `${workspace.base}^{tree}`], workspace.gitDir)
}

test('ignored files are never recorded, also where the repository has no .gitignore', async (t) => {
  const box = sandbox(t)
  box.write({ '.git/info/exclude': '.venv/\n' })
  const workspace = await box.open()
  box.write({ 'src/__pycache__/app.pyc': 'x', 'node_modules/a/index.js': 'x', '.venv/bin/python': 'x' }, workspace.tree)
  assert.equal(agentGit(workspace, 'status', '--porcelain'), '')
  const commit = await taken(workspace)
  assert.deepEqual(await listChanges(workspace, workspace.base, commit), [])
  box.write({ '.gitignore': 'build/\n', 'build/out.o': 'x', 'src/new.py': 'x' }, workspace.tree)
  const second = await listChanges(workspace, workspace.base, await taken(workspace, 'b'))
  assert.deepEqual(second.map(({ path }) => path).sort(), ['.gitignore', 'src/new.py'])
})

test('a reset undoes everything but ignored files', async (t) => {
  const box = sandbox(t)
  const workspace = await box.open()
  const before = contents(workspace)
  box.write(
    { 'README.md': 'changed\n', 'new/file.txt': 'new\n', 'staged.txt': 'staged\n', 'run.sh': 'x' },
    workspace.tree,
  )
  agentGit(workspace, 'add', 'staged.txt')
  rmSync(join(workspace.tree, 'src'), { recursive: true })
  chmodSync(join(workspace.tree, 'run.sh'), 0o644)
  unlinkSync(join(workspace.tree, 'link.md'))
  writeFileSync(join(workspace.tree, 'link.md'), 'no link any more\n')
  await taken(workspace)
  box.write({ 'after/snapshot.txt': 'x', 'node_modules/a.js': 'kept' }, workspace.tree)
  await resetWorkTree(workspace, workspace.base)
  assert.deepEqual(
    contents(workspace).filter((line) => !line.startsWith('node_modules')),
    before,
  )
  assert.equal(existsSync(join(workspace.tree, 'node_modules/a.js')), true)
  assert.equal(agentGit(workspace, 'status', '--porcelain'), '')
})

test('a reset wins over directories in the way, read-only files, killed gits and hiding ignore files', async (t) => {
  const box = sandbox(t)
  const workspace = await box.open()
  const before = contents(workspace)
  unlinkSync(join(workspace.tree, 'README.md'))
  box.write({ 'README.md/inside.txt': 'x', 'deep/er/file': 'x', '.gitignore': 'hidden\n', hidden: 'x' }, workspace.tree)
  rmSync(join(workspace.tree, 'src/lib'), { recursive: true })
  writeFileSync(join(workspace.tree, 'src/lib'), 'a file now\n')
  agentGit(workspace, 'init', '-q', 'run.sh.d')
  unlinkSync(join(workspace.tree, 'run.sh'))
  agentGit(workspace, 'init', '-q', 'run.sh')
  chmodSync(join(workspace.tree, 'deep/er/file'), 0o000)
  chmodSync(join(workspace.tree, 'deep/er'), 0o500)
  writeFileSync(join(workspace.gitDir, 'index.lock'), '')
  await resetWorkTree(workspace, workspace.base)
  assert.deepEqual(contents(workspace), before)
})

test('a reset repairs a broken index, a missing tree, and a tree replaced by a link', async (t) => {
  const box = sandbox(t)
  const workspace = await box.open()
  const before = contents(workspace)
  writeFileSync(join(workspace.gitDir, 'index'), 'garbage')
  await resetWorkTree(workspace, workspace.base)
  assert.deepEqual(contents(workspace), before)
  rmSync(workspace.tree, { recursive: true })
  await resetWorkTree(workspace, workspace.base)
  assert.deepEqual(contents(workspace), before)
  rmSync(workspace.tree, { recursive: true })
  mkdirSync(join(box.home, 'elsewhere'))
  symlinkSync(join(box.home, 'elsewhere'), workspace.tree)
  assert.deepEqual((await detectAgentGitUse(workspace)).violations, ['the work tree was replaced by something else'])
  await assert.rejects(taken(workspace), /was removed or replaced/)
  await resetWorkTree(workspace, workspace.base)
  assert.deepEqual(contents(workspace), before)
  assert.deepEqual(readdirSync(join(box.home, 'elsewhere')), [])
})

test('a reset to a tree, with the commit that the agent is to see', async (t) => {
  const box = sandbox(t)
  const workspace = await box.open()
  box.write({ 'README.md': 'attempt\n' }, workspace.tree)
  const { commit, tree } = await createSnapshot(workspace, { name: 'a', parent: workspace.base, message: 'n', at: AT })
  await resetWorkTree(workspace, tree)
  assert.equal(agentGit(workspace, 'rev-parse', 'HEAD'), workspace.base)
  assert.equal(agentGit(workspace, 'diff', '--cached', '--name-only'), 'README.md')
  await resetWorkTree(workspace, commit)
  assert.equal(agentGit(workspace, 'rev-parse', 'HEAD'), commit)
  await resetWorkTree(workspace, commit, { head: workspace.base })
  assert.equal(agentGit(workspace, 'rev-parse', 'HEAD'), workspace.base)
  assert.equal(readFileSync(join(workspace.tree, 'README.md'), 'utf8'), 'attempt\n')
})

test('repositories inside the tree are in no snapshot; the rest is', async (t) => {
  const box = sandbox(t)
  const workspace = await box.open()
  agentGit(workspace, 'init', '-q', 'empty one')
  agentGit(workspace, 'init', '-q', 'full')
  box.write(
    { 'full/file.txt': 'x', 'empty one/file.txt': 'x', 'after.txt': 'x', 'README.md': 'changed\n' },
    workspace.tree,
  )
  const commit = await taken(workspace)
  const paths = (found: Awaited<ReturnType<typeof listChanges>>) => found.map(({ path }) => path).sort()
  assert.deepEqual(paths(await listChanges(workspace, workspace.base, commit)), ['README.md', 'after.txt'])
  agentGit(workspace, '-C', 'full', 'add', '.')
  agentGit(workspace, '-C', 'full', '-c', 'user.name=a', '-c', 'user.email=a', 'commit', '-qm', 'nested')
  for (const round of ['b', 'c']) {
    assert.deepEqual(paths(await listChanges(workspace, workspace.base, await taken(workspace, round))), [
      'README.md',
      'after.txt',
    ])
  }
  rmSync(join(workspace.tree, 'empty one'), { recursive: true })
  assert.deepEqual(paths(await listChanges(workspace, workspace.base, await taken(workspace, 'd'))), [
    'README.md',
    'after.txt',
  ])
  unlinkSync(join(workspace.tree, 'README.md'))
  agentGit(workspace, 'clone', '-q', 'full', 'README.md')
  const last = await listChanges(workspace, workspace.base, await taken(workspace, 'e'))
  assert.deepEqual(last.map(({ path, kind }) => `${kind} ${path}`).sort(), ['added after.txt', 'deleted README.md'])
  await resetWorkTree(workspace, workspace.base)
  assert.deepEqual((await detectAgentGitUse(workspace)).violations, [])
  assert.equal(existsSync(join(workspace.tree, 'full')), false)
})

test('a snapshot name that is no ref is refused', async (t) => {
  const workspace = await sandbox(t).open()
  for (const name of ['', '../x', 'a..b', '/a', 'a b'])
    await assert.rejects(taken(workspace, name), /can't name a snapshot/)
})

test('what a check leaves behind is in no later snapshot, but for the files that issues are about', async (t) => {
  const box = sandbox(t)
  const workspace = await box.open()
  box.write({ 'out/a.txt': '1', 'report [1].xml': '2', 'src/new.py': '3', '#odd!': '4' }, workspace.tree)
  const ignoreUntracked = async () => ignorePaths(workspace, await listUntracked(workspace), ['src/new.py'])
  assert.deepEqual((await ignoreUntracked()).sort(), ['#odd!', 'out/', 'report [1].xml'])
  assert.deepEqual(await ignoreUntracked(), [])
  await resetWorkTree(workspace, workspace.base)
  box.write({ 'out/b.txt': '1', 'report [1].xml': '5', 'report 1.xml': '6', 'src/new.py': '7' }, workspace.tree)
  const found = await listChanges(workspace, workspace.base, await taken(workspace))
  assert.deepEqual(found.map(({ path }) => path).sort(), ['report 1.xml', 'src/new.py'])
  assert.deepEqual((await detectAgentGitUse(workspace)).violations, [])
})

test('a commit is found again under its name, also when it would be made from other words now', async (t) => {
  const workspace = await sandbox(t).open()
  const tree = plainGit(['rev-parse', 'HEAD^{tree}'], workspace.tree)
  const request = { tree, parent: workspace.base, message: 'first words\n\nbody', author: AUTHOR, at: AT }
  const made = await saveCommit(workspace, 's1.commit', request)
  assert.deepEqual(await readSnapshot(workspace, 's1.commit'), made)
  assert.equal(await readSnapshot(workspace, 's1.commit2'), undefined)
})

test('a submodule that is taken away is told as one', async (t) => {
  const box = sandbox(t)
  box.git(['update-index', '--add', '--cacheinfo', `160000,${box.git(['rev-parse', 'HEAD'])},vendor/sub`])
  box.git(['commit', '-qm', 'with a submodule'])
  const workspace = await box.open()
  assert.deepEqual(await listChanges(workspace, workspace.base, await taken(workspace)), [])
  rmSync(join(workspace.tree, 'vendor/sub'), { recursive: true })
  const [gone] = await listChanges(workspace, workspace.base, await taken(workspace, 'b'))
  assert.deepEqual(gone, { path: 'vendor/sub', kind: 'deleted', mode: '000000', submodule: true })
})

test('no by-product is forgotten where there are very many, and an agent that leaves the list alone has not changed it', async (t) => {
  const box = sandbox(t)
  const workspace = await box.open()
  const folder = 'made by a check that is very fond of long names/'.repeat(20)
  ignorePaths(workspace, ['first.out', ...Array.from({ length: 1200 }, (_, nth) => `${folder}${nth}`)], [])
  ignorePaths(workspace, ['last.out'], [])
  await resetWorkTree(workspace, workspace.base)
  assert.deepEqual((await detectAgentGitUse(workspace)).violations, [])
  box.write({ 'first.out': 'x', 'last.out': 'x' }, workspace.tree)
  const { tree } = await createSnapshot(workspace, { name: 'a', parent: workspace.base, message: 'n', at: AT })
  assert.equal(tree, box.git(['rev-parse', `${workspace.base}^{tree}`]))
})

test('a small tree is looked through without git, and git is asked where something else lies in it', async (t) => {
  const box = sandbox(t)
  box.git(['rm', '-q', 'link.md'])
  box.git(['commit', '-qm', 'without a link'])
  const workspace = await box.open()
  const commands: string[] = []
  const giveBack = setGitRunner((request, signal) => {
    commands.push(request.args.slice(0, 2).join(' '))
    return runGitInProcess(request, signal)
  })
  t.after(giveBack)
  const askedBy = async (work: () => Promise<unknown>): Promise<string[]> => {
    commands.length = 0
    await work()
    return commands.filter((command) => /^(clean|ls-files)/.test(command))
  }
  box.write({ 'README.md': 'changed\n' }, workspace.tree)
  assert.deepEqual(await askedBy(() => detectAgentGitUse(workspace)), [])
  assert.deepEqual(await askedBy(() => taken(workspace)), [])
  assert.deepEqual(await askedBy(() => resetWorkTree(workspace, workspace.base)), [])
  for (const path of ['src/new.py', 'src/empty', 'new/.git']) {
    mkdirSync(join(workspace.tree, path), { recursive: true })
    assert.deepEqual(await askedBy(() => resetWorkTree(workspace, workspace.base)), ['clean -ffd'])
    assert.ok(!existsSync(join(workspace.tree, path)))
  }
})
