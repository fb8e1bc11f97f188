// What people answered to questions about issues. It outlives the session: where the same issue comes back in the same
// repository and still says the same, nobody is asked a second time.
import { KnownAnswer } from '../domain/session/records.ts'
import type { StoreContext } from './row-mapping.ts'
import { fromRow, toRow } from './row-mapping.ts'

export type AnswerTable = ReturnType<typeof createAnswerTable>

export interface IssueTextKey {
  readonly issue_code: string
  /** By `issueTextHash`. */
  readonly text_hash: string
}

export function createAnswerTable({ db }: StoreContext) {
  return { add, listForIssues }

  /** Once for each question and issue of a session: an activity that runs twice keeps one. */
  async function add(answer: KnownAnswer): Promise<void> {
    await db
      .insertInto('answers')
      .values(toRow(KnownAnswer.parse(answer)))
      .onConflict((conflict) => conflict.columns(['session_id', 'question_id', 'issue_code']).doNothing())
      .execute()
  }

  /** The latest answer to each question about one of these issues, in the order in which they were given. */
  async function listForIssues(repository: string, issues: readonly IssueTextKey[]): Promise<KnownAnswer[]> {
    if (issues.length === 0) return []
    const asked = new Set(issues.map(formatIssueTextKey))
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
      if (!asked.has(formatIssueTextKey(answer))) continue
      const question = JSON.stringify([answer.issue_code, normalizeQuestion(answer.question)])
      latest.delete(question)
      latest.set(question, answer)
    }
    return [...latest.values()]
  }
}

function formatIssueTextKey({ issue_code, text_hash }: IssueTextKey): string {
  return `${issue_code} ${text_hash}`
}

/** An agent that asks again breaks its lines elsewhere, and begins in a small letter. */
function normalizeQuestion(question: string): string {
  return question.normalize('NFC').replace(/\s+/gu, ' ').trim().toLowerCase()
}
