// Normalizes the replies of clarifier and planner for their schemas, and limits their length, since people and fixers read them.

import type { IssuePlan } from '../../domain/plan/brief.ts'
import type { ClarifyReply } from '../../domain/stage/reply-schemas.ts'
import { isJsonObject } from '../../domain/text/parse-json.ts'
import { truncateText } from '../../domain/text/truncate.ts'
import { describeValue, type RawObject, toBoolean, toStringList, trimIfString } from './coerce.ts'

const MAX_QUESTIONS = 50
const MAX_QUESTION_LENGTH = 2_000
const MAX_CONTEXT_LENGTH = 4_000

interface ListLimit {
  readonly entries: number
  readonly characters: number
}

const SNIPPET_LIMIT: ListLimit = { entries: 10, characters: 2_000 }
const FILE_LIMIT: ListLimit = { entries: 30, characters: 300 }
const LINE_LIMIT: ListLimit = { entries: 30, characters: 1_000 }
const MAX_APPROACH_LENGTH = 4_000

/** Keeps every question, or fixing would begin too early. An unreadable one makes the reply unreadable; asking means not ready. */
export function normalizeClarification(value: RawObject, notes: string[]): unknown {
  const raw = toList(value.questions)
  const questions = Array.isArray(raw) ? raw.map(normalizeQuestion) : raw
  const asks = Array.isArray(questions) && questions.length > 0
  const ready = toBoolean(value.ready_to_fix)
  if (asks && ready === true) notes.push('it says that it is ready and asks questions: it is not ready')
  if (asks && questions.length > MAX_QUESTIONS)
    notes.push(`of ${questions.length} questions the first ${MAX_QUESTIONS} were taken`)
  return {
    has_questions: asks || toBoolean(value.has_questions),
    questions: asks ? questions.slice(0, MAX_QUESTIONS) : (questions ?? []),
    message: truncateText(toStringList(value.message).join('\n'), MAX_CONTEXT_LENGTH),
    ready_to_fix: ready === true ? !asks : ready,
  }
}

/** Finds contradictions in a reply whose parts can all be read: half of it may be missing. */
export function clarificationProblem({ has_questions, questions, ready_to_fix }: ClarifyReply): string | undefined {
  if (questions.length > 0) return undefined
  if (has_questions) return 'it says that it has questions, and holds none'
  return ready_to_fix ? undefined : 'it is not ready to fix, and asks nothing'
}

function normalizeQuestion(raw: unknown): unknown {
  if (typeof raw === 'string') return normalizeQuestion({ question: raw })
  if (!isJsonObject(raw)) return raw
  const { id, question, context, issue_code } = raw
  const code = trimIfString(issue_code)
  return {
    id: typeof id === 'string' ? truncateText(id.trim(), 200) : '',
    question: typeof question === 'string' ? truncateText(question.trim(), MAX_QUESTION_LENGTH) : question,
    context: truncateText(toStringList(context).join('\n'), MAX_CONTEXT_LENGTH),
    issue_code: typeof code === 'string' && /^(general|all|none)?$/i.test(code) ? undefined : code,
  }
}

/** A plan is advice, so unreadable entries are left out with a note. */
export function normalizePlan(value: RawObject, notes: string[]): unknown {
  if (!Array.isArray(value.issues)) return { issues: value.issues }
  const plans = new Map<string, object>()
  for (const [index, raw] of value.issues.entries()) {
    const code = isJsonObject(raw) ? trimIfString(raw.issue_code) : undefined
    if (!isJsonObject(raw) || typeof code !== 'string' || code === '') {
      notes.push(`entry ${index + 1} of the plan can't be read: ${describeValue(raw)}`)
      continue
    }
    if (plans.has(code)) notes.push(`${code} was planned twice, the last plan was taken`)
    plans.set(code, { issue_code: code, ...normalizeIssuePlan(raw) })
  }
  return { issues: [...plans.values()], execution_steps: normalizeSteps(value.execution_steps, notes) }
}

function normalizeIssuePlan(raw: RawObject): IssuePlan {
  const context = isJsonObject(raw.context) ? raw.context : {}
  return {
    context: {
      snippets: limitList(context.snippets, SNIPPET_LIMIT),
      related_files: limitList(context.related_files, FILE_LIMIT),
      existing_patterns: limitList(context.existing_patterns, LINE_LIMIT),
    },
    approach: truncateText(toStringList(raw.approach).join('\n'), MAX_APPROACH_LENGTH),
    steps: limitList(raw.steps, LINE_LIMIT),
    verification: limitList(raw.verification, LINE_LIMIT),
  }
}

/** Lists of codes, however the model wrote them; undefined if one of them can't be read. */
function normalizeSteps(raw: unknown, notes: string[]): readonly (readonly string[])[] | undefined {
  if (raw === undefined || raw === null) return undefined
  const steps = Array.isArray(raw) ? raw.map(normalizeStep) : [undefined]
  if (steps.every((step) => step !== undefined)) return steps
  notes.push("the order that it proposes can't be read")
  return undefined
}

function normalizeStep(raw: unknown): readonly string[] | undefined {
  if (typeof raw === 'string') return [raw.trim()]
  if (isJsonObject(raw)) return normalizeStep(raw.issues ?? raw.issue_codes ?? raw.codes)
  if (!Array.isArray(raw)) return undefined
  const codes = raw.map((each) => trimIfString(isJsonObject(each) ? (each.issue_code ?? each.code) : each))
  return codes.every((code) => typeof code === 'string') ? codes : undefined
}

function limitList(value: unknown, { entries, characters }: ListLimit): string[] {
  return toStringList(value)
    .slice(0, entries)
    .map((text) => truncateText(text, characters))
}

function toList(value: unknown): unknown {
  return typeof value === 'string' ? [value] : value
}
