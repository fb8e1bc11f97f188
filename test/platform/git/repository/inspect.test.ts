import assert from 'node:assert/strict'
import { appendFileSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  branchNameProblem,
  findFreeBranchName,
  isCommitOnAnyRef,
  readBranchState,
} from '../../../../src/platform/git/repository/branches.ts'
import {
  inspectRepository,
  isRepositoryGone,
  type Repository,
  resolveCommit,
} from '../../../../src/platform/git/repository/inspect.ts'
import { readFilesAt } from '../../../support/read-files.ts'
import { type Sandbox, sandbox } from '../support.ts'

async function inspected(path: string): Promise<Repository> {
  const found = await inspectRepository(path)
  if (found.kind !== 'repository') assert.fail(found.kind)
  return found
}

// The person's git configuration, which is what `identity` is read from.
function configure(box: Sandbox, text: string): void {
  const file = join(box.home, 'gitconfig')
  writeFileSync(file, text)
  process.env.GIT_CONFIG_GLOBAL = file
}

test('a repository is one root, however its path is spelled', async (t) => {
  const box = sandbox(t)
  symlinkSync(box.repository, join(box.home, 'alias'))
  for (const path of [box.repository, `${box.repository}/`, join(box.repository, 'src/lib'), join(box.home, 'alias')]) {
    const found = await inspected(path)
    assert.equal(found.root, box.repository)
    assert.equal(found.head, box.git(['rev-parse', 'HEAD']))
    assert.equal(found.branch, 'main')
    assert.equal(found.defaultBranch, 'main')
    assert.equal(found.shallow, false)
    assert.deepEqual(found.dirty, [])
  }
})

test('what is no repository to work on is told apart', async (t) => {
  const box = sandbox(t)
  mkdirSync(join(box.home, 'plain'))
  box.git(['init', '-q', '--bare', join(box.home, 'bare')])
  box.git(['init', '-q', join(box.home, 'empty')])
  const kinds = ['plain', 'missing', 'bare', 'empty', 'repository/.git', 'repository/README.md']
  const found = await Promise.all(kinds.map((name) => inspectRepository(join(box.home, name))))
  assert.deepEqual(
    found.map((result) => result.kind),
    ['not_a_repository', 'not_a_repository', 'bare', 'no_commits', 'not_a_repository', 'not_a_repository'],
  )
})

test('gone is a repository of which nothing is left, or a worktree whose repository is; one that can’t be read is there', (t) => {
  const box = sandbox(t)
  const linked = join(box.home, 'linked')
  box.git(['worktree', 'add', '-q', linked])
  appendFileSync(join(box.repository, '.git/config'), '[half')
  assert.deepEqual([box.repository, linked].map(isRepositoryGone), [false, false])
  rmSync(join(box.repository, '.git'), { recursive: true })
  assert.deepEqual([box.repository, linked, join(box.home, 'never')].map(isRepositoryGone), [true, true, true])
})

test('staged, unstaged and untracked files are dirty under their exact names; ignored ones are not', async (t) => {
  const box = sandbox(t)
  box.write({
    '.gitignore': 'build/\n',
    'build/out': 'x',
    'new dir/a b.txt': '1',
    '-dash': '1',
    'new\nline': '1',
    'ünï.txt': '1',
  })
  box.write({ 'README.md': 'changed\n', 'src/staged.py': 'x = 1\n' })
  box.git(['add', 'src/staged.py'])
  box.git(['rm', '-q', '--cached', 'run.sh'])
  const { dirty } = await inspected(box.repository)
  const expected = [
    '.gitignore',
    'new dir/a b.txt',
    '-dash',
    'new\nline',
    'ünï.txt',
    'README.md',
    'src/staged.py',
    'run.sh',
  ]
  assert.deepEqual(new Set(dirty), new Set(expected))
})

