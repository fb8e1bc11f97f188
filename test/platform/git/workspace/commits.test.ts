import assert from 'node:assert/strict'
import { appendFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  buildTreeFromSelections,
  commitTree,
  importBranchHead,
  isAncestor,
  listCommitsBetween,
  mergeTreeOnto,
} from '../../../../src/platform/git/workspace/commits.ts'
import { diffText, listChanges } from '../../../../src/platform/git/workspace/diff.ts'
import type { Workspace } from '../../../../src/platform/git/workspace/object-store.ts'
import { createSnapshot, resetWorkTree } from '../../../../src/platform/git/workspace/snapshot-and-reset.ts'
import { AT, AUTHOR, FILES, plainGit, sandbox } from '../support.ts'

async function attempt(workspace: Workspace, name: string): Promise<string> {
  return (await createSnapshot(workspace, { name, parent: workspace.base, message: '', at: AT })).commit
}

test('what changed is told by kind, with both names of a renamed file', async (t) => {
  const box = sandbox(t)
  const workspace = await box.open()
  renameSync(join(workspace.tree, 'src/lib/util.py'), join(workspace.tree, 'src/lib/a new name.py'))
  unlinkSync(join(workspace.tree, 'src/app.py'))
  unlinkSync(join(workspace.tree, 'link.md'))
  box.write({ 'link.md': 'a file now\n', 'README.md': 'changed\n', 'new.txt': 'new\n' }, workspace.tree)
  assert.deepEqual(await listChanges(workspace, workspace.base, await attempt(workspace, 'a')), [
    { path: 'README.md', kind: 'modified', mode: '100644' },
    { path: 'link.md', kind: 'typechange', mode: '100644' },
    { path: 'new.txt', kind: 'added', mode: '100644' },
    { path: 'src/app.py', kind: 'deleted', mode: '000000' },
    { path: 'src/lib/a new name.py', kind: 'renamed', from: 'src/lib/util.py', mode: '100644' },
  ])
})

test('a diff shows text, summarises binaries, and no attribute of the tree can hide a file', async (t) => {
  const box = sandbox(t)
  const workspace = await box.open()
  box.write({ 'README.md': 'changed\n', '.gitattributes': '* -diff\n', 'ünï code.txt': 'x\n' }, workspace.tree)
  writeFileSync(join(workspace.tree, 'image.png'), Buffer.from([0, 1, 2, 0]))
  renameSync(join(workspace.tree, 'src/lib/util.py'), join(workspace.tree, 'src/lib/renamed.py'))
  const commit = await attempt(workspace, 'a')
  const diff = await diffText(workspace, workspace.base, commit)
  assert.match(diff, /^-hello\n\+changed$/m)
  assert.match(diff, /^Binary files \/dev\/null and b\/image.png differ$/m)
  assert.match(diff, /^rename from src\/lib\/util.py\nrename to src\/lib\/renamed.py$/m)
  assert.match(diff, /ünï code.txt/)
  const part = await diffText(workspace, workspace.base, commit, ['README.md', 'missing', '*'])
  assert.match(part, /^\+changed$/m)
  assert.doesNotMatch(part, /image|renamed/)
  assert.equal(await diffText(workspace, workspace.base, commit, []), '')
})

test('a tree is composed from what each attempt did best', async (t) => {
  const box = sandbox(t)
  const workspace = await box.open()
  box.write({ 'README.md': 'one\n', 'bad.txt': 'bad\n', 'a b.txt': 'one\n' }, workspace.tree)
  unlinkSync(join(workspace.tree, 'run.sh'))
  const one = await attempt(workspace, 'one')
  await resetWorkTree(workspace, workspace.base)
  box.write({ 'README.md': 'two\n', 'README.txt': 'two\n' }, workspace.tree)
  renameSync(join(workspace.tree, 'src/lib/util.py'), join(workspace.tree, 'src/lib/moved.py'))
  const two = await attempt(workspace, 'two')
  const tree = await buildTreeFromSelections(workspace, workspace.base, [
    { from: one, paths: ['a b.txt', 'run.sh', 'not there'] },
    { from: two, paths: ['README.md', 'src/lib/util.py', 'src/lib/moved.py'] },
  ])
  const found = await listChanges(workspace, workspace.base, tree)
  assert.deepEqual(found.map(({ kind, path }) => `${kind} ${path}`).sort(), [
    'added a b.txt',
    'deleted run.sh',
    'modified README.md',
    'renamed src/lib/moved.py',
  ])
  assert.equal(plainGit(['show', `${tree}:README.md`], workspace.gitDir), 'two')
  const all = ['README.md', 'bad.txt', 'a b.txt', 'run.sh']
  const treeOf = (commit: string) => plainGit(['rev-parse', `${commit}^{tree}`], workspace.gitDir)
  assert.equal(await buildTreeFromSelections(workspace, workspace.base, [{ from: one, paths: all }]), treeOf(one))
  assert.equal(
    await buildTreeFromSelections(workspace, workspace.base, [{ from: one, paths: [] }]),
    treeOf(workspace.base),
  )
  assert.equal(await buildTreeFromSelections(workspace, workspace.base, []), treeOf(workspace.base))
})

