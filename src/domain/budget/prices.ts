// What tokens cost, for a CLI that tells how many it used and not what they cost. Only an operator knows the prices that hold for
// their account, so none is built in: what has no price has no cost that anybody knows, which is not the same as none.
import { z } from 'zod'

const PerMillion = z.number().nonnegative()

/** USD for a million tokens. */
export const Price = z
  .strictObject({
    /** Its whole name, or the beginning of it with a star: `gemini-2.5-*`. */
    model: z.string().min(1),
    input: PerMillion,
    /** Of what was read from a cache; without it that costs as much as the rest of the input. */
    cached: PerMillion.optional(),
    output: PerMillion,
  })
  .describe('a map of model, input, output and, where it differs, cached: USD for a million tokens')
export type Price = z.infer<typeof Price>

export interface TokenUsage {
  /** All that the model read, with what came from a cache. */
  readonly input: number
  readonly cached: number
  readonly output: number
}

export const NOTHING_USED: TokenUsage = { input: 0, cached: 0, output: 0 }

/** A whole name is stronger than a beginning, and a longer beginning than a shorter one. */
export function findPrice(prices: readonly Price[], model: string): Price | undefined {
  const whole = prices.find((price) => price.model === model)
  if (whole) return whole
  const fitting = prices.filter(({ model: name }) => name.endsWith('*') && model.startsWith(name.slice(0, -1)))
  return fitting.toSorted((one, other) => other.model.length - one.model.length)[0]
}

/** In USD; undefined where nobody gave a price. */
export function computeCost({ input, cached, output }: TokenUsage, price: Price | undefined): number | undefined {
  if (input + output === 0) return 0
  if (!price) return undefined
  const fresh = Math.max(input - cached, 0)
  return (fresh * price.input + cached * (price.cached ?? price.input) + output * price.output) / 1_000_000
}

export function addUsage(one: TokenUsage, other: TokenUsage): TokenUsage {
  return { input: one.input + other.input, cached: one.cached + other.cached, output: one.output + other.output }
}

export function countTokens({ input, output }: Pick<TokenUsage, 'input' | 'output'>): number {
  return input + output
}
