import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { publishBranch } from '../../../../src/platform/git/repository/publish-branch.ts'
import { commitTree, importBranchHead } from '../../../../src/platform/git/workspace/commits.ts'
import type { Workspace } from '../../../../src/platform/git/workspace/object-store.ts'
import { createSnapshot } from '../../../../src/platform/git/workspace/snapshot-and-reset.ts'
import { openWorkspace } from '../../../../src/platform/git/workspace/workspace.ts'
import { fingerprintRepository } from '../../../support/fingerprint-repository.ts'
import { AT, AUTHOR, IGNORE, lockFolder, type Sandbox, sandbox, trapHooks } from '../support.ts'

const branch = 'fix/session'

async function commit(box: Sandbox, workspace: Workspace, content: string, parent = workspace.base): Promise<string> {
  box.write({ 'src/app.py': content, [`made by ${content.trim()}.txt`]: 'x\n' }, workspace.tree)
  const { tree } = await createSnapshot(workspace, { name: content.trim(), parent, message: '', at: AT })
  return await commitTree(workspace, { tree, parent, message: content, author: AUTHOR, at: AT })
}

test('a commit arrives on the branch, and nothing else of the repository changes', async (t) => {
  const box = sandbox(t)
  box.write({ 'README.md': 'in progress\n', 'staged.txt': 'x\n', 'untracked.txt': 'x\n' })
  box.git(['add', 'staged.txt'])
  box.git(['worktree', 'add', '-q', '--detach', join(box.home, 'linked')])
  const trace = trapHooks(box)
  const before = await fingerprintRepository(box.repository, [branch])
  const workspace = await box.open()
  const one = await commit(box, workspace, 'one\n')
  assert.deepEqual(await publishBranch({ workspace, branch, commit: one, expected: undefined }), { kind: 'published' })
  const two = await commit(box, workspace, 'two\n', one)
  assert.deepEqual(await publishBranch({ workspace, branch, commit: two, expected: one }), { kind: 'published' })
  assert.equal(await fingerprintRepository(box.repository, [branch]), before)
  assert.equal(existsSync(trace), false)
  assert.equal(box.git(['log', '--format=%s', branch]), 'two\none\nfirst')
  assert.equal(box.git(['show', `${branch}:src/app.py`]), 'two')
  assert.equal(box.git(['fsck', '--connectivity-only']), '')
})

test('publishing again is already done, also after a person built upon it', async (t) => {
  const box = sandbox(t)
  const workspace = await box.open()
  const one = await commit(box, workspace, 'one\n')
  const request = { workspace, branch, commit: one, expected: undefined }
  const twice = await Promise.all([publishBranch(request), publishBranch(request)])
  assert.deepEqual(twice.map(({ kind }) => kind).sort(), ['already', 'published'])
  box.git(['checkout', '-q', branch])
  assert.deepEqual(await publishBranch(request), { kind: 'already' })
  box.git(['commit', '-q', '--allow-empty', '-m', 'theirs'])
  assert.deepEqual(await publishBranch(request), { kind: 'already' })
})

test('a branch that a person moved, made or deleted is refused and told', async (t) => {
  const box = sandbox(t)
  const workspace = await box.open()
  const one = await commit(box, workspace, 'one\n')
  box.git(['branch', branch])
  assert.deepEqual(await publishBranch({ workspace, branch, commit: one, expected: undefined }), {
    kind: 'moved',
    head: workspace.base,
  })
  assert.deepEqual(await publishBranch({ workspace, branch, commit: one, expected: workspace.base }), {
    kind: 'published',
  })
  box.git(['checkout', '-q', branch])
  box.git(['commit', '-q', '--allow-empty', '-m', 'theirs'])
  box.git(['checkout', '-q', 'main'])
  const theirs = box.git(['rev-parse', branch])
  const two = await commit(box, workspace, 'two\n', one)
  assert.deepEqual(await publishBranch({ workspace, branch, commit: two, expected: one }), {
    kind: 'moved',
    head: theirs,
  })
  assert.equal(await importBranchHead(workspace, branch), theirs)
  const onTop = await commit(box, workspace, 'three\n', theirs)
  assert.deepEqual(await publishBranch({ workspace, branch, commit: onTop, expected: theirs }), { kind: 'published' })
  box.git(['branch', '-qD', branch])
  assert.deepEqual(await publishBranch({ workspace, branch, commit: two, expected: onTop }), {
    kind: 'moved',
    head: undefined,
  })
  assert.equal(box.git(['branch', '--list', branch]), '')
})

test('a branch that is checked out, here or in a linked worktree, is not moved', async (t) => {
  const box = sandbox(t)
  const workspace = await box.open()
  const one = await commit(box, workspace, 'one\n')
  const request = { workspace, branch, commit: one, expected: workspace.base }
  box.git(['worktree', 'add', '-q', '-b', branch, join(box.home, 'linked one')])
  assert.deepEqual(await publishBranch(request), { kind: 'checked_out', where: join(box.home, 'linked one') })
  box.git(['worktree', 'remove', join(box.home, 'linked one')])
  box.git(['checkout', '-q', branch])
  assert.deepEqual(await publishBranch(request), { kind: 'checked_out', where: box.repository })
  assert.equal(box.git(['rev-parse', branch]), workspace.base)
  box.git(['checkout', '-q', 'main'])
  assert.deepEqual(await publishBranch(request), { kind: 'published' })
})

