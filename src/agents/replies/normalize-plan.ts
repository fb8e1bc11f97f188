// Brings what the clarifier and the planner wrote into the form that its schema checks, and within bounds: people and fixers read it.
// A question is never lost, or someone would begin who was not ready: one that can't be read makes the whole reply unreadable, and whoever
// says "ready" and asks all the same is not ready. A plan is advice: what can't be read of it is left out, with a note.
import type { IssuePlan } from '../../domain/plan/brief.ts'
import type { ClarifyReply } from '../../domain/stage/agent-replies.ts'
import { isRaw, type Raw, say, textsOf, trimmed, truthOf } from './coerce.ts'

const MOST_QUESTIONS = 50
const LONGEST_QUESTION = 2_000
const LONGEST_CONTEXT = 4_000

interface Bound {
  readonly entries: number
  readonly characters: number
}

const SNIPPETS: Bound = { entries: 10, characters: 2_000 }
const FILES: Bound = { entries: 30, characters: 300 }
const LINES: Bound = { entries: 30, characters: 1_000 }
const LONGEST_APPROACH = 4_000

export function shapeClarify(value: Raw, notes: string[]): unknown {
  const raw = listOf(value.questions)
  const questions = Array.isArray(raw) ? raw.map(shapeQuestion) : raw
  const asks = Array.isArray(questions) && questions.length > 0
  const ready = truthOf(value.ready_to_fix)
  if (asks && ready === true) notes.push('it says that it is ready and asks questions: it is not ready')
  if (asks && questions.length > MOST_QUESTIONS)
    notes.push(`of ${questions.length} questions the first ${MOST_QUESTIONS} were taken`)
  return {
    has_questions: asks || truthOf(value.has_questions),
    questions: asks ? questions.slice(0, MOST_QUESTIONS) : (questions ?? []),
    message: cut(textsOf(value.message).join('\n'), LONGEST_CONTEXT),
    ready_to_fix: ready === true ? !asks : ready,
  }
}

/** What is wrong with a reply whose parts can all be read: half of it may be missing. */
export function clarifyProblem({ has_questions, questions, ready_to_fix }: ClarifyReply): string | undefined {
  if (questions.length > 0) return undefined
  if (has_questions) return 'it says that it has questions, and holds none'
  return ready_to_fix ? undefined : 'it is not ready to fix, and asks nothing'
}

function shapeQuestion(raw: unknown): unknown {
  if (typeof raw === 'string') return shapeQuestion({ question: raw })
  if (!isRaw(raw)) return raw
  const { id, question, context, issue_code } = raw
  const code = trimmed(issue_code)
  return {
    id: typeof id === 'string' ? cut(id.trim(), 200) : '',
    question: typeof question === 'string' ? cut(question.trim(), LONGEST_QUESTION) : question,
    context: cut(textsOf(context).join('\n'), LONGEST_CONTEXT),
    issue_code: typeof code === 'string' && /^(general|all|none)?$/i.test(code) ? undefined : code,
  }
}

export function shapePlan(value: Raw, notes: string[]): unknown {
  if (!Array.isArray(value.issues)) return { issues: value.issues }
  const plans = new Map<string, object>()
  for (const [index, raw] of value.issues.entries()) {
    const code = isRaw(raw) ? trimmed(raw.issue_code) : undefined
    if (!isRaw(raw) || typeof code !== 'string' || code === '') {
      notes.push(`entry ${index + 1} of the plan can't be read: ${say(raw)}`)
      continue
    }
    if (plans.has(code)) notes.push(`${code} was planned twice, the last plan was taken`)
    plans.set(code, { issue_code: code, ...shapeIssuePlan(raw) })
  }
  return { issues: [...plans.values()], execution_steps: shapeSteps(value.execution_steps, notes) }
}

function shapeIssuePlan(raw: Raw): IssuePlan {
  const context = isRaw(raw.context) ? raw.context : {}
  return {
    context: {
      snippets: bounded(context.snippets, SNIPPETS),
      related_files: bounded(context.related_files, FILES),
      existing_patterns: bounded(context.existing_patterns, LINES),
    },
    approach: cut(textsOf(raw.approach).join('\n'), LONGEST_APPROACH),
    steps: bounded(raw.steps, LINES),
    verification: bounded(raw.verification, LINES),
  }
}

/** Lists of codes, however the model dressed them; nothing where one of them can't be read. */
function shapeSteps(raw: unknown, notes: string[]): readonly (readonly string[])[] | undefined {
  if (raw === undefined || raw === null) return undefined
  const steps = Array.isArray(raw) ? raw.map(shapeStep) : [undefined]
  if (steps.every((step) => step !== undefined)) return steps
  notes.push("the order that it proposes can't be read")
  return undefined
}

function shapeStep(raw: unknown): readonly string[] | undefined {
  if (typeof raw === 'string') return [raw.trim()]
  if (isRaw(raw)) return shapeStep(raw.issues ?? raw.issue_codes ?? raw.codes)
  if (!Array.isArray(raw)) return undefined
  const codes = raw.map((each) => trimmed(isRaw(each) ? (each.issue_code ?? each.code) : each))
  return codes.every((code) => typeof code === 'string') ? codes : undefined
}

function bounded(value: unknown, { entries, characters }: Bound): string[] {
  return textsOf(value)
    .slice(0, entries)
    .map((text) => cut(text, characters))
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`.toWellFormed()
}

function listOf(value: unknown): unknown {
  return typeof value === 'string' ? [value] : value
}
