import { toComparableQuestion } from '../../domain/people/clarification-questions.ts'
import { KnownAnswer } from '../../domain/session/store-records.ts'
import type { AnswerTable, IssueTextKey } from '../people.ts'
import { fromRow, toRow } from './row-mapping.ts'
import type { StoreContext } from './tables.ts'

export function createAnswerTable({ db }: StoreContext): AnswerTable {
  return { add, listForIssues }

  async function add(answer: KnownAnswer): Promise<void> {
    await db
      .insertInto('answers')
      .values(toRow(KnownAnswer.parse(answer)))
      .onConflict((conflict) => conflict.columns(['session_id', 'question_id', 'issue_code']).doNothing())
      .execute()
  }

  async function listForIssues(repositoryId: string, issues: readonly IssueTextKey[]): Promise<KnownAnswer[]> {
    if (issues.length === 0) return []
    const asked = new Set(issues.map(formatIssueTextKey))
    const rows = await db
      .selectFrom('answers')
      .selectAll()
      .where('repository_id', '=', repositoryId)
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
      const question = JSON.stringify([answer.issue_code, toComparableQuestion(answer.question)])
      latest.delete(question)
      latest.set(question, answer)
    }
    return [...latest.values()]
  }
}

function formatIssueTextKey({ issue_code, text_hash }: IssueTextKey): string {
  return `${issue_code} ${text_hash}`
}
