// Exit statuses, and the one error that carries one. Anything else that is thrown is a mistake of ours.
import { CONSEQUENCES } from '../domain/session/failure.ts'
import { countDone, type FixSessionResult } from '../domain/session/session.ts'

export const BAD_INPUT = 2
export const CANNOT_GO_ON = 3
/** `fix --no-wait`: it waits for a person. */
export const WAITS = 4
export const CANCELLED = 130

export class Exit extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

export function badInput(problems: readonly string[]): Exit {
  const list = problems.length === 1 ? problems[0] : `\n${problems.map((problem) => `  ${problem}`).join('\n')}`
  return new Exit(BAD_INPUT, `nothing was changed: ${list}`)
}

/** 0: everything that was asked for is resolved, or there was nothing to do. */
export function statusOf(result: FixSessionResult): number {
  if (result.skipped) return 0
  if (result.ending?.class) return CONSEQUENCES[result.ending.class].exit
  return countDone(result.results) === result.issues_requested ? 0 : 1
}
