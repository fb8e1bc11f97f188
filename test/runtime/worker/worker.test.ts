// What makes a worker quick, seen from outside while it works: its results are the same without.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { findMarkedProcesses } from '../../../src/platform/processes/marked-processes.ts'
import { findLiveInstance } from '../../../src/runtime/instance/instance-file.ts'
import { checkInvariants } from '../../support/invariants.ts'
import { setMadeStage } from '../../support/session.ts'

test('git is run by a helper of the worker, and the challenger from its compiled code', async (t) => {
  const stage = await setMadeStage(t, 1, {
    scenario: { faults: [{ match: { role: 'fix_challenger' }, fault: { kind: 'hold' } }] },
  })
  const fix = stage.start(stage.made.findings)
  await stage.model.waitFor({ role: 'fix_challenger' }, { timeoutMs: 60_000 })
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

/** Nothing of one that has ended meanwhile. */
function about(pid: string | number, what: 'status' | 'cmdline' | 'environ'): string {
  try {
    return readFileSync(`/proc/${pid}/${what}`, 'latin1')
  } catch {
    return ''
  }
}
