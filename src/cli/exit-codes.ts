// Exit statuses of commands that did what they were asked; those of errors stand beside the errors' codes.
import { CONSEQUENCES } from '../domain/session/failure.ts'
import { countDoneIssues, type FixSessionResult } from '../domain/session/session.ts'

export const CANNOT_CONTINUE = 3
/** `fix --no-wait`: it waits for a person. */
export const WAITS_FOR_PERSON = 4
export const CANCELLED = 130

/** 0: everything that was asked for is resolved, or there was nothing to do. */
export function toExitCode(result: FixSessionResult): number {
  if (result.skipped) return 0
  if (result.ending?.class) return CONSEQUENCES[result.ending.class].exit
  return countDoneIssues(result.results) === result.issues_requested ? 0 : 1
}
