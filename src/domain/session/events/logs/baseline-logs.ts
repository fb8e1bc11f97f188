// Log entries about the commands on the commit that a fix stands on: the untouched base, or a commit of the branch.
import { z } from 'zod'
import { joinList } from '../../../text/join-list.ts'
import { COMPARISON_ADVICE } from '../../../verification/red-base.ts'
import { Texts } from '../limit-lists.ts'
import { defineLog } from './define-log.ts'

const BASELINE_RED = defineLog(
  'baseline_red',
  'warning',
  z.object({ commands: Texts, why: z.string() }),
  ({ commands, why }) => `what fails on the untouched base (${joinList(commands)}) matters: ${why}`,
)

const Mute = z.object({
  commands: Texts,
  /** No other command can say anything either. */
  alone: z.boolean(),
  /** Whether fixes that no command proves are accepted. */
  accepts: z.boolean(),
})

const BASELINE_MUTE = defineLog('baseline_mute', 'warning', Mute, ({ commands, alone, accepts }) => {
  const follows = alone
    ? `: unless a fix makes it green, every fix stays unproven${accepts ? '' : ', and the exit status is 1'}`
    : ''
  return `what fails on the untouched base (${joinList(commands)}) can't prove a fix that leaves it red${follows}. ${COMPARISON_ADVICE}`
})

const BASELINE_KNOWN = defineLog(
  'baseline_known',
  'note',
  /** From another session, which ran the commands then. */
  z.object({ from: z.string(), at: z.string(), minutes: z.number() }),
  ({ from, minutes }) => `all of it passed there for session ${from}, ${minutes} min ago: not run again`,
)

const BASELINE_DOUBTED = defineLog(
  'baseline_doubted',
  'note',
  z.object({
    /** The other session whose results are doubted; absent where it is this session's own base. */
    from: z.string().optional(),
    head: z.string(),
  }),
  ({ from, head }) => {
    const why =
      from === undefined
        ? `what fails here was red on the untouched base, and passed on ${head.slice(0, 10)}`
        : `what fails here passed on the untouched base for session ${from}`
    return `${why}: it is run there again before a fix is blamed`
  },
)

const BASELINE_UNKNOWN = defineLog(
  'baseline_unknown',
  'note',
  z.object({ head: z.string() }),
  ({ head }) =>
    `nobody has checked ${head.slice(0, 10)}, which is on the branch now: the checks are run there before a fix is judged beside it`,
)

const Run = z.object({ command: z.string(), outcome: z.string() })
/** `head`: which commit; absent for the untouched base. */
const Rerun = z.object({ head: z.string().optional(), runs: z.array(Run).readonly() })

function describeCommit(head: string | undefined): string {
  return head === undefined ? 'on the untouched base' : `on ${head.slice(0, 10)}`
}

const BASELINE_RERUN_PASSED = defineLog(
  'baseline_rerun_passed',
  'note',
  Rerun,
  ({ head }) => `${describeCommit(head)} all of it passes still`,
)

const BASELINE_RERUN_FAILED = defineLog('baseline_rerun_failed', 'warning', Rerun, ({ head, runs }) => {
  const failing = runs.filter(({ outcome }) => outcome !== 'passed')
  const failures = failing.map(({ command, outcome }) => `${command}: ${outcome}`).join('; ')
  return `${describeCommit(head)} it fails now, too · ${failures}`
})

const BASELINE_RERUN_IMPOSSIBLE = defineLog(
  'baseline_rerun_impossible',
  'warning',
  z.object({ problem: z.string() }),
  ({ problem }) => `it could not be run there again, so that what was known holds: ${problem}`,
)

const VARIABLES_UNSET = defineLog(
  'variables_unset',
  'warning',
  z.object({ names: Texts }),
  ({ names }) =>
    `verification.environment names ${joinList(names)}, which the instance's environment does not have: checks run without; start the instance where it is set`,
)

export const BASELINE_LOGS = [
  VARIABLES_UNSET,
  BASELINE_RED,
  BASELINE_MUTE,
  BASELINE_KNOWN,
  BASELINE_DOUBTED,
  BASELINE_UNKNOWN,
  BASELINE_RERUN_PASSED,
  BASELINE_RERUN_FAILED,
  BASELINE_RERUN_IMPOSSIBLE,
] as const

export function logVariablesUnset(stepId: string, names: readonly string[]) {
  return VARIABLES_UNSET.create(`${stepId}/unset`, { names })
}

export function logBaselineRed(stepId: string, commands: readonly string[], why: string) {
  return BASELINE_RED.create(`${stepId}/red`, { commands, why })
}

export function logBaselineMute(stepId: string, facts: z.infer<typeof Mute>) {
  return BASELINE_MUTE.create(`${stepId}/mute`, facts)
}

/** `from`: the session that ran them, at this time in milliseconds since the epoch. */
export function logBaselineKnown(stepId: string, { from, at }: { from: string; at: number }, now = Date.now()) {
  const facts = { from, at: new Date(at).toISOString(), minutes: Math.round((now - at) / 60_000) }
  return BASELINE_KNOWN.create(`${stepId}/known`, facts)
}

export function logBaselineDoubted(stepId: string, facts: { head: string; from?: string | undefined }) {
  return BASELINE_DOUBTED.create(`${stepId}/again`, facts)
}

export function logBaselineUnknown(stepId: string, head: string) {
  return BASELINE_UNKNOWN.create(`${stepId}/again`, { head })
}

export interface BaselineRerunFacts {
  readonly stepId: string
  /** Absent for the untouched base. */
  readonly head?: string | undefined
  readonly runs: readonly z.infer<typeof Run>[]
}

export function logBaselineRerun({ stepId, head, runs }: BaselineRerunFacts) {
  const key = `${stepId}/again/result`
  const facts = { head, runs: runs.map(({ command, outcome }) => ({ command, outcome })) }
  const passed = runs.every(({ outcome }) => outcome === 'passed')
  return passed ? BASELINE_RERUN_PASSED.create(key, facts) : BASELINE_RERUN_FAILED.create(key, facts)
}

export function logBaselineRerunImpossible(stepId: string, problem: string) {
  return BASELINE_RERUN_IMPOSSIBLE.create(`${stepId}/again/result`, { problem })
}
