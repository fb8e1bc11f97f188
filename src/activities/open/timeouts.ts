// How long each kind of work may take, from the settings. The start-to-close timeouts derive from these, by a fixed grace.
import type { OpenedSession } from '../../domain/protocol/index.ts'
import type { Settings } from '../../domain/settings/schema.ts'

/** What a repair question gets at least, also when the call before it used up the time. */
export const MIN_REPAIR_SECONDS = 60
/** To end a command that does not want to end. */
export const VERIFY_GRACE_SECONDS = 5
/**
 * Of all commands, for one verdict: what a person's commit on the branch is like, the tree where it was made and in a fresh checkout, and,
 * where the base is known from another session or a check may have passed by chance, what it stands on and the tree after it once more.
 */
const MAX_RUNS_PER_VERDICT = 5
/** To make and to remove a fresh checkout. */
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
    // In a fresh checkout each of them may be tried twice, and once more where a command removed what it had made, or without the fix.
    3 * verification.setup.length * (verification.setup_timeout_seconds + VERIFY_GRACE_SECONDS) +
    CHECKOUT_SECONDS
  )
}
