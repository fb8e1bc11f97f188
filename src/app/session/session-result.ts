// A session's result, its exit status, and which of its fixes nothing proves.
import { explainUnproven } from '../../domain/commit/explain-unproven.ts'
import { ERROR_CODES } from '../../domain/errors/error-codes.ts'
import { FixwrightError } from '../../domain/errors/fixwright-error.ts'
import { isClean } from '../../domain/review/review-record.ts'
import { CONSEQUENCES, SESSION_EXITS } from '../../domain/session/failure.ts'
import { countDoneIssues, type FixSessionResult } from '../../domain/session/session.ts'
import { joinList } from '../../domain/text/join-list.ts'
import { COMPARISON_ADVICE } from '../../domain/verification/red-base.ts'
import type { AppContext } from '../context.ts'

export { explainUnproven }

export async function loadResult({ store }: AppContext, sessionId: string): Promise<FixSessionResult> {
  const ended = await store.sessions.get(sessionId)
  if (ended?.result) return ended.result
  const reason = ended?.ending?.reason ?? `see "fixwright logs ${sessionId}"`
  throw new FixwrightError('no_result', `session ${sessionId} ended without a result: ${reason}`)
}

/**
 * Returns 0 if every requested issue is resolved, by proof or as accepted without, or nothing was left to do; of a review, if it is
 * whole and nothing that it found stands.
 */
export function toExitCode(result: FixSessionResult): number {
  if (result.skipped) return 0
  const { ending, review } = result
  if (ending?.code) return ERROR_CODES[ending.code].exit
  if (ending?.class) return SESSION_EXITS[CONSEQUENCES[ending.class].session]
  if (review && result.kind === 'review') return isClean(review) ? 0 : 1
  // What was confirmed may have been fixed since; all else has to be as if the change had been clean.
  if (review && (!isClean({ ...review, confirmed: 0 }) || result.findings?.leftovers.length)) return 1
  if (result.unproven_refused) return 1
  return countDoneIssues(result.results) === result.issues_requested ? 0 : 1
}

/** One line for people; undefined if a check proves every fix. */
export function describeUnproven({ session_id, results, unproven_refused }: FixSessionResult): string | undefined {
  const unproven = results.flatMap((result) => {
    const why = result.status === 'completed' ? explainUnproven(result) : undefined
    return why === undefined ? [] : [{ code: result.issue_code, why }]
  })
  if (unproven.length === 0) return undefined
  const reasons = joinList([...new Set(unproven.map(({ why }) => why))], '; ', 3)
  const text = `unproven: ${joinList(unproven.map(({ code }) => code))}: ${reasons}; see fixwright report ${session_id}`
  return unproven_refused ? `${text}. So the exit status is 1 (verification.unproven). ${COMPARISON_ADVICE}` : text
}
