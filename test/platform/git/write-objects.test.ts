// Objects that are written here are those that git would have written.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { runGitInProcess } from '../../../src/platform/git/execute.ts'
import { setGitRunner } from '../../../src/platform/git/git.ts'
import { runWithLastingGit } from '../../../src/platform/git/lasting-git.ts'
import { type IndexEntry, writeChangedTree, writeCommit, writeObject } from '../../../src/platform/git/write-objects.ts'
import { plainGit, sandbox } from './support.ts'

/** A git directory of ours, and the index of git itself beside it. */
async function openObjects(t: TestContext, { format = 'sha1' } = {}) {
  const box = sandbox(t)
  t.after(setGitRunner(runWithLastingGit(runGitInProcess)))
  const gitDir = join(box.home, 'objects.git')
  plainGit(['init', '-q', '--bare', `--object-format=${format}`, gitDir], box.home)
  const run = (args: readonly string[], input = '', env: NodeJS.ProcessEnv = {}): string =>
    execFileSync('git', args, {
      env: { PATH: process.env.PATH, GIT_DIR: gitDir, GIT_INDEX_FILE: join(box.home, 'index'), ...env },
      ...{ input, encoding: 'utf8', stdio: ['pipe', 'pipe', 'pipe'] },
    }).trim()
  const blob = (text: string): string => run(['hash-object', '-w', '--stdin'], text)
  /** As git has it: an index of the base, with the entries. */
  const makeTree = (base: string | undefined, entries: readonly IndexEntry[]): string => {
    rmSync(join(box.home, 'index'), { force: true })
    if (base !== undefined) run(['read-tree', base])
    const lines = entries.map(({ mode, sha, path }) => `${mode} ${sha}\t${path}\0`).join('')
    run(['update-index', '-z', '--index-info'], lines)
    return run(['write-tree'])
  }
  return { gitDir, run, blob, makeTree }
}

const PATHS = ['a', 'a/b', 'a/b/c', 'a/d', 'a.x', 'a-', 'a0', 'B', 'b c/"d"', 'z/y/x/w', 'z/y/v', 'é', 'z/~t', '-n']
const Entries = fc.uniqueArray(
  fc.record({ path: fc.constantFrom(...PATHS), mode: fc.constantFrom('100644', '100755', '120000', '000000') }),
  { selector: ({ path }) => path, minLength: 1 },
)

for (const format of ['sha1', 'sha256']) {
  test(`a tree with other entries is that of git's own index (${format})`, async (t) => {
    const { gitDir, blob, makeTree } = await openObjects(t, { format })
    const [old, now] = [blob('old\n'), blob('now\n')]
    let written = 0
    const toEntries = (sha: string) => (drawn: { path: string; mode: string }) => ({
      ...drawn,
      path: Buffer.from(drawn.path).toString('latin1'),
      sha: drawn.mode === '000000' ? '0'.repeat(sha.length) : sha,
    })
    // Git itself refuses none of these, but one path can't be a file and a folder.
    const withoutClashes = (drawn: { path: string; mode: string }[]) =>
      drawn.filter(({ path }) => !drawn.some((other) => other.path.startsWith(`${path}/`)))
    await fc.assert(
      fc.asyncProperty(Entries, Entries, async (first, then) => {
        const base = makeTree(undefined, withoutClashes(first).map(toEntries(old)))
        const entries = withoutClashes(then).map(toEntries(now))
        const expected = makeTree(base, entries)
        const tree = await writeChangedTree(gitDir, base, entries)
        if (tree === undefined) return
        written += 1
        assert.equal(tree, expected)
      }),
      { numRuns: 15 },
    )
    assert.ok(written > 0)
  })
}

test('what is written is sound, and found by git', async (t) => {
  const { gitDir, run, makeTree } = await openObjects(t)
  const empty = makeTree(undefined, [])
  const sha = writeObject(gitDir, 'blob', Buffer.from('text\n'), empty)
  assert.equal(writeObject(gitDir, 'blob', Buffer.from('text\n'), empty), sha)
  const tree = await writeChangedTree(gitDir, empty, [{ mode: '100644', sha, path: 'folder/file' }])
  assert.equal(run(['cat-file', '-p', `${tree}:folder/file`]), 'text')
  assert.equal(run(['fsck', '--strict', '--no-dangling']), '')
})

test('names, modes and objects that git refuses are left to it', async (t) => {
  const { gitDir, blob, makeTree } = await openObjects(t)
  const [base, sha] = [makeTree(undefined, []), blob('x')]
  const names = [
    '.git/config',
    '.GIT/x',
    'a/.git',
    'git~1',
    '../x',
    './x',
    'a//b',
    '/x',
    'a\\b',
    'a:b',
    '.g\xe2\x80\x8cit/x',
    '',
  ]
  const refused = [
    ...names.map((path) => ({ mode: '100644', sha, path })),
    { mode: '040000', sha: base, path: 'folder' },
    { mode: '100644', sha: 'f'.repeat(40), path: 'missing' },
    { mode: '100644', sha: base, path: 'no-blob' },
  ]
  for (const entry of refused) assert.equal(await writeChangedTree(gitDir, base, [entry]), undefined, entry.path)
  const clash = [
    { mode: '100644', sha, path: 'a' },
    { mode: '000000', sha: '0'.repeat(40), path: 'a/b' },
  ]
  assert.equal(await writeChangedTree(gitDir, base, clash), undefined)
  assert.equal(await writeChangedTree(gitDir, sha, [{ mode: '100644', sha, path: 'a' }]), undefined)
})

test('a commit is that of commit-tree, and odd ones are left to it', async (t) => {
  const { gitDir, run, makeTree, blob } = await openObjects(t)
  const tree = makeTree(undefined, [{ mode: '100644', sha: blob('x'), path: 'x' }])
  const commitTree = (name: string, email: string, seconds: number, message: string, parents: string[]) => {
    const date = `${seconds} +0000`
    return run(['commit-tree', tree, ...parents], message, {
      ...{ GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_AUTHOR_DATE: date },
      ...{ GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email, GIT_COMMITTER_DATE: date },
    })
  }
  const parent = commitTree('A', 'a@b', 1_600_000_000, 'first\n', [])
  const plain = ['Ada Lovelace', 'Zoë Müller-Łuk', "O'Neil", 'x', '日本 太郎', 'a.b', 'a, b']
  for (const [index, name] of plain.entries()) {
    const [email, seconds, message] = ['ada@example.org', 1_700_000_000 + index, `fix: ${name}\n\nAll of it — 日本.\n`]
    const lines = { tree, parent, message, seconds, identity: { name, email } }
    assert.equal(await writeCommit(gitDir, lines), commitTree(name, email, seconds, message, ['-p', parent]), name)
  }
  const odd = ['', ' Ada', 'Ada.', '<Ada>', 'A\nB', '"Ada"', 'Ada ', 'Ada\u0007', "Ada'"]
  for (const name of odd) {
    const lines = { tree, parent, message: 'm\n', seconds: 1_700_000_000, identity: { name, email: 'a@b' } }
    assert.equal(await writeCommit(gitDir, lines), undefined, JSON.stringify(name))
  }
  const usual = { tree, parent, message: 'm\n', seconds: 1_700_000_000, identity: { name: 'Ada', email: 'a@b' } }
  const unusual = [{ message: 'a\0b' }, { seconds: 5 }, { tree: parent }, { parent: tree }, { parent: 'f'.repeat(40) }]
  for (const each of unusual)
    assert.equal(await writeCommit(gitDir, { ...usual, ...each }), undefined, JSON.stringify(each))
})
