import assert from 'node:assert/strict'
import { execSync } from 'node:child_process'
import { mkdirSync, readdirSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Settings } from '../../../src/domain/settings/schema.ts'
import { sweepHome } from '../../../src/runtime/worker/sweep-home.ts'
import { openStore } from '../../../src/store/open-store.ts'
import { DEFAULTS, setBench } from '../../activities/support.ts'
import { boundByPermissions, LEAVES_LOCKED, removeLocked, removeLockedAfter } from '../../support/bound.ts'
import { insertSession, newSession } from '../../support/store.ts'

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

  test('what a killed push left goes after a day', async (t) => {
    const bench = await setBench(t)
    const pushes = join(bench.shop.sessionsFolder, '.push')
    for (const name of ['s-old', 's-new']) mkdirSync(join(pushes, name, 'git'), { recursive: true })
    const then = new Date(Date.now() - 25 * 3_600_000)
    utimesSync(join(pushes, 's-old'), then, then)
    await sweepHome(bench.shop, DEFAULTS)
    assert.deepEqual(readdirSync(pushes), ['s-new'])
  })

  test('artifacts go after the days that the settings say, by default ten [S2-29]', async (t) => {
    const bench = await setBench(t)
    const { ref } = await bench.shop.artifacts.put('a prompt')
    const days = (count: number) => new Date(Date.now() - count * 86_400_000)
    const hash = ref.slice('sha256:'.length)
    utimesSync(join(bench.home, 'artifacts/fix-logs', hash.slice(0, 2), hash), days(30), days(30))
    const store = await openStore(join(bench.home, 'of-then.db'), { now: () => days(9) })
    t.after(() => store.close())
    mkdirSync(bench.shop.sessionsFolder, { recursive: true })
    const sweep = (artifacts: Partial<Settings['artifacts']>) =>
      sweepHome({ ...bench.shop, store }, { ...DEFAULTS, artifacts: { ...DEFAULTS.artifacts, ...artifacts } })
    await insertSession(store, newSession('s-then'))
    await store.artifacts.link({ session_id: 's-then', ref, kind: 'prompt', name: 'fix' })
    await store.sessions.update('s-then', { status: 'completed' })
    await sweep({})
    assert.equal(DEFAULTS.artifacts.retention_days, 10)
    assert.equal(await bench.shop.artifacts.getText(ref), 'a prompt')
    await sweep({ retention_days: 8 })
    await assert.rejects(bench.shop.artifacts.getText(ref), /is gone/)
  })
})
