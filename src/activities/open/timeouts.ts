// How long each kind of work may take, from the settings. The start-to-close timeouts add a fixed grace.

import type { Settings } from '../../domain/settings/schema.ts'
import type { OpenedSession } from '../../domain/workflow-types/index.ts'

/** The least time for a repair question, also when the call before it has used up the time. */
export const MIN_REPAIR_SECONDS = 60
/** The time to end a command that does not stop by itself. */
export const VERIFY_GRACE_SECONDS = 5
/**
 * A verdict runs the commands at most five times: on a person's commit on the branch, on the tree (in the clone, then
 * in a fresh checkout), and, if the baseline is in doubt, on the baseline and the tree again.
 */
const MAX_RUNS_PER_VERDICT = 5
/** The time to make and to remove a fresh checkout. */
const CHECKOUT_SECONDS = 60

export function timeoutsFromSettings(settings: Settings): OpenedSession['timeouts'] {
  const { claude, gemini, verification, limit_wait, worker, people } = settings
  return {
    fixSeconds: claude.timeout_seconds + MIN_REPAIR_SECONDS,
    // A reply that can't be used is followed by a repair question and one fresh call.
    challengeSeconds: 3 * gemini.timeout_seconds,
    verifySeconds: MAX_RUNS_PER_VERDICT * singleRunSeconds(verification),
    heartbeatSeconds: worker.heartbeat_timeout_seconds,
    backoffMinSeconds: limit_wait.backoff_min_seconds,
    backoffMaxSeconds: limit_wait.backoff_max_seconds,
    giveUpAfterSeconds: limit_wait.give_up_after_seconds,
    clarifySeconds: people.clarify_deadline_seconds,
    planSeconds: people.plan_deadline_seconds,
    scopeSeconds: people.scope_deadline_seconds,
  }
}

function singleRunSeconds(verification: Settings['verification']): number {
  const commands = Math.max(verification.commands.length, 1)
  return (
    commands * (verification.timeout_seconds + VERIFY_GRACE_SECONDS) +
    // Per command of the setup: twice in a fresh checkout, then once after a removed work tree or without the fix.
    3 * verification.setup.length * (verification.setup_timeout_seconds + VERIFY_GRACE_SECONDS) +
    CHECKOUT_SECONDS
  )
}
