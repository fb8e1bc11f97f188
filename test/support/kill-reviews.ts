// kill -9 of the worker at random moments of review-fix and of review-pr: what the short and the long run of it share. The moments are events
// of the history, drawn in the same way in every run.
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { ScenarioInput } from '../../rehearsal/scenario.ts'
import { checkInvariants } from './invariants.ts'
import { assertCallsAtMostTwice, killAfterEvent, QUICK } from './killing.ts'
import { REVIEW, setReviewStage } from './review.ts'
import type { E2eStage } from './session.ts'
import { setVoteStage } from './votes.ts'

interface Killed {
  readonly scenario: ScenarioInput
  readonly set: (t: TestContext) => Promise<E2eStage>
  readonly args: readonly string[]
  readonly status: number
  /** What has to be the same whatever was killed. */
  readonly outcome: (stage: E2eStage) => Promise<object>
}

/** Events of the last step: after them the instance may have left by itself. */
const LAST_STEP = 8

const GUARD = 'def mean(items):\n    if not items:\n        return 0\n'

const FIXING: ScenarioInput = {
  review: REVIEW,
  issues: {
    F002: {
      fixes: [{ steps: [{ tool: 'edit', file: 'shop/cart.py', old: 'def mean(items):\n', new: GUARD }] }],
      scores: [97],
    },
    F005: { fixes: [{ status: 'blocked', summary: 'The rate is out of scope of this change.' }] },
  },
}
const VOTING: ScenarioInput = { votes: { claude: { vote: 85 }, gemini: { vote: 78 } } }

export const KILLED = {
  'review-fix': {
    scenario: FIXING,
    set: async (t) => await setReviewStage(t, { attempts: 1, environment: QUICK, scenario: FIXING }),
    args: ['--base', 'main', '--spec', 'specs/shop'],
    status: 1,
    outcome: async (stage) => {
      const [session] = await stage.sessions()
      const { findings, review, results = [] } = session?.result ?? {}
      const { leftovers = [], ...counts } = findings ?? {}
      const { confirmed, refuted, unverified, merged } = review ?? {}
      return {
        ...{ counts, confirmed, refuted, unverified, merged },
        leftovers: leftovers.map(({ id, status, attempts }) => [id, status, attempts.length]),
        results: results.map(({ issue_code, status, iterations }) => [issue_code, status, iterations]),
        trees: stage.git('log', '--format=%T', `feature..${session?.branch_name}`),
      }
    },
  },
  'review-pr': {
    scenario: VOTING,
    set: async (t) => await setVoteStage(t, VOTING, { environment: QUICK }),
    args: ['--base', 'main', '--head', 'feature'],
    status: 0,
    outcome: async (stage) => {
      const [session] = await stage.sessions()
      const { record_ref: _, ...votes } = session?.result?.votes ?? { record_ref: '' }
      // The commits have the times at which the stage was set.
      return { ...votes, base: '', head: '' }
    },
  },
} as const satisfies Readonly<Record<string, Killed>>

/** Every round has a stage of its own: a review knows what the one before it found. */
export async function killAtMoments(t: TestContext, command: keyof typeof KILLED, rounds: number): Promise<void> {
  const killed: Killed = KILLED[command]
  const whole = await killed.set(t)
  await run(whole, command)
  const undisturbed = await killed.outcome(whole)
  const [session] = await whole.sessions()
  const [history] = await whole.histories(session?.session_id ?? '')
  const events = history?.events?.length ?? 0
  await checkInvariants(whole)
  assert.ok(events > 20, `${events} events`)
  let kills = 0
  for (const moment of drawMoments(rounds, events - LAST_STEP)) {
    const stage = await killed.set(t)
    const running = stage.command(command, '--repo', stage.repository, ...killed.args)
    const [how, { status, stderr }] = await Promise.all([killAfterEvent(stage, moment), running.ended])
    assert.equal(status, killed.status, `${command} killed after event ${moment} of ${events}:\n${stderr}`)
    assert.deepEqual(await killed.outcome(stage), undisturbed, `${command} killed after event ${moment} of ${events}`)
    assertCallsAtMostTwice(stage)
    assert.equal((await stage.sessions()).length, 1)
    // Killed after the session's last step, only the next instance removes what its predecessor left.
    if (how === 'killed') await tidyUp(stage)
    await checkInvariants(stage)
    if (how === 'killed') kills += 1
  }
  assert.ok(kills >= rounds / 2, `${kills} of ${rounds} sessions were killed`)
}

async function run(stage: E2eStage, command: keyof typeof KILLED): Promise<void> {
  const { args, status } = KILLED[command]
  const ended = await stage.command(command, '--repo', stage.repository, ...args).ended
  assert.equal(ended.status, status, ended.stderr)
}

async function tidyUp(stage: E2eStage): Promise<void> {
  const up = stage.command('up')
  await up.says(/up until Ctrl-C/)
  up.child.kill('SIGINT')
  await up.ended
}

/** Numbers from 1 to `most`, from a linear congruential generator: a moment that failed comes again. */
function drawMoments(count: number, most: number): number[] {
  let state = 16
  return Array.from({ length: count }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return 1 + Math.floor((state / 2 ** 31) * most)
  })
}
