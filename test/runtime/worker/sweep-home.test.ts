import assert from 'node:assert/strict'
import { execSync } from 'node:child_process'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { sweepHome } from '../../../src/runtime/worker/sweep-home.ts'
import { DEFAULTS, setBench } from '../../activities/support.ts'
import { boundByPermissions, LEAVES_LOCKED, removeLocked, removeLockedAfter } from '../../support/bound.ts'

boundByPermissions(import.meta.filename, () => {
  test('what an ended session left goes, a locked folder is told and left alone, and a session that lives keeps all', async (t) => {
    removeLockedAfter(t, () => bench.home)
    const bench = await setBench(t)
    await bench.session('s-lives', { A: 'src/app.py' })
    for (const name of ['s-0-locked', 's-1-gone', 's-lives']) {
      mkdirSync(join(bench.shop.sessionsFolder, name, 'workspace/tree'), { recursive: true })
    }
    const locked = join(bench.shop.sessionsFolder, 's-0-locked')
    execSync(LEAVES_LOCKED, { cwd: join(locked, 'workspace/tree') })
    const left = await sweepHome(bench.shop, DEFAULTS)
    assert.deepEqual(readdirSync(bench.shop.sessionsFolder).sort(), ['s-0-locked', 's-lives'])
    assert.deepEqual(
      left.map(({ path }) => path),
      [locked],
    )
    removeLocked(join(locked, 'workspace'))
    assert.deepEqual(await sweepHome(bench.shop, DEFAULTS), [])
    assert.deepEqual(readdirSync(bench.shop.sessionsFolder), ['s-lives'])
  })
})
