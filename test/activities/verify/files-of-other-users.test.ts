// What checks leave that the worker may not remove or read, as `docker compose run` does that works as root on the session's tree: no
// result, no status and no last event is lost by it, and what stays is told with the command that removes it.
import assert from 'node:assert/strict'
import { execSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { Settings } from '../../../src/domain/settings/schema.ts'
import type { GateInput } from '../../../src/domain/workflow-types/index.ts'
import {
  boundByPermissions,
  CAN_GIVE_AWAY,
  LEAVES_LOCKED,
  LOCKS_TREE,
  REGENERATES,
  removeLockedAfter,
} from '../../support/bound.ts'
import { setBench, verifiedBy } from '../support.ts'

/** No other test's: what carries its name in its marker is ended when that is closed. */
const SESSION = `s-${randomUUID()}`

async function setSession(t: TestContext, commands: readonly string[], more: Partial<Settings['verification']> = {}) {
  removeLockedAfter(t, () => bench.home)
  const bench = await setBench(t)
  await bench.session(SESSION, { A: 'src/app.py' }, verifiedBy(commands, { fail_fast: false, ...more }))
  const { base } = await bench.run('openSession', { sessionId: SESSION })
  await bench.run('verifyBaseline', { sessionId: SESSION, stepId: 'base', head: base })
  const asked = (call: string, snapshot: string): GateInput => {
    const picks = [{ snapshot, codes: ['A'] }]
    return {
      sessionId: SESSION,
      stepId: call,
      head: base,
      selections: picks,
      codes: ['A'],
      iteration: 1,
      inFreshCheckout: true,
    }
  }
  const warnings = async () => {
    const events = await bench.store.events.listAfter(SESSION)
    return events.filter(({ type, data }) => type === 'fix_log' && data.level !== 'note').map(({ message }) => message)
  }
  const runs = async (name: string): Promise<string[]> => {
    const [kept] = await bench.store.artifacts.listForSession(SESSION, { kind: 'verdict', name })
    const { verification } = JSON.parse(await bench.shop.artifacts.getText(kept?.ref ?? ''))
    return verification.map(({ outcome }: { outcome: string }) => outcome)
  }
  return {
    bench,
    base,
    warnings,
    runs,
    verify: (call: string, fix: string) => bench.run('verifyTree', asked(call, fix)),
  }
}

boundByPermissions(import.meta.filename, () => {
  test('a fresh checkout that can’t be removed is told and its result stands; the next one of its name is empty all the same', async (t) => {
    const { bench, warnings, runs, verify } = await setSession(t, [`test ! -e left && ${LEAVES_LOCKED}`])
    const { directory } = bench.workspace(SESSION)
    const killed = join(directory, 'checkouts/s1.fresh1/tree')
    mkdirSync(killed, { recursive: true })
    execSync(LEAVES_LOCKED, { cwd: killed })
    await bench.fixed(SESSION, 'fix1', { 'src/app.py': 'x = 1\n' }, 'A')
    await verify('s1.fresh1', 'fix1')
    await verify('s1.fresh2', 'fix1')
    assert.deepEqual([await runs('s1.fresh1'), await runs('s1.fresh2')], [['passed'], ['passed']])
    const [told = '', ...more] = await warnings()
    assert.deepEqual(more, [])
    const said = /^a fresh checkout could not be removed whole: the rest of it is (\S+) \(E\w+: /.exec(told)
    assert.ok(said?.[1]?.startsWith(directory) && existsSync(said[1]), told)
  })

  test('the session ends with its status and its last event, and says what stays and how to remove it', async (t) => {
    const { bench, warnings } = await setSession(t, [LEAVES_LOCKED])
    const input = { sessionId: SESSION, outcomes: {}, at: Date.now() }
    const summary = await bench.run('closeSession', input)
    assert.equal((await bench.store.sessions.get(SESSION))?.status, summary.status)
    assert.equal((await bench.store.events.findLast(SESSION))?.type, 'fix_session_completed')
    const folder = join(bench.shop.sessionsFolder, SESSION)
    const [told = '', ...more] = await warnings()
    assert.deepEqual(more, [])
    assert.match(
      told,
      new RegExp(`^${folder} could not be removed \\(E\\w+: .*\\. To remove it: sudo rm -rf ${folder}$`),
    )
    assert.deepEqual(readdirSync(folder), ['workspace'])
    assert.throws(() => bench.workspace(SESSION), 'it is no workspace any more')
    assert.deepEqual(await bench.run('closeSession', input), summary)
  })

  test('a command that locks the work tree has failed; the next one has a tree [S4-15]', async (t) => {
    const finds = 'test -f README.md'
    const { bench, runs, verify } = await setSession(t, ['chmod 000 .', finds, LOCKS_TREE, finds], {
      reports: ['*.xml'],
    })
    const locked = 'failed: it removed the work tree'
    assert.deepEqual(await runs('base'), [locked, 'passed', locked, 'passed'])
    await bench.fixed(SESSION, 'fix1', { 'src/app.py': 'x = 1\n' }, 'A')
    await verify('s1.fresh1', 'fix1')
    assert.deepEqual(await runs('s1.fresh1'), [locked, 'passed', locked, 'passed'])
  })

  test('a command that makes a folder of the repository anew as another user leaves the next one what is verified [S4-15]', async (t) => {
    const finds = 'grep -q "return 1" src/app.py && test -f made'
    const { bench, runs, verify } = await setSession(t, [REGENERATES, finds], { setup: ['touch made'] })
    assert.deepEqual(await runs('base'), ['passed', 'passed'])
    await bench.fixed(SESSION, 'fix1', { 'new.py': 'x = 1\n' }, 'A')
    await verify('s1.fresh1', 'fix1')
    assert.deepEqual(await runs('s1.fresh1'), ['passed', 'passed'])
  })

  test('a setup that gives a folder away has failed; one that only locks it has not [S4-15]', async (t) => {
    const { runs } = await setSession(t, ['test -f src/app.py'], { setup: ['chmod 000 src'] })
    assert.deepEqual(await runs('base'), ['passed'])
    if (!CAN_GIVE_AWAY) return
    await assert.rejects(setSession(t, ['true'], { setup: [REGENERATES] }), /failed: it gave src to another user on/)
  })

  test('reports in a folder that a command locks are none [S4-15]', async (t) => {
    const writes = 'mkdir reports && touch reports/a.xml && chmod 444 reports'
    const { runs } = await setSession(t, [writes, 'true'], { reports: ['reports/*.xml'] })
    assert.deepEqual(await runs('base'), ['passed', 'passed'])
  })
})
