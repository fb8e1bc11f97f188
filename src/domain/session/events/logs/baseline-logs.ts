// Log entries about the commands on the commit that a fix stands on: the untouched base, or a commit of the branch.
import { z } from 'zod'
import { joinList } from '../../../text/join-list.ts'
import { COMPARISON_ADVICE } from '../../../verification/red-base.ts'
import { atStep } from '../define-event.ts'
import { Texts } from '../limit-lists.ts'
import { defineLog } from './define-log.ts'

export const logBaselineRed = defineLog(
  'baseline_red',
  'warning',
  z.object({ commands: Texts, why: z.string() }),
  ({ commands, why }) => `what fails on the untouched base (${joinList(commands)}) matters: ${why}`,
  atStep('red'),
)

export const logBaselineMute = defineLog(
  'baseline_mute',
  'warning',
  z.object({
    commands: Texts,
    /** No other command can say anything either. */
    alone: z.boolean(),
    /** Whether fixes that no command proves are accepted. */
    accepts: z.boolean(),
  }),
  ({ commands, alone, accepts }) => {
    const follows = alone
      ? `: unless a fix makes it green, every fix stays unproven${accepts ? '' : ', and the exit status is 1'}`
      : ''
    return `what fails on the untouched base (${joinList(commands)}) can't prove a fix that leaves it red${follows}. ${COMPARISON_ADVICE}`
  },
  atStep('mute'),
)

/** `from`: the other session that ran the commands. `at`: when it did, which the constructor takes in milliseconds since the epoch. */
export const logBaselineKnown = defineLog(
  'baseline_known',
  'note',
  z.object({ from: z.string(), at: z.string(), minutes: z.number() }),
  ({ from, minutes }) => `all of it passed there for session ${from}, ${minutes} min ago: not run again`,
  (create) =>
    (stepId: string, { from, at }: { from: string; at: number }, now = Date.now()) => {
      const facts = { from, at: new Date(at).toISOString(), minutes: Math.round((now - at) / 60_000) }
      return create(`${stepId}/known`, facts)
    },
)

export const logBaselineDoubted = defineLog(
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
  atStep('again'),
)

export const logBaselineUnknown = defineLog(
  'baseline_unknown',
  'note',
  z.object({ head: z.string() }),
  ({ head }) =>
    `nobody has checked ${head.slice(0, 10)}, which is on the branch now: the checks are run there before a fix is judged beside it`,
  atStep('again'),
)

const Run = z.object({ command: z.string(), outcome: z.string() })
/** `head`: which commit; absent for the untouched base. */
const Rerun = z.object({ head: z.string().optional(), runs: z.array(Run).readonly() })

function describeCommit(head: string | undefined): string {
  return head === undefined ? 'on the untouched base' : `on ${head.slice(0, 10)}`
}

export const BASELINE_RERUN_PASSED = defineLog(
  'baseline_rerun_passed',
  'note',
  Rerun,
  ({ head }) => `${describeCommit(head)} all of it passes still`,
  (create) => create,
)

export const BASELINE_RERUN_FAILED = defineLog(
  'baseline_rerun_failed',
  'warning',
  Rerun,
  ({ head, runs }) => {
    const failing = runs.filter(({ outcome }) => outcome !== 'passed')
    const failures = failing.map(({ command, outcome }) => `${command}: ${outcome}`).join('; ')
    return `${describeCommit(head)} it fails now, too · ${failures}`
  },
  (create) => create,
)

export function logBaselineRerun(stepId: string, { head, runs }: z.infer<typeof Rerun>) {
  const facts = { head, runs: runs.map(({ command, outcome }) => ({ command, outcome })) }
  const passed = runs.every(({ outcome }) => outcome === 'passed')
  return (passed ? BASELINE_RERUN_PASSED : BASELINE_RERUN_FAILED)(`${stepId}/again/result`, facts)
}

export const logBaselineRerunImpossible = defineLog(
  'baseline_rerun_impossible',
  'warning',
  z.object({ problem: z.string() }),
  ({ problem }) => `it could not be run there again, so that what was known holds: ${problem}`,
  atStep('again/result'),
)

export const logVariablesUnset = defineLog(
  'variables_unset',
  'warning',
  z.object({ names: Texts }),
  ({ names }) =>
    `verification.environment names ${joinList(names)}, which the instance's environment does not have: checks run without; start the instance where it is set`,
  atStep('unset'),
)
