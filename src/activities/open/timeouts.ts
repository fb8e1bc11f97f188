// How long each kind of work may take: the timeout of its CLI, as often as an activity may call that. The workflow adds the grace.

import type { Settings } from '../../domain/settings/schema.ts'
import type { OpenedSession } from '../../domain/workflow-types/index.ts'

/** Calls of one question, each with the CLI's whole timeout: the first, a repair question, and once more from the start. */
const CALLS_WITH_RESTART = 3
/** A fix is called once and repaired once: a second start is another round. */
const CALLS_OF_FIX = 2
/** A vote is asked for, and once more if it can't be counted. */
const CALLS_OF_VOTE = 2
/** The time for git's part of a commit. */
const GIT_SECONDS = 120
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
  const { claude, gemini, git, verification, limit_wait, worker, people } = settings
  return {
    fixSeconds: CALLS_OF_FIX * claude.timeout_seconds,
    talkSeconds: CALLS_WITH_RESTART * claude.timeout_seconds,
    challengeSeconds: CALLS_WITH_RESTART * gemini.timeout_seconds,
    commitSeconds: GIT_SECONDS + (git.naming === 'agent' ? claude.small_timeout_seconds : 0),
    graceSeconds: worker.grace_seconds,
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

/** Voters have a time-out of their own; all other time-outs are those of every session. */
export function voteTimeoutsFromSettings(settings: Settings): OpenedSession['timeouts'] {
  return { ...timeoutsFromSettings(settings), talkSeconds: CALLS_OF_VOTE * settings.votes.timeout_seconds }
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
