// What the attributes of a tree would have git do to its files on the way in and out: nothing of it happens here.
import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { detectAgentGitUse } from '../../../src/platform/git/workspace/detect-git-use.ts'
import { createSnapshot, resetWorkTree } from '../../../src/platform/git/workspace/snapshot-and-reset.ts'
import { AT, agentGit, type Sandbox, sandbox } from './support.ts'

const POINTER = `version https://git-lfs.github.com/spec/v1\noid sha256:${'0a'.repeat(32)}\nsize 12345\n`

/** Bytes that are in the tree as no git with these attributes would have put them there. */
const UNLIKE: Readonly<Record<string, Buffer>> = {
  'crlf.txt': Buffer.from('one\r\ntwo\r\n'),
  'script.bat': Buffer.from('echo\n'),
  'id.txt': Buffer.from('$Id: of long ago $\n'),
  'wide.rc': Buffer.from('\ufeffwide\n', 'utf16le'),
  'narrow.rc': Buffer.from('narrow\n'),
  'image.psd': Buffer.from(POINTER),
  'secret.key': Buffer.concat([Buffer.from('\0GITCRYPT\0'), Buffer.from([1, 2, 3, 255, 13, 10])]),
}
const ATTRIBUTES = [
  'crlf.txt text',
  '*.bat text eol=crlf',
  'id.txt ident',
  '*.rc working-tree-encoding=UTF-16',
  '*.psd filter=lfs diff=lfs merge=lfs -text',
  '*.key filter=git-crypt diff=git-crypt',
  '',
]

function commitUnlike(box: Sandbox): string {
  for (const [name, bytes] of Object.entries(UNLIKE)) writeFileSync(join(box.repository, name), bytes)
  box.git(['add', '.'])
  box.git(['commit', '-q', '-m', 'before there were attributes'])
  box.write({ '.gitattributes': ATTRIBUTES.join('\n') })
  box.git(['add', '.gitattributes'])
  box.git(['commit', '-q', '-m', 'attributes'])
  // The person's own git has what these filters need; ours must not run it.
  const trace = join(box.home, 'a-filter-ran')
  for (const filter of ['lfs', 'git-crypt']) {
    for (const way of ['clean', 'smudge', 'process']) {
      box.git(['config', `filter.${filter}.${way}`, `touch '${trace}'; cat`])
    }
    box.git(['config', `filter.${filter}.required`, 'true'])
  }
  return trace
}

test('an untouched tree is the same tree again, whatever its attributes say of line ends, ids, encodings and filters', async (t) => {
  const box = sandbox(t)
  const trace = commitUnlike(box)
  const tree = box.git(['rev-parse', 'HEAD^{tree}'])
  const workspace = await box.open()
  const taken = async (name: string) =>
    (await createSnapshot(workspace, { name, parent: workspace.base, message: '', at: AT })).tree
  for (const [name, bytes] of Object.entries(UNLIKE)) {
    assert.deepEqual(readFileSync(join(workspace.tree, name)), bytes, name)
  }
  assert.equal(agentGit(workspace, 'status', '--porcelain'), '')
  assert.equal(await taken('untouched'), tree)
  // Written again, as a formatter does that finds nothing to do: git looks at their content then.
  for (const [name, bytes] of Object.entries(UNLIKE)) writeFileSync(join(workspace.tree, name), bytes)
  assert.equal(await taken('written'), tree)
  await resetWorkTree(workspace, workspace.base)
  assert.equal(await taken('reset'), tree)
  assert.equal(agentGit(workspace, 'status', '--porcelain'), '')
  assert.deepEqual(await detectAgentGitUse(workspace), { observations: [], violations: [] })
  assert.equal(existsSync(trace), false)
})

test('what an agent changes in such a file is all that changes', async (t) => {
  const box = sandbox(t)
  commitUnlike(box)
  const workspace = await box.open()
  writeFileSync(join(workspace.tree, 'crlf.txt'), 'one\r\n2\r\n')
  const { commit } = await createSnapshot(workspace, { name: 'a', parent: workspace.base, message: '', at: AT })
  const show = ['-C', workspace.gitDir, 'diff-tree', '-r', '--numstat', workspace.base, commit]
  assert.equal(box.git(show), '1\t1\tcrlf.txt')
})
