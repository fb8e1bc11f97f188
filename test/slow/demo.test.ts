// `npm run demo`, the README's first minute: it ends well without an account, and tells the whole story.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { packageRoot } from '../../src/runtime/home/package-root.ts'

test('the demo runs the checks, catches a wrong fix, survives a kill, and leaves a branch and a report', () => {
  // With it, the shop's own `node --test` takes itself for a part of this one, and tests nothing.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const { status, stdout, stderr } = spawnSync(process.execPath, ['rehearsal/demo.ts'], {
    env,
    cwd: packageRoot(),
    encoding: 'utf8',
  })
  assert.equal(status, 0, `${stdout}\n${stderr}`)
  const story = [
    /✗ red {4}python3 -m unittest/,
    /fixwright fix findings\.json --repo shop --verify/,
    /kill -9 \d+: the worker is gone/,
    /was lost with its worker; it is made again/,
    /your checks are green, and the fix is wrong/,
    /■ 7 fixed, 0 failed, 0 skipped/,
    /2 of 2 red before, 0 red now/,
  ]
  let rest = stdout
  for (const part of story) {
    const at = rest.search(part)
    assert.ok(at >= 0, `${part} is not in:\n${rest}`)
    rest = rest.slice(at)
  }
  const demo = join(packageRoot(), '.cache', 'demo')
  const [, range = ''] = /the branch: +git -C \S+ log (\S+)/.exec(rest) ?? []
  const commits = execFileSync('git', ['-C', join(demo, 'rehearsal-shop'), 'log', '--format=%s', range], {
    encoding: 'utf8',
  })
  assert.equal(commits.trim().split('\n').length, 7)
  assert.match(readFileSync(join(demo, 'report.html'), 'utf8'), /SHOP-001/)
})
