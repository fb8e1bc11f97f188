// Says what each run of setup and checks was for, and what it took.
import type { SessionEvent } from '../../domain/session/events/index.ts'
import { isSelectionName, parseStepId } from '../../domain/session/step-id.ts'

/** In the order in which a session comes to them. */
const PURPOSES = {
  baseline: 'the untouched base, or a commit under a stage',
  tree: 'a round’s tree',
  parts: 'which fixes to leave out',
  fresh_checkout: 'the last word before a commit',
  old_tests: 'the tests as they were',
  regression_proof: 'whether new tests fail without their fix',
} as const
export type CheckPurpose = keyof typeof PURPOSES

export interface CheckTime {
  readonly purpose: CheckPurpose
  readonly runs: number
  readonly setups: number
  /** Runs with a copy of the setup's products in place of a setup. */
  readonly copies: number
  readonly setup_seconds: number
  readonly check_seconds: number
}

const NOTHING = { runs: 0, setups: 0, copies: 0, setup_seconds: 0, check_seconds: 0 }

export function listCheckTimes(events: readonly SessionEvent[]): CheckTime[] {
  const times = new Map<CheckPurpose, CheckTime>()
  for (const { type, data } of events) {
    if (type !== 'fix_log' || data.code !== 'checks_ran') continue
    const purpose = getPurpose(data.call)
    const { runs, setups, copies, setup_seconds, check_seconds } = times.get(purpose) ?? NOTHING
    times.set(purpose, {
      purpose,
      runs: runs + 1,
      setups: setups + (data.setup_seconds > 0 && !data.shared ? 1 : 0),
      copies: copies + (data.shared ? 1 : 0),
      setup_seconds: setup_seconds + data.setup_seconds,
      check_seconds: check_seconds + data.check_seconds,
    })
  }
  return (Object.keys(PURPOSES) as CheckPurpose[]).flatMap((purpose) => times.get(purpose) ?? [])
}

/** What the step was for that ran the checks. */
function getPurpose(call: string): CheckPurpose {
  const step = parseStepId(call)
  switch (step?.kind) {
    case 'verify':
      return isSelectionName(step.tree) ? 'parts' : 'tree'
    case 'verify_fresh':
    case 'train':
      return 'fresh_checkout'
    case 'verify_old_tests':
      return 'old_tests'
    case 'prove':
      return 'regression_proof'
    default:
      return 'baseline'
  }
}

/** A line for each purpose, and one for their share of the session's time. */
export function describeCheckTimes(times: readonly CheckTime[], durationMs: number): string[] {
  if (times.length === 0) return []
  const seconds = (of: readonly CheckTime[]) =>
    of.reduce((sum, { setup_seconds, check_seconds }) => sum + setup_seconds + check_seconds, 0)
  const share = Math.min(100, Math.round((100_000 * seconds(times)) / Math.max(durationMs, 1)))
  return [
    ...times.map((time) => `${PURPOSES[time.purpose]}: ${describeRuns(time)}, ${seconds([time]).toFixed(1)} s`),
    `setup and checks took ${share} % of the session's time`,
  ]
}

function describeRuns({ runs, setups, copies }: CheckTime): string {
  const parts = [
    `${runs} ${runs === 1 ? 'run' : 'runs'}`,
    setups > 0 && `${setups} ${setups === 1 ? 'setup' : 'setups'}`,
    copies > 0 && `${copies} with a copy of the setup`,
  ]
  return parts.filter(Boolean).join(', ')
}
