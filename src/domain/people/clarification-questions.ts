// Which of a clarifier's questions are put to people, and under which name. The ids are ours, `FUNC-001-q2` or `general-q1`, and go on
// over the rounds, so that an answer stands with its question for good. What was answered once is not asked again.

import type { ClarifyReply } from '../stage/agent-replies.ts'
import { truncateText } from '../text/truncate.ts'
import type { ClarificationQuestion } from './validate-messages.ts'

/** Nobody answers more in one go. */
const MOST_AT_ONCE = 20
// Questions travel through the history of the workflow, and are read on terminals.
const MOST_OF_A_QUESTION = 1000
const MOST_OF_ITS_CONTEXT = 2000

/** An agent that asks again breaks its lines elsewhere, and begins in a small letter. */
export function toComparableQuestion(question: string): string {
  return question.normalize('NFC').replace(/\s+/gu, ' ').trim().toLowerCase()
}

export function isSameQuestion(
  one: Pick<ClarificationQuestion, 'code' | 'question'>,
  two: Pick<ClarificationQuestion, 'code' | 'question'>,
): boolean {
  return one.code === two.code && toComparableQuestion(one.question) === toComparableQuestion(two.question)
}

/** The next free id for a question about this issue, or about all. */
export function nextQuestionId(code: string | undefined, taken: readonly Pick<ClarificationQuestion, 'id'>[]): string {
  const prefix = `${code ?? 'general'}-q`
  const numbers = taken.flatMap(({ id }) => (id.startsWith(prefix) ? [Number(id.slice(prefix.length))] : []))
  return `${prefix}${Math.max(0, ...numbers.filter(Number.isInteger)) + 1}`
}

/** Those that are new. A question about an issue that nobody knows is one about everything. */
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

/** Without what would steer a terminal. */
function sanitizeText(text: string, most: number): string {
  return truncateText(text.replace(/[^\P{Cc}\n\t]/gu, '').trim(), most)
}
