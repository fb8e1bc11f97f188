// Exit statuses, and the one error that carries one. Anything else that is thrown is a mistake of ours.
import { CONSEQUENCES } from '../domain/session/failure.ts'
import { countDoneIssues, type FixSessionResult } from '../domain/session/session.ts'

export const BAD_INPUT = 2
export const CANNOT_CONTINUE = 3
/** `fix --no-wait`: it waits for a person. */
export const WAITS_FOR_PERSON = 4
export const CANCELLED = 130

export class CliError extends Error {
  readonly exitCode: number
  constructor(status: number, message: string) {
    super(message)
    this.exitCode = status
  }
}

export function badInputError(problems: readonly string[]): CliError {
  const list = problems.length === 1 ? problems[0] : `\n${problems.map((problem) => `  ${problem}`).join('\n')}`
  return new CliError(BAD_INPUT, `nothing was changed: ${list}`)
}

/** 0: everything that was asked for is resolved, or there was nothing to do. */
export function toExitCode(result: FixSessionResult): number {
  if (result.skipped) return 0
  if (result.ending?.class) return CONSEQUENCES[result.ending.class].exit
  return countDoneIssues(result.results) === result.issues_requested ? 0 : 1
}
