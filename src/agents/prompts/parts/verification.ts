// Renders failed commands: those with newly broken tests first, each with the end of both streams, without repetitions. Outputs that the
// conversation already holds are not repeated.
import { fitList, measureEntry } from '../fit-list.ts'
import { describeOmission, jsonBlock, type PromptPart, SHRINK_ORDER } from '../render-prompt.ts'
import { cutLine, measureOmission, shorten } from '../shorten.ts'
import { condenseOutput } from './condense-output.ts'

export interface VerificationOutput {
  readonly command: string
  readonly outcome: string
  /** Only standard output if `errors` is present. */
  readonly output: string
  readonly errors?: string | undefined
  /** A setup command; the commands that it prepares were not run. */
  readonly setup?: true
  /** Names of newly broken tests, or the number of tests that disappeared. These are to be fixed first. */
  readonly newly_broken?: readonly string[]
  /** Changed tests, or what runs them, that were put back as they were before the fix for this run. */
  readonly with_old_tests?: readonly string[]
  /** Equal for all runs whose output differs only in numbers. */
  readonly output_id?: string | undefined
  /** The output is the same as after the attempt before, except for these lines, in which only numbers differ. */
  readonly other_numbers?: readonly string[] | undefined
  /** The resumed conversation holds the output after the attempt before. */
  readonly isHeld?: true
}

type ShownRun = Omit<VerificationOutput, 'output' | 'isHeld'> & {
  readonly output?: string
  /** An earlier prompt holds its output. */
  readonly unchanged?: true
}

/** How many newly broken tests are named when there is little room. */
const MAX_TEST_NAMES = 20
const MAX_NAME_LENGTH = 120

export function verificationPart(all: readonly VerificationOutput[] | undefined, most: number): PromptPart | undefined {
  if (all === undefined) return undefined
  const outputs = all.toSorted((one, other) => Number(!one.newly_broken) - Number(!other.newly_broken))
  const runs = outputs.map(toShownRun)
  const toPart = (shown: readonly ShownRun[]): PromptPart => {
    const remarks = outputs.flatMap((output, index) => {
      const name = `command ${index + 1} in \`verification\``
      return [...describeRepeat(name, output), ...describeCuts(name, runs[index], shown[index])]
    })
    return { block: jsonBlock('verification', shown), remark: remarks.join('\n') || undefined }
  }
  const shrinkTo = (limit: number) => toPart(fitList(runs.map(limitTestNames), limit, [cutRun]).shown)
  const { shown } = fitList(runs, most, [cutStreams], { measure: measureStreams })
  return { ...toPart(shown), shrinker: { rank: SHRINK_ORDER.verification, shrinkTo } }
}

function toShownRun({ isHeld, other_numbers, output, errors, ...run }: VerificationOutput): ShownRun {
  if (isHeld) return { ...run, unchanged: true, ...(other_numbers?.length ? { other_numbers } : {}) }
  return { ...run, output: condenseOutput(output), ...(errors === undefined ? {} : { errors: condenseOutput(errors) }) }
}

function measureStreams({ output = '', errors = '' }: ShownRun): number {
  return output.length + errors.length
}

/** Neither stream crowds the other out, and each may use the room that the other leaves. */
function cutStreams({ output = '', errors, ...run }: ShownRun, room: number): ShownRun | undefined {
  if (run.unchanged) return undefined
  const end = (text: string, most: number) => shorten(text, Math.max(most, 0), 'end').text
  if (errors === undefined) return { ...run, output: end(output, room) }
  const half = Math.floor(room / 2)
  return {
    ...run,
    output: end(output, Math.max(half, room - errors.length)),
    errors: end(errors, Math.max(half, room - output.length)),
  }
}

/** Counts in characters of JSON, in which a text may be longer. */
function cutRun(run: ShownRun, room: number): ShownRun | undefined {
  const left = room - measureEntry({ ...run, output: '', ...(run.errors === undefined ? {} : { errors: '' }) })
  const cut = cutStreams(run, left)
  const over = cut ? measureEntry(cut) - room : 0
  return over > 0 ? cutStreams(run, left - over) : cut
}

function limitTestNames({ newly_broken: names, ...run }: ShownRun): ShownRun {
  if (names === undefined) return run
  const more = names.length > MAX_TEST_NAMES ? [`and ${names.length - MAX_TEST_NAMES} more`] : []
  return {
    ...run,
    newly_broken: [...names.slice(0, MAX_TEST_NAMES).map((name) => cutLine(name, MAX_NAME_LENGTH)), ...more],
  }
}

function describeRepeat(name: string, { other_numbers: lines, isHeld }: VerificationOutput): string[] {
  if (lines === undefined) return []
  const differs = lines.length === 0 ? ':' : ', but for numbers: where those are only times,'
  const held = isHeld ? ' Its output stands in an earlier prompt, under the same `output_id`.' : ''
  const now = isHeld && lines.length > 0 ? ' `other_numbers` has the lines of which a number is another one now.' : ''
  return [
    `What ${name} says is the same as after the attempt before${differs} what was changed since did not touch its cause.${held}${now}`,
  ]
}

function describeCuts(
  name: string,
  { output = '', errors = '' }: Partial<ShownRun> = {},
  shown: Partial<ShownRun> = {},
) {
  const streams = [
    ['the output', output, shown.output ?? ''],
    ['the errors', errors, shown.errors ?? ''],
  ] as const
  return streams.flatMap(([what, text, kept]) =>
    kept === text ? [] : [describeOmission(`${what} of ${name}`, measureOmission(text, kept, 'end'), 'first')],
  )
}