test('a detached, a shallow and a linked checkout are repositories', async (t) => {
  const box = sandbox(t)
  box.write({ 'README.md': 'second\n' })
  box.git(['commit', '-qam', 'second'])
  box.git(['clone', '-q', '--depth', '1', `file://${box.repository}`, join(box.home, 'shallow')])
  box.git(['worktree', 'add', '-q', '-b', 'other', join(box.home, 'linked')])
  box.git(['checkout', '-q', '--detach'])
  assert.equal((await inspected(box.repository)).branch, undefined)
  const shallow = await inspected(join(box.home, 'shallow'))
  assert.deepEqual([shallow.shallow, shallow.defaultBranch], [true, 'main'])
  const linked = await inspected(join(box.home, 'linked'))
  assert.deepEqual([linked.root, linked.branch], [join(box.home, 'linked'), 'other'])
})

test('the default branch is what the remote says, then main, then master', async (t) => {
  const box = sandbox(t)
  box.git(['branch', '-m', 'trunk'])
  assert.equal((await inspected(box.repository)).defaultBranch, undefined)
  box.git(['clone', '-q', box.repository, join(box.home, 'clone')])
  assert.equal((await inspected(join(box.home, 'clone'))).defaultBranch, 'trunk')
  box.git(['checkout', '-q', '-b', 'topic'], join(box.home, 'clone'))
  box.git(['branch', '-qD', 'trunk'], join(box.home, 'clone'))
  assert.equal((await inspected(join(box.home, 'clone'))).defaultBranch, 'origin/trunk')
  box.git(['branch', 'master'])
  assert.equal((await inspected(box.repository)).defaultBranch, 'master')
})

test("the identity is the one of the person's own configuration", async (t) => {
  const box = sandbox(t)
  const before = process.env.GIT_CONFIG_GLOBAL
  t.after(() => {
    if (before === undefined) delete process.env.GIT_CONFIG_GLOBAL
    else process.env.GIT_CONFIG_GLOBAL = before
  })
  configure(box, '')
  assert.equal((await inspected(box.repository)).identity, undefined)
  configure(box, '[user]\n\tname = Global\n\temail = g@example.org\n')
  assert.deepEqual((await inspected(box.repository)).identity, { name: 'Global', email: 'g@example.org' })
  box.git(['config', 'user.name', 'Local One'])
  assert.deepEqual((await inspected(box.repository)).identity, { name: 'Local One', email: 'g@example.org' })
})

test('revisions resolve to commits or to nothing', async (t) => {
  const box = sandbox(t)
  const head = box.git(['rev-parse', 'HEAD'])
  box.git(['tag', '-a', 'v1', '-m', 'one'])
  assert.equal(await resolveCommit(box.repository, 'main'), head)
  assert.equal(await resolveCommit(box.repository, 'v1'), head)
  for (const bad of ['nope', '--all', '-h', '--upload-pack=x', 'HEAD^{tree}', ''])
    assert.equal(await resolveCommit(box.repository, bad), undefined, bad)
})

test('files of a commit are read as they were, links and directories are not', async (t) => {
  const box = sandbox(t)
  box.write({ '-odd name\n.txt': 'odd\n', 'ü*': 'star\n', '.fixwright.yaml': '' })
  box.git(['add', '-A'])
  box.git(['commit', '-qm', 'odd'])
  box.write({ 'README.md': 'changed since\n' })
  assert.equal((await readFilesAt(box.repository, 'HEAD', ['README.md'])).get('README.md'), 'hello\n')
  assert.equal((await readFilesAt(box.repository, 'HEAD', ['.fixwright.yaml'])).get('.fixwright.yaml'), '')
  for (const absent of ['link.md', 'src', 'nope', 'src/nope']) {
    assert.equal((await readFilesAt(box.repository, 'HEAD', [absent])).get(absent), undefined, absent)
  }
  const files = await readFilesAt(join(box.repository, 'src'), 'HEAD', [
    '-odd name\n.txt',
    'ü*',
    'src/app.py',
    'missing',
  ])
  assert.deepEqual([...files.keys()].sort(), ['-odd name\n.txt', 'src/app.py', 'ü*'])
  assert.equal(files.get('ü*'), 'star\n')
})

