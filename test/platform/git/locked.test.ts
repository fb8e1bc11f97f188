// Work trees with folders that are locked: by an agent, or for good, by a check that worked as another user.
import assert from 'node:assert/strict'
import { execSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { detectAgentGitUse } from '../../../src/platform/git/workspace/detect-git-use.ts'
import { createSnapshot, resetWorkTree } from '../../../src/platform/git/workspace/snapshot-and-reset.ts'
import { boundByPermissions, LEAVES_LOCKED, LOCKS_TREE, REGENERATES, removeLockedAfter } from '../../support/bound.ts'
import { AT, sandbox } from './support.ts'

boundByPermissions(import.meta.filename, () => {
  test('what can’t be removed is in no snapshot, and keeps no reset from its work', async (t) => {
    removeLockedAfter(t, () => box.home)
    const box = sandbox(t)
    const workspace = await box.open()
    for (const cwd of [workspace.tree, join(workspace.tree, '.git')]) execSync(LEAVES_LOCKED, { cwd })
    box.write({ 'README.md': 'x', '.gitignore': 'hidden', hidden: 'x' }, workspace.tree)
    await resetWorkTree(workspace, workspace.base)
    assert.deepEqual(
      ['left', 'hidden'].map((name) => existsSync(join(workspace.tree, name))),
      [true, false],
    )
    assert.deepEqual(await detectAgentGitUse(workspace), { observations: [], violations: [] })
    const { tree } = await createSnapshot(workspace, { name: 'a', parent: workspace.base, at: AT, message: '' })
    assert.equal(tree, box.git(['rev-parse', 'HEAD^{tree}']))
  })

  test('a tree that can’t be listed is made anew, or opened where it is ours', async (t) => {
    removeLockedAfter(t, () => box.home)
    const box = sandbox(t)
    const workspace = await box.open()
    for (const command of [LOCKS_TREE, 'chmod 000 .']) {
      box.write({ 'README.md': 'x' }, workspace.tree)
      execSync(command, { cwd: workspace.tree })
      await resetWorkTree(workspace, workspace.base)
      const { tree } = await createSnapshot(workspace, { name: 'a', parent: workspace.base, at: AT, message: '' })
      assert.equal(tree, box.git(['rev-parse', 'HEAD^{tree}']))
    }
  })

  test('a folder of the repository, or its git, that is another user’s is ours again, and can be written into', async (t) => {
    removeLockedAfter(t, () => box.home)
    const box = sandbox(t)
    const workspace = await box.open()
    const gives = REGENERATES.replace(/.*&& /, '')
    for (const command of [REGENERATES, gives, gives.replace('src', '.git')]) {
      execSync(command, { cwd: workspace.tree })
      await resetWorkTree(workspace, workspace.base)
      box.write({ 'src/new.py': 'x' }, workspace.tree)
      await resetWorkTree(workspace, workspace.base)
      const { tree } = await createSnapshot(workspace, { name: 'a', parent: workspace.base, at: AT, message: '' })
      assert.equal(tree, box.git(['rev-parse', 'HEAD^{tree}']))
    }
  })

  test('an agent that locks its tree and its git keeps nobody from seeing what it did there', async (t) => {
    const box = sandbox(t)
    const workspace = await box.open()
    const git = join(workspace.tree, '.git')
    mkdirSync(join(git, 'hooks'))
    box.write({ 'hooks/pre-commit': 'x' }, git)
    for (const folder of [join(git, 'hooks'), join(git, 'refs/heads'), workspace.tree]) chmodSync(folder, 0o000)
    assert.deepEqual(await detectAgentGitUse(workspace), {
      observations: [],
      violations: ['.git/hooks/pre-commit was created'],
    })
  })
})
