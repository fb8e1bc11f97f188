// Renders answers, plans and notes. If they are too long, the longest answers are cut, plans lose what can be read elsewhere, and the
// prompt says so.
import { type Brief, type Clarification, filterBrief, type IssuePlan } from '../../../domain/plan/brief.ts'
import { type FitLevel, listPart } from '../fit-list.ts'
import type { PromptLimits } from '../prompt-frame.ts'
import { describeOmission, jsonBlock, jsonPart, type PromptPart } from '../prompt-part.ts'
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
  return [
    clarificationsPart(clarifications, limits.clarifications),
    plansPart(holdsPlans ? {} : plans, notes, codes, limits.plan),
  ]
}

export function clarificationsPart(clarifications: readonly Clarification[], limit: number): PromptPart | undefined {
  if (clarifications.length === 0) return undefined
  const cut: string[] = []
  const share = Math.floor(limit / clarifications.length / 2)
  const shown = clarifications.map(({ id, issue_code, question, context, answer }) => {
    const short = shorten(answer, share)
    if (short.omitted) cut.push(describeOmission(`the answer to ${id}`, short.omitted, 'last'))
    return { id, issue_code, question, context: shorten(context, share).text || undefined, answer: short.text }
  })
  return { block: jsonBlock('clarifications', shown), remark: cut.join('\n') || undefined }
}

export function questionsPart(known: readonly EarlierQuestion[], limit: number): PromptPart | undefined {
  if (known.length === 0) return undefined
  const share = Math.floor(limit / known.length / 2)
  const shown = known.map(({ id, issue_code, question, answer }) => ({
    id,
    issue_code,
    question: shorten(question, share).text,
    ...(answer === undefined ? { skipped: true } : { answer: shorten(answer, share).text }),
  }))
  return jsonPart('questions', shown)
}

type ShownPlan = { readonly [Name in keyof IssuePlan]?: IssuePlan[Name] | undefined } & {
  readonly issue_code: string
  readonly note: string | undefined
}

const LEVELS: readonly FitLevel<ShownPlan>[] = [
  ({ context, ...plan }) => ({ ...plan, context: context && { ...context, snippets: [] } }),
  ({ context: _, ...plan }) => plan,
  ({ issue_code, approach, note }) => ({ issue_code, approach, note }),
]
const LEFT_OUT = ['the snippets', 'the context', 'everything but the approach']

function plansPart(
  plans: Readonly<Record<string, IssuePlan>>,
  notes: Readonly<Record<string, string>>,
  codes: readonly string[],
  limit: number,
): PromptPart | undefined {
  const planned = codes.filter((code) => Object.hasOwn(plans, code) || Object.hasOwn(notes, code))
  if (planned.length === 0) return undefined
  const entries = planned.map(
    (issue_code): ShownPlan => ({ issue_code, ...plans[issue_code], note: notes[issue_code] }),
  )
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
