// Chooses which of a clarifier's questions people are asked: none that was asked before. The ids are ours (`FUNC-001-q2`, `general-q1`)
// and count on over the rounds, so that an answer belongs to its question for good.

import type { ClarifyReply } from '../stage/reply-schemas.ts'
import { truncateText } from '../text/truncate.ts'
import type { ClarificationQuestion } from './validate-messages.ts'

/** Nobody answers more at a time. */
const MOST_AT_ONCE = 20
// Questions travel through the history of the workflow, and are read on terminals.
const MOST_OF_A_QUESTION = 1000
const MOST_OF_ITS_CONTEXT = 2000

/** Ignores what an agent changes when it repeats a question: line breaks and letter case. */
export function toComparableQuestion(question: string): string {
  return question.normalize('NFC').replace(/\s+/gu, ' ').trim().toLowerCase()
}

export function isSameQuestion(
  one: Pick<ClarificationQuestion, 'code' | 'question'>,
  two: Pick<ClarificationQuestion, 'code' | 'question'>,
): boolean {
  return one.code === two.code && toComparableQuestion(one.question) === toComparableQuestion(two.question)
}

/** The next free id of a question about this issue, or about all issues. */
export function nextQuestionId(code: string | undefined, taken: readonly Pick<ClarificationQuestion, 'id'>[]): string {
  const prefix = `${code ?? 'general'}-q`
  const numbers = taken.flatMap(({ id }) => (id.startsWith(prefix) ? [Number(id.slice(prefix.length))] : []))
  return `${prefix}${Math.max(0, ...numbers.filter(Number.isInteger)) + 1}`
}

/** The new questions. A question about an unknown issue counts as one about all issues. */
export function selectNewQuestions(
  asked: ClarifyReply['questions'],
  { codes, known }: { readonly codes: readonly string[]; readonly known: readonly ClarificationQuestion[] },
): ClarificationQuestion[] {
  const all = [...known]
  for (const { id, issue_code, question, context } of asked) {
    const named = issue_code ?? /^(.+)-q\d+$/.exec(id)?.[1]
    const code = codes.find((each) => each === named)
    const about = code === undefined ? {} : { code }
    const fresh = {
      ...about,
      question: sanitizeText(question, MOST_OF_A_QUESTION),
      context: sanitizeText(context, MOST_OF_ITS_CONTEXT),
    }
    if (fresh.question === '' || all.some((each) => isSameQuestion(each, fresh))) continue
    all.push({ id: nextQuestionId(code, all), ...fresh })
    if (all.length === known.length + MOST_AT_ONCE) break
  }
  return all.slice(known.length)
}

/** Drops control characters, which would steer a terminal. */
function sanitizeText(text: string, most: number): string {
  return truncateText(text.replace(/[^\P{Cc}\n\t]/gu, '').trim(), most)
}