test('a path that became a directory, and a name that is not UTF-8, are composed', async (t) => {
  const box = sandbox(t)
  const workspace = await box.open()
  unlinkSync(join(workspace.tree, 'README.md'))
  box.write({ 'README.md/inner.txt': 'x\n', 'left out.txt': 'x\n' }, workspace.tree)
  const raw = Buffer.concat([Buffer.from(`${workspace.tree}/x`), Buffer.from([0xff])])
  writeFileSync(raw, 'x\n')
  const one = await attempt(workspace, 'one')
  const paths = (await listChanges(workspace, workspace.base, one)).map(({ path }) => path)
  const tree = await buildTreeFromSelections(workspace, workspace.base, [
    { from: one, paths: paths.filter((path) => path !== 'left out.txt') },
  ])
  await resetWorkTree(workspace, tree)
  assert.equal(
    await attempt(workspace, 'two').then((sha) => plainGit(['rev-parse', `${sha}^{tree}`], workspace.gitDir)),
    tree,
  )
  const left = await listChanges(workspace, tree, one)
  assert.deepEqual(
    left.map(({ path }) => path),
    ['left out.txt'],
  )
})

test('a commit is the same for the same inputs, and says what it was given', async (t) => {
  const box = sandbox(t)
  const workspace = await box.open()
  box.write({ 'src/app.py': 'fixed\n' }, workspace.tree)
  const { tree } = await createSnapshot(workspace, { name: 'a', parent: workspace.base, message: '', at: AT })
  const message =
    'fix: one\n\nWhy: because.\n\nFixwright-Session: s1\nFixwright-Issue: FUNC-001\nFixwright-Issue: FUNC-002'
  const request = { tree, parent: workspace.base, message, author: AUTHOR, at: AT }
  const sha = await commitTree(workspace, request)
  assert.equal(await commitTree(workspace, request), sha)
  const [record, ...more] = await listCommitsBetween(workspace.gitDir, workspace.base, sha)
  assert.deepEqual(more, [])
  assert.deepEqual(record, {
    sha,
    tree,
    parents: [workspace.base],
    author: AUTHOR,
    at: AT,
    subject: 'fix: one',
    message,
    trailers: [
      ['Fixwright-Session', 's1'],
      ['Fixwright-Issue', 'FUNC-001'],
      ['Fixwright-Issue', 'FUNC-002'],
    ],
    files: ['src/app.py'],
  })
})

test('commits are listed oldest first, with odd files, empty ones and merges', async (t) => {
  const box = sandbox(t)
  const base = box.git(['rev-parse', 'HEAD'])
  box.write({ ':odd\nname': 'x', [`${'a'.repeat(40)}`]: 'x' })
  box.git(['add', '.'])
  box.git(['commit', '-qm', 'odd'])
  box.git(['commit', '-q', '--allow-empty', '--allow-empty-message', '-m', ''])
  box.git(['checkout', '-q', '-b', 'side', base])
  box.write({ 'side.txt': 'x' })
  box.git(['add', '.'])
  box.git(['commit', '-qm', 'side'])
  box.git(['checkout', '-q', 'main'])
  box.git(['merge', '-q', '--no-ff', '-m', 'merged', 'side'])
  const found = await listCommitsBetween(box.repository, base, 'main')
  const bySubject = new Map(found.map((commit) => [commit.subject, commit]))
  assert.deepEqual(bySubject.get('odd')?.files, [':odd\nname', 'a'.repeat(40)])
  assert.deepEqual(bySubject.get('')?.files, [])
  assert.deepEqual(bySubject.get('merged')?.files, ['side.txt'])
  assert.equal(bySubject.get('merged')?.parents.length, 2)
  assert.equal(found.at(-1)?.subject, 'merged')
  assert.deepEqual(await listCommitsBetween(box.repository, 'main', 'main'), [])
})

test("an attempt is merged onto a person's commit, or the conflict is named", async (t) => {
  const box = sandbox(t)
  const workspace = await box.open()
  box.git(['branch', 'fix/session'])
  box.write({ 'src/app.py': 'def f():\n    return 2\n' }, workspace.tree)
  const commit = await attempt(workspace, 'a')
  assert.equal(await importBranchHead(workspace, 'fix/session'), workspace.base)
  assert.equal(await importBranchHead(workspace, 'nope'), undefined)
  box.git(['checkout', '-q', 'fix/session'])
  box.write({ 'README.md': 'theirs\n' })
  box.git(['commit', '-qam', 'theirs'])
  box.git(['gc', '-q'])
  const head = await importBranchHead(workspace, 'fix/session')
  assert.equal(head, box.git(['rev-parse', 'HEAD']))
  const clean = await mergeTreeOnto(workspace, commit, head!)
  assert.equal(clean.kind, 'clean')
  const merged = await listChanges(workspace, workspace.base, clean.kind === 'clean' ? clean.tree : '')
  assert.deepEqual(
    merged.map(({ path }) => path),
    ['README.md', 'src/app.py'],
  )
  box.write({ 'src/app.py': 'def f():\n    return 3\n', 'run.sh': FILES['run.sh'] })
  box.git(['commit', '-qam', 'theirs again'])
  const later = await importBranchHead(workspace, 'fix/session')
  assert.deepEqual(await mergeTreeOnto(workspace, commit, later!), { kind: 'conflict', paths: ['src/app.py'] })
})

test('a commit that the repository lacks is not within its history; whether one is can’t be said while it can’t be read', async (t) => {
  const box = sandbox(t)
  const head = box.git(['rev-parse', 'HEAD'])
  assert.deepEqual(
    [await isAncestor(box.repository, head, head), await isAncestor(box.repository, '1'.repeat(40), head)],
    [true, false],
  )
  appendFileSync(join(box.repository, '.git/config'), '[half')
  await assert.rejects(isAncestor(box.repository, head, head), /bad config line/)
})