test('a free branch name avoids what exists, above it and below it', async (t) => {
  const box = sandbox(t)
  for (const branch of ['fix/a', 'fix/a-2', 'docs/x/y', 'taken']) box.git(['branch', branch])
  assert.equal(await findFreeBranchName(box.repository, 'fix/new'), 'fix/new')
  assert.equal(await findFreeBranchName(box.repository, 'fix/a'), 'fix/a-3')
  assert.equal(await findFreeBranchName(box.repository, 'Fix/A'), 'Fix/A-3')
  assert.equal(await findFreeBranchName(box.repository, 'fix/new', ['FIX/New', 'fix/new-2']), 'fix/new-3')
  assert.equal(await findFreeBranchName(box.repository, 'docs/x'), 'docs/x-2')
  const flat = await findFreeBranchName(box.repository, 'taken/by/parent')
  assert.equal(flat, 'taken-by-parent')
  for (const name of ['fix/a-3', 'docs/x-2', flat]) box.git(['branch', name])
})

test('names that git would refuse or misread are a problem', async () => {
  for (const good of ['fix/FUNC-001', 'a', 'fix/ünï']) assert.equal(await branchNameProblem(good), undefined, good)
  for (const bad of ['', '-x', 'HEAD', 'a..b', 'a b', 'x.lock', 'a//b', '/a', 'a/', 'a~1', '@{-1}', 'a\nb']) {
    assert.match((await branchNameProblem(bad)) ?? '', /is not a branch name/, JSON.stringify(bad))
  }
})

test('where a branch is checked out is found, in the main checkout and in linked ones', async (t) => {
  const box = sandbox(t)
  box.git(['worktree', 'add', '-q', '-b', 'other', join(box.home, 'a linked one')])
  box.git(['branch', 'other-branch'])
  assert.equal((await readBranchState(box.repository, 'main')).worktree, box.repository)
  assert.equal((await readBranchState(box.repository, 'other')).worktree, join(box.home, 'a linked one'))
  assert.equal((await readBranchState(box.repository, 'other-branch')).worktree, undefined)
  assert.equal((await readBranchState(box.repository, 'nope')).worktree, undefined)
})

test('a commit is kept as long as a branch, a tag or a remote has it, or one that was made from it', async (t) => {
  const box = sandbox(t)
  const trailers = ['Fixwright-Session: fx-1', 'Fixwright-Issue: A.1']
  box.git(['checkout', '-q', '-b', 'fix/a'])
  box.write({ 'a.txt': '1' })
  box.git(['add', '.'])
  box.git(['commit', '-q', '-m', `Fix\n\n${trailers.join('\n')}`])
  const commit = box.git(['rev-parse', 'HEAD'])
  const since = new Date(Date.now() - 60_000).toISOString()
  const kept = (lines = trailers) => isCommitOnAnyRef(box.repository, { commit, lines, since })
  assert.equal(await kept(), true)
  box.git(['checkout', '-q', 'main'])
  box.git(['update-ref', 'refs/remotes/origin/fix/a', commit])
  box.git(['branch', '-q', '-D', 'fix/a'])
  assert.equal(await kept(), true)
  box.git(['update-ref', '-d', 'refs/remotes/origin/fix/a'])
  assert.equal(await kept(), false)
  box.git(['cherry-pick', '-x', commit])
  box.git(['commit', '-q', '--amend', '-m', `Squashed\n\n* Fix\n\n${trailers.join('\n')}`])
  assert.equal(await kept(), true)
  assert.equal(await kept(['Fixwright-Session: fx-1', 'Fixwright-Issue: A']), false)
  assert.equal(await isCommitOnAnyRef(box.repository, { commit: '1'.repeat(40), lines: ['Nothing: x'], since }), false)
})
