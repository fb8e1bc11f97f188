import assert from 'node:assert/strict'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { hasSameChanges } from '../../../../src/platform/git/workspace/commits.ts'
import { detectAgentGitUse } from '../../../../src/platform/git/workspace/detect-git-use.ts'
import { openLane } from '../../../../src/platform/git/workspace/lanes.ts'
import {
  createSnapshot,
  ignorePaths,
  readSnapshot,
  resetWorkTree,
} from '../../../../src/platform/git/workspace/snapshot-and-reset.ts'
import { removeWorkspace } from '../../../../src/platform/git/workspace/workspace.ts'
import { AT, agentGit, sandbox } from '../support.ts'

test('a lane has a work tree, an index and a HEAD of its own, and shares objects and snapshots', async (t) => {
  const main = await sandbox(t).open()
  const lane = openLane(main, 2)
  await resetWorkTree(lane, main.base)
  writeFileSync(join(main.tree, 'README.md'), 'of the first lane\n')
  writeFileSync(join(lane.tree, 'README.md'), 'of the second lane\n')
  const [first, second] = await Promise.all(
    [main, lane].map((at, index) =>
      createSnapshot(at, { name: `s${index + 1}`, parent: main.base, message: '', at: AT }),
    ),
  )
  assert.notEqual(first?.tree, second?.tree)
  assert.equal((await readSnapshot(main, 's2'))?.tree, second?.tree)
  assert.equal((await readSnapshot(lane, 's1'))?.tree, first?.tree)
  await resetWorkTree(main, second?.commit ?? '')
  assert.equal(readFileSync(join(main.tree, 'README.md'), 'utf8'), 'of the second lane\n')
  assert.equal(agentGit(lane, 'log', '--format=%H'), main.base)
  assert.deepEqual(openLane(main, 2), lane)
})

test("what another lane's checks make ignored meanwhile is no trace of the agent", async (t) => {
  const main = await sandbox(t).open()
  const lane = openLane(main, 2)
  await resetWorkTree(lane, main.base)
  ignorePaths(main, ['made.txt'], [])
  assert.deepEqual((await detectAgentGitUse(lane)).violations, [])
  writeFileSync(join(lane.tree, '.git/info/exclude'), '*\n')
  assert.deepEqual((await detectAgentGitUse(lane)).violations, ['.git/info/exclude was changed'])
})

test('a lane that was left half made is made again, and all lanes go with the workspace', async (t) => {
  const main = await sandbox(t).open()
  const lane = openLane(main, 2)
  writeFileSync(join(lane.gitDir, 'HEAD.lock'), '')
  rmSync(join(lane.gitDir, 'HEAD'))
  openLane(main, 2)
  assert.equal(existsSync(join(lane.gitDir, 'HEAD.lock')), false)
  assert.ok(existsSync(join(main.gitDir, 'objects')), 'links are not followed')
  await removeWorkspace(main.directory)
  assert.equal(existsSync(lane.directory), false)
})

test('the same change on two commits is known by the contents before and after, file by file', async (t) => {
  const main = await sandbox(t).open()
  const snap = async (name: string, files: Record<string, string>) => {
    await resetWorkTree(main, main.base)
    for (const [path, text] of Object.entries(files)) writeFileSync(join(main.tree, path), text)
    return (await createSnapshot(main, { name, parent: main.base, message: '', at: AT })).commit
  }
  const ours = await snap('ours', { 'README.md': 'ours\n' })
  const theirs = await snap('theirs', { 'new.txt': 'theirs\n' })
  const both = await snap('both', { 'README.md': 'ours\n', 'new.txt': 'theirs\n' })
  const other = await snap('other', { 'README.md': 'ours, and more\n', 'new.txt': 'theirs\n' })
  const own = { from: main.base, to: ours }
  assert.equal(await hasSameChanges(main, own, { from: theirs, to: both }), true)
  assert.equal(await hasSameChanges(main, own, { from: theirs, to: other }), false)
})
