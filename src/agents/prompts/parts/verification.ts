// What failed, for whoever mends it: commands with newly broken tests first, of each the end of both streams without what repeats. What
// the conversation holds already is not said again.
import { jsonBlock } from '../data-block.ts'
import { sharesOf } from '../fit-list.ts'
import { leftOut, type Part, RANK } from '../fit-to-limit.ts'
import { cutLine, shorten } from '../shorten.ts'
import { condensed } from './condense-output.ts'

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
  readonly again?: 'told' | 'held' | undefined
}

/** Of newly broken tests, where there is no room for more. */
const FEW_NAMES = 20
const SHORT_NAME = 120

export function verificationPart(all: readonly VerificationOutput[] | undefined, most: number): Part | undefined {
  if (all === undefined) return undefined
  const outputs = all.toSorted((one, other) => Number(!one.newly_broken) - Number(!other.newly_broken)).map(inShort)
  const to = (limit: number): Part => {
    const few = outputs.map(fewNames)
    // In JSON a text may be longer than it is.
    const over = partOf(few, limit).block.content.length - limit
    return partOf(few, Math.min(limit, sum(few.map(lengthOf))) - Math.max(over, 0))
  }
  return { ...partOf(outputs, most), gives: { rank: RANK.verification, to } }
}

function partOf(outputs: readonly VerificationOutput[], limit: number): Part {
  const shares = sharesOf(outputs.map(lengthOf), Math.max(limit, 0))
  const remarks: string[] = []
  const shown = outputs.map(({ output, errors, again, ...run }, index) => {
    const of = `command ${index + 1} in \`verification\``
    if (again === 'held')
      remarks.push(`${sameAgain(of)} Its output stands in an earlier prompt, under the same \`output_id\`.`)
    if (again === 'held') return { ...run, unchanged: true }
    if (again === 'told') remarks.push(sameAgain(of))
    const budget = shares[index] ?? 0
    const end = (what: string, text: string, most: number): string => {
      const short = shorten(text, most, 'end')
      if (short.leftOut) remarks.push(leftOut(`${what} of ${of}`, short, 'first'))
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

function fewNames({ newly_broken: names, ...run }: VerificationOutput): VerificationOutput {
  if (names === undefined) return run
  const more = names.length > FEW_NAMES ? [`and ${names.length - FEW_NAMES} more`] : []
  return { ...run, newly_broken: [...names.slice(0, FEW_NAMES).map((name) => cutLine(name, SHORT_NAME)), ...more] }
}

function sum(lengths: readonly number[]): number {
  return lengths.reduce((all, length) => all + length, 0)
}

function sameAgain(what: string): string {
  return `What ${what} says is the same as after the attempt before: what was changed since did not touch its cause.`
}

function inShort({ output, errors, ...run }: VerificationOutput): VerificationOutput {
  return { ...run, output: condensed(output), ...(errors === undefined ? {} : { errors: condensed(errors) }) }
}

function lengthOf({ output, errors = '', again }: VerificationOutput): number {
  return again === 'held' ? 0 : output.length + errors.length
}
