// Renders answers, plans and notes. If they are too long, the longest answers are cut, plans lose what can be read elsewhere, and the
// prompt says so.
import { type Brief, filterBrief, type IssuePlan } from '../../../domain/plan/brief.ts'
import { type FitLevel, listPart } from '../fit-list.ts'
import type { PromptLimits } from '../prompt-frame.ts'
import { describeOmission, jsonBlock, jsonPart, type PromptPart, trustedPart } from '../render-prompt.ts'
import { shorten } from '../shorten.ts'

/** A question of an earlier round, with its outcome. */
export type EarlierQuestion = {
  readonly id: string
  readonly issue_code?: string | undefined
  readonly question: string
} & (
  | { readonly answer: string; readonly skipped?: undefined }
  | { readonly answer?: undefined; readonly skipped: true }
)

/** `holdsPlans`: the conversation or the todo files hold the plans already, but maybe not a person's notes on them. */
export function briefParts(
  brief: Brief | undefined,
  codes: readonly string[],
  limits: PromptLimits,
  { holdsPlans }: { readonly holdsPlans: boolean },
): (PromptPart | undefined)[] {
  if (brief === undefined) return []
  const { clarifications, plans, notes } = filterBrief(brief, codes)
  const withNotes = codes.filter((code) => Object.hasOwn(notes, code))
  return [
    ...questionParts(clarifications, limits.clarifications),
    plansPart(holdsPlans ? {} : plans, codes, limits.plan),
    withNotes.length > 0
      ? trustedPart(jsonPart('plan_notes', Object.fromEntries(withNotes.map((code) => [code, notes[code]]))))
      : undefined,
  ]
}

interface ShownQuestion {
  readonly id: string
  readonly issue_code?: string | undefined
  readonly question: string
  readonly context?: string | undefined
  /** Absent if it was skipped. */
  readonly answer?: string | undefined
}

/** An agent worded the questions, so only the answers stand as the word of a person. */
export function questionParts(known: readonly ShownQuestion[], limit: number): PromptPart[] {
  if (known.length === 0) return []
  const cut: string[] = []
  const share = Math.floor(limit / known.length / 2)
  const questions = known.map(({ id, issue_code, question, context = '', answer }) => ({
    id,
    issue_code,
    question: shorten(question, share).text,
    context: shorten(context, share).text || undefined,
    ...(answer === undefined ? { skipped: true } : {}),
  }))
  const answers = known.flatMap(({ id, answer }) => {
    if (answer === undefined) return []
    const short = shorten(answer, share)
    if (short.omitted) cut.push(describeOmission(`the answer to ${id}`, short.omitted, 'last'))
    return [[id, short.text] as const]
  })
  return [
    jsonPart('questions', questions),
    ...(answers.length === 0
      ? []
      : [
          trustedPart({
            block: jsonBlock('answers', Object.fromEntries(answers)),
            remark: cut.join('\n') || undefined,
          }),
        ]),
  ]
}

type ShownPlan = { readonly [Name in keyof IssuePlan]?: IssuePlan[Name] | undefined } & {
  readonly issue_code: string
}

const LEVELS: readonly FitLevel<ShownPlan>[] = [
  ({ context, ...plan }) => ({ ...plan, context: context && { ...context, snippets: [] } }),
  ({ context: _, ...plan }) => plan,
  ({ issue_code, approach }) => ({ issue_code, approach }),
]
const LEFT_OUT = ['the snippets', 'the context', 'everything but the approach']

function plansPart(
  plans: Readonly<Record<string, IssuePlan>>,
  codes: readonly string[],
  limit: number,
): PromptPart | undefined {
  const planned = codes.filter((code) => Object.hasOwn(plans, code))
  if (planned.length === 0) return undefined
  const entries = planned.map((issue_code): ShownPlan => ({ issue_code, ...plans[issue_code] }))
  return listPart('plan', entries, limit, {
    levels: LEVELS,
    measure: (plan) => JSON.stringify(plan).length,
    describeCuts: (cut) =>
      LEFT_OUT.flatMap((what, index) => {
        const codes = cut(index + 1)
        return codes.length > 0 ? [`Of the plans, ${what} did not fit: left out for ${codes.join(', ')}.`] : []
      }).join('\n'),
  })
}
