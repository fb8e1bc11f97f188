import assert from 'node:assert/strict'
import { execSync } from 'node:child_process'
import { mkdirSync, readdirSync, symlinkSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Settings } from '../../../src/domain/settings/schema.ts'
import { locateHome } from '../../../src/runtime/home/home.ts'
import { sweepHome } from '../../../src/runtime/worker/sweep-home.ts'
import { openStore } from '../../../src/store/open-store.ts'
import { DEFAULTS, setBench } from '../../activities/support.ts'
import { boundByPermissions, LEAVES_LOCKED, removeLocked, removeLockedAfter } from '../../support/bound.ts'
import { insertSession, newSession } from '../../support/store.ts'

const homeOf = ({ home }: { readonly home: string }) => locateHome({ FIXWRIGHT_HOME: home })

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
    const left = await sweepHome(bench.shop, DEFAULTS, homeOf(bench))
    assert.deepEqual(readdirSync(bench.shop.sessionsFolder).sort(), ['s-0-locked', 's-lives'])
    assert.deepEqual(
      left.map(({ path }) => path),
      [locked],
    )
    removeLocked(join(locked, 'workspace'))
    assert.deepEqual(await sweepHome(bench.shop, DEFAULTS, homeOf(bench)), [])
    assert.deepEqual(readdirSync(bench.shop.sessionsFolder), ['s-lives'])
  })

  test('what a killed push left goes after a day', async (t) => {
    const bench = await setBench(t)
    const pushes = join(bench.shop.sessionsFolder, '.push')
    for (const name of ['s-old', 's-new']) mkdirSync(join(pushes, name, 'git'), { recursive: true })
    // To stat, it is as gone as a folder that vanished after the listing.
    symlinkSync('nowhere', join(pushes, 's-gone'))
    const then = new Date(Date.now() - 25 * 3_600_000)
    utimesSync(join(pushes, 's-old'), then, then)
    await sweepHome(bench.shop, DEFAULTS, homeOf(bench))
    assert.deepEqual(readdirSync(pushes).sort(), ['s-gone', 's-new'])
  })

  test('what killed fetches and clones left goes after a day, and a repository that has a record stays, also removed', async (t) => {
    const bench = await setBench(t)
    const { repositories, path } = homeOf(bench)
    const [known, removed] = ['repo-00000000000000aa', 'repo-00000000000000bb']
    const old = ['.fetch-old', 'repo-00000000000000cc', 'somebody', known, removed]
    for (const name of [...old, '.fetch-new', 'repo-00000000000000dd'])
      mkdirSync(join(repositories, name, '.git'), { recursive: true })
    for (const id of [known, removed])
      await bench.shop.store.repositories.add({
        repository_id: id,
        path: join(repositories, id),
        url: `https://h/${id}`,
      })
    await bench.shop.store.repositories.remove(removed)
    for (const name of ['1', '2']) mkdirSync(join(path, 'fetch', name), { recursive: true })
    const then = new Date(Date.now() - 25 * 3_600_000)
    for (const name of [...old.map((each) => join(repositories, each)), join(path, 'fetch/1')])
      utimesSync(name, then, then)
    mkdirSync(bench.shop.sessionsFolder, { recursive: true })
    await sweepHome(bench.shop, DEFAULTS, homeOf(bench))
    assert.deepEqual(readdirSync(repositories).sort(), [
      '.fetch-new',
      known,
      removed,
      'repo-00000000000000dd',
      'somebody',
    ])
    assert.deepEqual(readdirSync(join(path, 'fetch')), ['2'])
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
      sweepHome(
        { ...bench.shop, store },
        { ...DEFAULTS, artifacts: { ...DEFAULTS.artifacts, ...artifacts } },
        homeOf(bench),
      )
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
