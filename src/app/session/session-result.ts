// A session's result, its exit status, and the proof of its fixes.
import { FixwrightError } from '../../domain/errors/fixwright-error.ts'
import { CONSEQUENCES } from '../../domain/session/failure.ts'
import { countDoneIssues, type FixSessionResult, type IssueFixResult } from '../../domain/session/session.ts'
import { findTrailer } from '../../domain/text/branch-and-commit-names.ts'
import type { AppContext } from '../context.ts'

export async function loadResult({ store }: AppContext, sessionId: string): Promise<FixSessionResult> {
  const ended = await store.sessions.get(sessionId)
  if (ended?.result) return ended.result
  const reason = ended?.ending?.reason ?? `see "fixwright logs ${sessionId}"`
  throw new FixwrightError('no_result', `session ${sessionId} ended without a result: ${reason}`)
}

/** Returns 0 if every requested issue is resolved or nothing was left to do. */
export function toExitCode(result: FixSessionResult): number {
  if (result.skipped) return 0
  if (result.ending?.class) return CONSEQUENCES[result.ending.class].exit
  return countDoneIssues(result.results) === result.issues_requested ? 0 : 1
}

/** Reads from the commit's trailers whether one of the operator's commands proved the fix. */
export function readProof({ commit_message = '' }: IssueFixResult): 'verified' | 'unproven' | 'unverified' {
  if (findTrailer(commit_message, 'Unproven') !== undefined) return 'unproven'
  return findTrailer(commit_message, 'Verified') === undefined ? 'unverified' : 'verified'
}
