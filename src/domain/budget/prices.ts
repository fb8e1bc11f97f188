// Prices of tokens, for a CLI that reports its usage but not the cost. None is built in: only operators know the prices of their
// accounts. Usage without a price has an unknown cost, not a cost of zero.
import { z } from 'zod'

const PerMillion = z.number().nonnegative()

/** USD for a million tokens. */
export const Price = z
  .strictObject({
    /** The full name, or its beginning with a star: `gemini-2.5-*`. */
    model: z.string().min(1),
    input: PerMillion,
    /** For input from a cache; without it, that costs as much as other input. */
    cached: PerMillion.optional(),
    output: PerMillion,
  })
  .describe('a map of model, input, output and, where it differs, cached: USD for a million tokens')
export type Price = z.infer<typeof Price>

export interface TokenUsage {
  /** All input, including cached input. */
  readonly input: number
  readonly cached: number
  readonly output: number
}

export const NOTHING_USED: TokenUsage = { input: 0, cached: 0, output: 0 }

/** Prefers a full name to a beginning, and a longer beginning to a shorter one. */
export function findPrice(prices: readonly Price[], model: string): Price | undefined {
  const whole = prices.find((price) => price.model === model)
  if (whole) return whole
  const fitting = prices.filter(({ model: name }) => name.endsWith('*') && model.startsWith(name.slice(0, -1)))
  return fitting.toSorted((one, other) => other.model.length - one.model.length)[0]
}

/** In USD; undefined without a price. */
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
