import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { type GitRequest, runGitInProcess } from '../../../../src/platform/git/execute.ts'
import { setGitRunner } from '../../../../src/platform/git/git.ts'
import { buildNoHooksConfig } from '../../../../src/platform/git/repository/disable-hooks.ts'
import { inspectRepository } from '../../../../src/platform/git/repository/inspect.ts'
import { publishBranch } from '../../../../src/platform/git/repository/publish-branch.ts'
import { readRepositoryFacts } from '../../../../src/platform/git/repository/requirements.ts'
import { commitTree } from '../../../../src/platform/git/workspace/commits.ts'
import { AT, AUTHOR, sandbox } from '../support.ts'

function knowsThem(): boolean {
  const [, major = '0', minor = '0'] =
    /(\d+)\.(\d+)/.exec(execFileSync('git', ['--version'], { encoding: 'utf8' })) ?? []
  return Number(major) * 1000 + Number(minor) >= 2054
}

test('hooks that stand in the configuration, as git takes them since 2.54, are switched off by their names where a branch moves', async (t) => {
  const box = sandbox(t)
  assert.deepEqual(await buildNoHooksConfig(box.repository), [])
  const trap = join(box.home, 'trap')
  writeFileSync(trap, `#!/bin/sh\n: > '${box.home}/ran'\n`, { mode: 0o755 })
  for (const name of ['evil', 'of=odd.name']) {
    box.git(['config', `hook.${name}.event`, 'reference-transaction'])
    box.git(['config', `hook.${name}.command`, trap])
  }
  assert.deepEqual(await buildNoHooksConfig(box.repository), [
    ['hook.evil.enabled', 'false'],
    ['hook.of=odd.name.enabled', 'false'],
  ])
  const workspace = await box.open()
  const tree = box.git(['rev-parse', 'HEAD^{tree}'])
  const commit = await commitTree(workspace, { tree, parent: workspace.base, message: 'x', author: AUTHOR, at: AT })
  assert.deepEqual(await publishBranch({ workspace, branch: 'fix/x', commit, expected: undefined }), {
    kind: 'published',
  })
  assert.equal(existsSync(join(box.home, 'ran')), false)
  if (!knowsThem()) return
  box.git(['branch', 'by-hand'])
  assert.equal(existsSync(join(box.home, 'ran')), true, 'without protection it runs')
})

test('so are they where a repository with filters is looked at, which makes an index, before anything of it is trusted', async (t) => {
  const box = sandbox(t)
  box.write({ '.gitattributes': '*.psd filter=lfs\n', 'a.psd': 'x' })
  box.git(['add', '.'])
  box.git(['commit', '-qm', 'attributes'])
  const trap = join(box.home, 'trap')
  writeFileSync(trap, `#!/bin/sh\n: > '${box.home}/ran'\n`, { mode: 0o755 })
  box.git(['config', 'hook.evil.event', 'post-index-change'])
  box.git(['config', 'hook.evil.command', trap])
  const found = await inspectRepository(box.repository)
  assert.ok(found.kind === 'repository')
  const asked: GitRequest[] = []
  t.after(
    setGitRunner((request, signal) => {
      asked.push(request)
      return runGitInProcess(request, signal)
    }),
  )
  const { filtered } = await readRepositoryFacts({ root: found.root, config: found.config, commit: found.head })
  assert.deepEqual([...filtered.files], [['a.psd', 'lfs']])
  // The only one of these commands that writes an index, of its own, or moves a reference.
  const writing = asked.filter(({ args }) => args[0] === 'read-tree')
  assert.deepEqual(
    writing.map(({ env }) => [env.GIT_CONFIG_KEY_0, env.GIT_CONFIG_VALUE_0, env.GIT_CONFIG_GLOBAL]),
    [['hook.evil.enabled', 'false', '/dev/null']],
  )
  assert.equal(existsSync(join(box.home, 'ran')), false)
  if (!knowsThem()) return
  box.git(['read-tree', 'HEAD'])
  assert.equal(existsSync(join(box.home, 'ran')), true, 'without protection it runs')
})
