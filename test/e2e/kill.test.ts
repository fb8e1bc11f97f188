// kill -9 at any moment: the worker, the Temporal server, both, the command that waits; while a CLI runs, right after a commit,
// and after every fourth event of a history. What comes of it must be what comes of it undisturbed, with at most the call that
// was in flight made again.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { checkInvariants } from '../support/invariants.ts'
import { assertCallsAtMostTwice, kill, killAfterEvents, QUICK, type Victim } from '../support/killing.ts'
import { type E2eStage, setMadeStage } from '../support/session.ts'

/** Python and JavaScript, so that there are two batches and two stages, the first of which becomes two commits. */
const THREE = [0, 1, 6]

const VICTIMS: readonly (readonly Victim[])[] = [['worker'], ['Temporal'], ['worker', 'Temporal']]

type KillStage = Awaited<ReturnType<typeof setKillStage>>

describe('a session goes on after kill -9', () => {
  test('of nothing, to know what it comes to', async (t) => {
    const stage = await setKillStage(t)
    const { result } = await stage.fix(findings(stage))
    undisturbed = branchOf(stage, result?.branch_name)
    await checkInvariants(stage)
  })

  for (const victims of VICTIMS) {
    test(`of the ${victims.join(' and the ')} while the fixer runs`, async (t) => {
      const stage = await setKillStage(t)
      stage.model.setScenario({
        ...stage.made.scenario,
        faults: [{ match: { role: 'fixer', nth: 1 }, fault: { kind: 'hold' } }],
      })
      const fix = stage.start(findings(stage))
      await stage.model.waitFor({ role: 'fixer' })
      kill(stage, victims)
      stage.model.release()
      await endsWell(stage, fix)
    })

    test(`of the ${victims.join(' and the ')} right after a commit`, async (t) => {
      const stage = await setKillStage(t)
      const fix = stage.start(findings(stage))
      await fix.says(/✔/)
      kill(stage, victims)
      await endsWell(stage, fix)
    })
  }

  test('of everything, and the same command again joins the session', async (t) => {
    const stage = await setKillStage(t)
    stage.model.setScenario({
      ...stage.made.scenario,
      faults: [{ match: { role: 'fix_challenger', nth: 1 }, fault: { kind: 'hold' } }],
    })
    const first = stage.start(findings(stage))
    await stage.model.waitFor({ role: 'fix_challenger' })
    first.child.kill('SIGKILL')
    kill(stage, ['worker', 'Temporal'])
    await first.ended
    stage.model.release()

    const again = stage.start(findings(stage))
    await again.says(/joining session/)
    await endsWell(stage, again)
    assert.equal((await stage.sessions()).length, 1)
  })
})

// After every single event: test/slow.
test('kill -9 of the worker after every fourth event of a history changes nothing', {
  timeout: 480_000,
}, async (t) => {
  await killAfterEvents(t, { first: 1, step: 4 })
})

async function setKillStage(t: Parameters<typeof setMadeStage>[0]) {
  return await setMadeStage(t, 7, { server: 'own', environment: QUICK })
}

function findings({ made }: KillStage): unknown {
  return { issues: THREE.map((index) => made.findings.issues[index]) }
}

/** What is on the branch, as it has to be whatever was killed: trees and messages, but for the session's id in them. */
function branchOf(stage: E2eStage, branch: string | null | undefined): string {
  return stage.git('log', '--format=%T%n%B', `main..${branch}`).replace(/Fixwright-Session: .*/g, '')
}

let undisturbed: string | undefined

async function endsWell(stage: KillStage, fix: ReturnType<E2eStage['start']>): Promise<void> {
  const { status, stderr, result } = await fix.ended
  assert.equal(status, 0, stderr)
  assert.equal(result?.commits.length, 3)
  assert.equal(branchOf(stage, result?.branch_name), undisturbed)
  assertCallsAtMostTwice(stage)
  await checkInvariants(stage)
}
