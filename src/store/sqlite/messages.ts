import { MessageRecord } from '../../domain/session/store-records.ts'
import { truncateText } from '../../domain/text/truncate.ts'
import type { MessageLog } from '../people.ts'
import { fromRow, toRow } from './row-mapping.ts'
import type { StoreContext } from './tables.ts'

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
