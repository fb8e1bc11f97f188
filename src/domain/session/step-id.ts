// A step id names a step of a session for good: history, snapshots, artifacts, agent calls and events are keyed by it. Parts of a step
// with ids of their own come behind it: `s1.i2.b1.fix` has the part `s1.i2.b1.fix.w2.repair`.
import {
  NAMED_FIELDS,
  PARTS,
  type ParsedStepId,
  type RoundName,
  type SelectionName,
  type SelectionOrigin,
  STEPS,
  type Step,
  type StepPart,
  type TreeName,
} from './step-patterns.ts'

const FIELD = /\{(\w+)(\??)\}/g
const STEP_MATCHERS = toMatchers(STEPS)
const PART_MATCHERS = toMatchers(PARTS)

/** The step of the run on the untouched base, and the key of its record. */
export const BASELINE_STEP_ID = formatStepId({ kind: 'baseline' })

export function formatStepId(step: Step, parts: readonly StepPart[] = []): string {
  return parts.reduce(formatStepPart, fillIn(STEPS[step.kind], step))
}

export function formatStepPart(stepId: string, part: StepPart): string {
  return `${stepId}.${fillIn(PARTS[part.kind], part)}`
}

export function parseStepId(id: string): ParsedStepId | undefined {
  for (const [kind, matcher] of STEP_MATCHERS) {
    const found = matcher.exec(id)?.groups
    const parts = found?.behind?.split('.').map(parsePart) ?? []
    if (!found || parts.includes(undefined)) continue
    const step = { ...toFields(kind, found), parts: parts as StepPart[] } as ParsedStepId
    if (formatStepId(step, step.parts) === id) return step
  }
  return undefined
}

function parsePart(text: string): StepPart | undefined {
  for (const [kind, matcher] of PART_MATCHERS) {
    const found = matcher.exec(text)?.groups
    if (found) return toFields(kind, found) as StepPart
  }
  return undefined
}

type Matcher = readonly [kind: string, regex: RegExp]

function toMatchers(patterns: Readonly<Record<string, string>>): Matcher[] {
  return Object.entries(patterns).map(([kind, pattern]) => {
    const fields = pattern.replaceAll('.', '\\.').replace(FIELD, (_, name: string, optional: string) => {
      return `(?<${name}>${NAMED_FIELDS[name] ?? '\\d{1,9}'})${optional}`
    })
    return [kind, new RegExp(`^${fields}(?:\\.(?<behind>.+))?$`)]
  })
}

function toFields(
  kind: string,
  { behind: _, ...found }: Readonly<Record<string, string | undefined>>,
): { kind: string } {
  const fields = Object.entries(found).map(([name, text = '1']) => [name, name in NAMED_FIELDS ? text : Number(text)])
  return { kind, ...Object.fromEntries(fields) }
}

function fillIn(pattern: string, step: object): string {
  const fields = new Map<string, string | number>(Object.entries(step))
  return pattern.replace(FIELD, (_, name: string, optional: string) => {
    return optional && fields.get(name) === 1 ? '' : String(fields.get(name))
  })
}

export function toRoundName(iteration: number): RoundName {
  return `i${iteration}`
}

export function toMergeName(turn: number): `merge${number}` {
  return `merge${turn}`
}

export function toSelectionName(turn: number, after?: SelectionOrigin): SelectionName {
  const place = after ? (`${after.step}${after.turn}.` as const) : ''
  return `${place}select${turn}`
}

export function isSelectionName(tree: TreeName): tree is SelectionName {
  return tree.includes('select')
}

/** Whether an id is that of the step or of one of its parts. */
export function isWithinStep(id: string, stepId: string): boolean {
  return id === stepId || id.startsWith(`${stepId}.`)
}

/** The id of the step that this is a part of. */
export function withoutParts(id: string): string {
  const step = parseStepId(id)
  return step ? formatStepId(step) : id
}

/** Undefined for steps of the session as a whole. */
export function getStageNumber(id: string): number | undefined {
  const step = parseStepId(id)
  return step && 'stage' in step ? step.stage : undefined
}
