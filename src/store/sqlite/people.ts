import { toComparableQuestion } from '../../domain/people/clarification-questions.ts'
import { Grant, KnownAnswer, MessageRecord } from '../../domain/session/store-records.ts'
import { truncateText } from '../../domain/text/truncate.ts'
import type { AnswerTable, GrantTable, IssueTextKey, MessageLog } from '../people.ts'
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

const MAX_TEXT_LENGTH = 2000
const MAX_NAME_LENGTH = 200

export function createMessageLog({ db }: StoreContext): MessageLog {
  return { add, listForSession }

  async function add(sessionId: string, messages: readonly MessageRecord[]): Promise<void> {
    if (messages.length === 0) return
    await db.transaction().execute(async (tx) => {
      const tail = await tx
        .selectFrom('messages')
        .select('seq')
        .where('session_id', '=', sessionId)
        .orderBy('seq', 'desc')
        .limit(1)
        .executeTakeFirst()
      let seq = tail?.seq ?? 0
      for (const message of messages) {
        const row = await tx
          .insertInto('messages')
          .values({ ...toRow(truncateMessage(message)), session_id: sessionId, seq: seq + 1 })
          .onConflict((conflict) => conflict.columns(['session_id', 'key']).doNothing())
          .returning('seq')
          .executeTakeFirst()
        seq = row?.seq ?? seq
      }
    })
  }

  async function listForSession(sessionId: string): Promise<MessageRecord[]> {
    const rows = await db
      .selectFrom('messages')
      .selectAll()
      .where('session_id', '=', sessionId)
      .orderBy('seq')
      .execute()
    return rows.map((row) => fromRow(MessageRecord, row))
  }
}

function truncateMessage({ name, response, by, from, ...message }: MessageRecord): MessageRecord {
  return {
    ...message,
    name: truncateText(name, MAX_NAME_LENGTH),
    response: truncateText(response, MAX_TEXT_LENGTH),
    by: truncateText(by, MAX_NAME_LENGTH),
    from: truncateText(from, MAX_NAME_LENGTH),
  }
}

export function createGrantTable({ db }: StoreContext): GrantTable {
  return { add, listAllowedPaths, listForRepository, remove }

  async function add({ repository_id, session_id, path, granted_by, granted_at }: Grant): Promise<void> {
    await db
      .insertInto('grants')
      .values(toRow({ repository_id, session_id, path, granted_by, granted_at }))
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }

  async function listAllowedPaths(repositoryId: string, sessionId: string): Promise<string[]> {
    const rows = await db
      .selectFrom('grants')
      .select('path')
      .distinct()
      .where('repository_id', '=', repositoryId)
      .where((grant) => grant.or([grant('session_id', 'is', null), grant('session_id', '=', sessionId)]))
      .orderBy('path')
      .execute()
    return rows.map(({ path }) => path)
  }

  async function listForRepository(repositoryId: string): Promise<Grant[]> {
    const rows = await db
      .selectFrom('grants')
      .selectAll()
      .where('repository_id', '=', repositoryId)
      .where('session_id', 'is', null)
      .orderBy('path')
      .execute()
    return rows.map((row) => fromRow(Grant, row))
  }

  async function remove(repositoryId: string, path: string): Promise<boolean> {
    const result = await db
      .deleteFrom('grants')
      .where('repository_id', '=', repositoryId)
      .where('path', '=', path)
      .where('session_id', 'is', null)
      .executeTakeFirst()
    return result.numDeletedRows > 0n
  }
}
