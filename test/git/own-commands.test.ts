import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { commitTree } from '../../src/git/commits.ts'
import { withoutHooks } from '../../src/git/own-commands.ts'
import { publish } from '../../src/git/publish.ts'
import { AT, AUTHOR, sandbox } from './sandbox.ts'

test('hooks that stand in the configuration, as git takes them since 2.54, are switched off by their names where a branch moves', async (t) => {
  const box = sandbox(t)
  assert.deepEqual(await withoutHooks(box.repository), [])
  const trap = join(box.home, 'trap')
  writeFileSync(trap, `#!/bin/sh\n: > '${box.home}/ran'\n`, { mode: 0o755 })
  for (const name of ['evil', 'of=odd.name']) {
    box.git(['config', `hook.${name}.event`, 'reference-transaction'])
    box.git(['config', `hook.${name}.command`, trap])
  }
  assert.deepEqual(await withoutHooks(box.repository), [
    ['hook.evil.enabled', 'false'],
    ['hook.of=odd.name.enabled', 'false'],
  ])
  const workspace = await box.open()
  const tree = box.git(['rev-parse', 'HEAD^{tree}'])
  const commit = await commitTree(workspace, { tree, parent: workspace.base, message: 'x', author: AUTHOR, at: AT })
  assert.deepEqual(await publish({ workspace, branch: 'fix/x', commit, expected: undefined }), { kind: 'published' })
  assert.equal(existsSync(join(box.home, 'ran')), false)
  const [, major = '0', minor = '0'] =
    /(\d+)\.(\d+)/.exec(execFileSync('git', ['--version'], { encoding: 'utf8' })) ?? []
  if (Number(major) * 1000 + Number(minor) < 2054) return
  box.git(['branch', 'by-hand'])
  assert.equal(existsSync(join(box.home, 'ran')), true, 'without protection it runs')
})
