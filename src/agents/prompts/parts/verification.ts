// What failed, for whoever mends it: commands with newly broken tests first, of each the end of both streams without what repeats. What
// the conversation holds already is not said again.
import { jsonBlock } from '../data-block.ts'
import { divideLimit } from '../fit-list.ts'
import { describeOmission, type PromptPart, SHRINK_ORDER } from '../fit-to-limit.ts'
import { cutLine, shorten } from '../shorten.ts'
import { condenseOutput } from './condense-output.ts'

export interface VerificationOutput {
  readonly command: string
  readonly outcome: string
  /** Of standard output, where `errors` has the rest. */
  readonly output: string
  readonly errors?: string | undefined
  /** It prepares the others, of which none was run. */
  readonly setup?: true
  /** Names of its tests, or how many of them nobody sees any more: first of all that is to be mended. */
  readonly newly_broken?: readonly string[]
  /** The same for all runs that said the same. */
  readonly output_id?: string | undefined
  /** It said the same after the attempt before: `held` where that stands in the conversation that goes on. */
  readonly repeated?: 'told' | 'held' | undefined
}

/** Of newly broken tests, where there is no room for more. */
const MAX_TEST_NAMES = 20
const MAX_NAME_LENGTH = 120

export function verificationPart(all: readonly VerificationOutput[] | undefined, most: number): PromptPart | undefined {
  if (all === undefined) return undefined
  const outputs = all.toSorted((one, other) => Number(!one.newly_broken) - Number(!other.newly_broken)).map(condenseRun)
  const to = (limit: number): PromptPart => {
    const few = outputs.map(limitTestNames)
    // In JSON a text may be longer than it is.
    const over = fitOutputs(few, limit).block.content.length - limit
    return fitOutputs(few, Math.min(limit, sumLengths(few.map(measureOutput))) - Math.max(over, 0))
  }
  return { ...fitOutputs(outputs, most), shrinker: { rank: SHRINK_ORDER.verification, shrinkTo: to } }
}

function fitOutputs(outputs: readonly VerificationOutput[], limit: number): PromptPart {
  const shares = divideLimit(outputs.map(measureOutput), Math.max(limit, 0))
  const remarks: string[] = []
  const shown = outputs.map(({ output, errors, repeated, ...run }, index) => {
    const of = `command ${index + 1} in \`verification\``
    if (repeated === 'held')
      remarks.push(`${describeRepeat(of)} Its output stands in an earlier prompt, under the same \`output_id\`.`)
    if (repeated === 'held') return { ...run, unchanged: true }
    if (repeated === 'told') remarks.push(describeRepeat(of))
    const budget = shares[index] ?? 0
    const end = (what: string, text: string, most: number): string => {
      const short = shorten(text, most, 'end')
      if (short.omitted) remarks.push(describeOmission(`${what} of ${of}`, short, 'first'))
      return short.text
    }
    if (errors === undefined) return { ...run, output: end('the output', output, budget) }
    // Neither stream crowds the other out, and what one leaves free is the other's.
    const half = Math.floor(budget / 2)
    return {
      ...run,
      output: end('the output', output, Math.max(half, budget - errors.length)),
      errors: end('the errors', errors, Math.max(half, budget - output.length)),
    }
  })
  return { block: jsonBlock('verification', shown), remark: remarks.join('\n') || undefined }
}

function limitTestNames({ newly_broken: names, ...run }: VerificationOutput): VerificationOutput {
  if (names === undefined) return run
  const more = names.length > MAX_TEST_NAMES ? [`and ${names.length - MAX_TEST_NAMES} more`] : []
  return {
    ...run,
    newly_broken: [...names.slice(0, MAX_TEST_NAMES).map((name) => cutLine(name, MAX_NAME_LENGTH)), ...more],
  }
}

function sumLengths(lengths: readonly number[]): number {
  return lengths.reduce((all, length) => all + length, 0)
}

function describeRepeat(what: string): string {
  return `What ${what} says is the same as after the attempt before: what was changed since did not touch its cause.`
}

function condenseRun({ output, errors, ...run }: VerificationOutput): VerificationOutput {
  return { ...run, output: condenseOutput(output), ...(errors === undefined ? {} : { errors: condenseOutput(errors) }) }
}

function measureOutput({ output, errors = '', repeated }: VerificationOutput): number {
  return repeated === 'held' ? 0 : output.length + errors.length
}
