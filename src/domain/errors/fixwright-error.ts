// The only error for users: what happened, to what, what to do next, and a code for programs. Any other thrown error is a bug of ours.
import { ERROR_CODES, type ErrorCode } from './error-codes.ts'

export class FixwrightError extends Error {
  readonly code: ErrorCode
  constructor(code: ErrorCode, message: string) {
    super(message)
    this.name = 'FixwrightError'
    this.code = code
  }
}

/** Refused before anything was changed, for one reason or several. */
export class RefusedError extends FixwrightError {
  readonly problems: readonly string[]
  constructor(code: ErrorCode, problems: readonly string[]) {
    const list = problems.length === 1 ? problems[0] : `\n${problems.map((problem) => `  ${problem}`).join('\n')}`
    super(code, `nothing was changed: ${list}`)
    this.problems = problems
  }
}

export interface Refusal {
  readonly kind: 'refused'
  readonly code: ErrorCode
  readonly problems: readonly string[]
}

/** Builds a refusal from reasons by code: several become `bad_input`, unless nothing is wrong with the input. Undefined without reasons. */
export function toRefusal(reasons: Partial<Record<ErrorCode, readonly string[]>>): Refusal | undefined {
  const found = Object.entries(reasons).filter(([, problems]) => problems.length > 0) as [
    ErrorCode,
    readonly string[],
  ][]
  const [first, ...more] = found
  if (first === undefined) return undefined
  return {
    kind: 'refused',
    code: more.length > 0 && found.some(([code]) => ERROR_CODES[code].exit === 2) ? 'bad_input' : first[0],
    problems: found.flatMap(([, each]) => each),
  }
}
