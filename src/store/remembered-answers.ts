// What people answered to questions about issues. It outlives the session: where the same issue comes back in the same
// repository and still says the same, nobody is asked a second time.
import { KnownAnswer } from '../domain/session/records.ts'
import type { StoreBase } from './row-mapping.ts'
import { fromRow, toRow } from './row-mapping.ts'

export type AnswerTable = ReturnType<typeof answerTable>

export interface AskedIssue {
  readonly issue_code: string
  /** By `issueTextHash`. */
  readonly text_hash: string
}

export function answerTable({ db }: StoreBase) {
  return { keep, of }

  /** Once for each question and issue of a session: an activity that runs twice keeps one. */
  async function keep(answer: KnownAnswer): Promise<void> {
    await db
      .insertInto('answers')
      .values(toRow(KnownAnswer.parse(answer)))
      .onConflict((conflict) => conflict.columns(['session_id', 'question_id', 'issue_code']).doNothing())
      .execute()
  }

  /** The latest answer to each question about one of these issues, in the order in which they were given. */
  async function of(repository: string, issues: readonly AskedIssue[]): Promise<KnownAnswer[]> {
    if (issues.length === 0) return []
    const asked = new Set(issues.map(nameOf))
    const rows = await db
      .selectFrom('answers')
      .selectAll()
      .where('repository', '=', repository)
      .where(
        'issue_code',
        'in',
        issues.map(({ issue_code }) => issue_code),
      )
      .orderBy('answered_at')
      .orderBy('session_id')
      .orderBy('question_id')
      .execute()
    const latest = new Map<string, KnownAnswer>()
    for (const row of rows) {
      const answer = fromRow(KnownAnswer, row)
      if (!asked.has(nameOf(answer))) continue
      const question = JSON.stringify([answer.issue_code, questionText(answer.question)])
      latest.delete(question)
      latest.set(question, answer)
    }
    return [...latest.values()]
  }
}

function nameOf({ issue_code, text_hash }: AskedIssue): string {
  return `${issue_code} ${text_hash}`
}

/** An agent that asks again breaks its lines elsewhere, and begins in a small letter. */
function questionText(question: string): string {
  return question.normalize('NFC').replace(/\s+/gu, ' ').trim().toLowerCase()
}
