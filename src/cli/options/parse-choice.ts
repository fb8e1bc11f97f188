import { FixwrightError } from '../../app/errors.ts'

/** A value out of a fixed set; a wrong one is told the right ones. */
export function parseChoice<Value extends string>(what: string, typed: string, values: readonly Value[]): Value {
  const found = values.find((value) => value === typed)
  if (found !== undefined) return found
  throw new FixwrightError('bad_input', `${what} ${typed}: must be one of ${values.join(', ')}`)
}
