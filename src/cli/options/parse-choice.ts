import { FixwrightError } from '../../app/errors.ts'

/** Checks a value against a fixed set; the error lists the allowed ones. */
export function parseChoice<Value extends string>(what: string, typed: string, values: readonly Value[]): Value {
  const found = values.find((value) => value === typed)
  if (found !== undefined) return found
  throw new FixwrightError('bad_input', `${what} ${typed}: must be one of ${values.join(', ')}`)
}