test('a branch that is another name of one, which a commit would move under its checkout, is refused; one of a branch that is not there becomes a branch of its own', async (t) => {
  const box = sandbox(t)
  box.git(['symbolic-ref', 'refs/heads/master', 'refs/heads/main'])
  box.git(['symbolic-ref', 'refs/heads/away', 'refs/heads/none'])
  const workspace = await box.open()
  const one = await commit(box, workspace, 'one\n')
  const outcome = await publishBranch({ workspace, branch: 'master', commit: one, expected: workspace.base })
  assert.ok(outcome.kind === 'refused', outcome.kind)
  assert.equal(outcome.why, 'the branch master is another name of main, and a commit on it would move that one')
  assert.equal(box.git(['rev-parse', 'main']), workspace.base)
  assert.equal(box.git(['status', '--porcelain']), '')
  assert.deepEqual(await publishBranch({ workspace, branch: 'away', commit: one, expected: undefined }), {
    kind: 'published',
  })
  assert.equal(box.git(['rev-parse', 'away']), one)
  assert.equal(box.git(['branch', '--list', 'none']), '')
})

test('a lock of a git that is at work is a failure to try again, not an answer', async (t) => {
  const box = sandbox(t)
  const workspace = await box.open()
  const one = await commit(box, workspace, 'one\n')
  box.write({ [`.git/refs/heads/${branch}.lock`]: '' })
  await assert.rejects(
    publishBranch({ workspace, branch, commit: one, expected: undefined }),
    /git update-ref .* failed in .*lock/s,
  )
})

test('a repository that can not be written into is said as that, and the same commit arrives when it can [S2-37]', async (t) => {
  const box = sandbox(t)
  const workspace = await box.open()
  const request = { workspace, branch, commit: await commit(box, workspace, 'one\n'), expected: undefined }
  for (const name of ['objects', 'refs/heads']) {
    const unlock = lockFolder(join(box.repository, '.git', name))
    if (unlock === undefined) return t.skip('this machine has no folder that the superuser may not write into')
    try {
      await assert.rejects(
        publishBranch(request),
        new RegExp(`can't be written into .*\\.git/${name} \\(E\\w+\\): give the user`),
      )
    } finally {
      unlock()
    }
  }
  assert.deepEqual(await publishBranch(request), { kind: 'published' })
})

test('shallow, detached and packed repositories get their commits', async (t) => {
  const box = sandbox(t)
  box.write({ 'README.md': 'second\n' })
  box.git(['commit', '-qam', 'second'])
  const shallow = join(box.home, 'shallow')
  box.git(['clone', '-q', '--depth', '1', `file://${box.repository}`, shallow])
  box.git(['checkout', '-q', '--detach'])
  box.git(['gc', '-q'])
  for (const repository of [box.repository, shallow]) {
    const before = await fingerprintRepository(repository, [branch])
    const base = box.git(['rev-parse', 'HEAD'], repository)
    const directory = join(box.home, 'sessions', String(repository.length))
    const workspace = await openWorkspace({ repository, base, directory, branch, ignore: IGNORE })
    const one = await commit(box, workspace, 'one\n')
    assert.deepEqual(await publishBranch({ workspace, branch, commit: one, expected: undefined }), {
      kind: 'published',
    })
    assert.equal(box.git(['log', '--format=%s', '-2', branch], repository), 'one\nsecond')
    assert.equal(await fingerprintRepository(repository, [branch]), before)
  }
})

test('a fingerprint sees each thing that must not change', async (t) => {
  const box = sandbox(t)
  const seen = new Set([await fingerprintRepository(box.repository)])
  const acts: (() => void)[] = [
    () => box.write({ 'README.md': 'changed\n' }),
    () => box.git(['add', 'README.md']),
    () => box.git(['stash']),
    () => box.write({ 'untracked.txt': 'x' }),
    () => box.git(['branch', 'other']),
    () => box.git(['tag', 'v1']),
    () => box.git(['checkout', '-q', 'other']),
    () => box.git(['config', 'user.name', 'x']),
    () => box.write({ '.git/hooks/pre-commit': 'x' }),
    () => box.write({ '.git/hooks/pre-commit': 'y' }),
    () => box.git(['worktree', 'add', '-q', '--detach', join(box.home, 'linked')]),
    () => box.git(['fetch', '-q', '.', 'main']),
  ]
  for (const [number, act] of acts.entries()) {
    act()
    seen.add(await fingerprintRepository(box.repository))
    assert.equal(seen.size, number + 2, String(act))
  }
  const now = await fingerprintRepository(box.repository, [branch])
  box.git(['branch', branch])
  box.git(['gc', '-q'])
  box.git(['status'])
  assert.equal(await fingerprintRepository(box.repository, [branch]), now)
})
