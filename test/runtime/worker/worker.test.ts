// What makes a worker quick, seen from outside while it works: its results are the same without.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { findMarkedProcesses } from '../../../src/platform/processes/marked-processes.ts'
import { findLiveInstance } from '../../../src/runtime/instance/instance-file.ts'
import { checkInvariants } from '../../support/invariants.ts'
import { type E2eStage, setMadeStage } from '../../support/session.ts'
import { temporaryFolder } from '../../support/temporal.ts'
import { until } from '../../support/until.ts'

test('git is run by a helper of the worker, and the challenger from its compiled code', async (t) => {
  const stage = await setMadeStage(t, 1, {
    scenario: { faults: [{ match: { role: 'fix_challenger' }, fault: { kind: 'hold' } }] },
  })
  const fix = stage.start(stage.made.findings)
  await stage.model.waitFor({ role: 'fix_challenger' })
  const worker = findLiveInstance(stage.home)?.identity.pid
  const started = readdirSync('/proc').filter((pid) => about(pid, 'status').includes(`\nPPid:\t${worker}\n`))
  const helpers = started.filter((pid) => about(pid, 'cmdline').includes('/git/helper-main'))
  assert.equal(helpers.length, 1)

  const [session] = await stage.sessions()
  const challengers = findMarkedProcesses(session?.session_id ?? '').map(({ identity }) =>
    about(identity.pid, 'environ'),
  )
  const compiled = `NODE_COMPILE_CACHE=${join(stage.home.cache, 'gemini')}/`
  assert.ok(challengers.some((variables) => variables.includes(compiled)))
  stage.model.release()
  assert.equal((await fix.ended).status, 0)
  await checkInvariants(stage)
})

test('what a worker logs about a session carries its id, and about its issues theirs', async (t) => {
  const stage = await setMadeStage(t, 1)
  assert.equal((await stage.fix(stage.made.findings)).status, 0)
  const [session] = await stage.sessions()
  const [issue] = await stage.read((store) => store.issues.list())
  const completed = (type: string) =>
    readLog(stage).find(
      ({ msg, session_id, activity_type }) =>
        msg === 'Activity completed' && session_id === session?.session_id && activity_type === type,
    )
  for (const type of ['openSession', 'challengeTree', 'commitStage', 'closeSession'])
    await until(`the log tells of ${type}`, () => completed(type) !== undefined)
  const fix = completed('fixBatch')
  assert.deepEqual(
    [fix?.step_id, fix?.issue_codes, fix?.issue_ids],
    ['s1.i1.b1.fix', [issue?.issue_code], [issue?.issue_id]],
  )
  const errors = readLog(stage).filter(({ level }) => level === 'error')
  assert.deepEqual(errors, [])
})

const QUIET_MS = 3_000

test('while a model thinks, neither the instance nor the command sets a timer of less than 100 ms, and the command loads no client of Temporal', async (t) => {
  const folder = temporaryFolder('timers')
  t.after(() => folder.remove())
  const timers = join(folder.path, 'timers')
  const imports = join(folder.path, 'imports')
  const recorder = new URL('../../support/record-short-timers.ts', import.meta.url).href
  const loading = new URL('../../support/record-temporal-imports.ts', import.meta.url).href
  const stage = await setMadeStage(t, 1, {
    scenario: { faults: [{ match: { role: 'fixer' }, fault: { kind: 'hold' } }] },
    environment: {
      NODE_OPTIONS: `--import=${recorder} --import=${loading}`,
      FIXWRIGHT_TEST_TIMERS: timers,
      FIXWRIGHT_TEST_IMPORTS: imports,
    },
  })
  const fix = stage.start(stage.made.findings)
  await stage.model.waitFor({ role: 'fixer' })
  let [seen, since] = ['', performance.now()]
  // A timer that comes again and again leaves no such time.
  await until('no short timer has been set for a while', () => {
    const now = readFileSync(timers, 'utf8')
    if (now !== seen) [seen, since] = [now, performance.now()]
    return performance.now() - since > QUIET_MS
  })
  for (const pid of [fix.child.pid, findLiveInstance(stage.home)?.identity.pid])
    assert.ok(seen.includes(`${pid} is recorded`), `process ${pid}`)
  const instance = findLiveInstance(stage.home)?.identity.pid
  stage.model.release()
  assert.equal((await fix.ended).status, 0)
  const loaded = readFileSync(imports, 'utf8')
  const isLoadedBy = (pid: number | undefined) => loaded.includes(`\n${pid} loads @temporalio/client\n`)
  assert.deepEqual([isLoadedBy(instance), isLoadedBy(fix.child.pid)], [true, false])
})

/** A line that is no JSON fails it. */
function readLog({ home }: E2eStage): Record<string, unknown>[] {
  const lines = readFileSync(join(home.logs, 'instance.log'), 'utf8').trim().split('\n')
  return lines.map((line) => JSON.parse(line))
}

/** Nothing of one that has ended meanwhile. */
function about(pid: string | number, what: 'status' | 'cmdline' | 'environ'): string {
  try {
    return readFileSync(`/proc/${pid}/${what}`, 'latin1')
  } catch {
    return ''
  }
}
