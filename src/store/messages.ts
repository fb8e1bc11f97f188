// What was said to a session, and what became of it: taken, repeated or refused. Append-only, each key once, in the order in
// which it was written. It comes from outside, so every text is kept to a length.
import { MessageRecord } from '../domain/session/records.ts'
import type { StoreContext } from './row-mapping.ts'
import { fromRow, toRow } from './row-mapping.ts'

export type MessageLog = ReturnType<typeof createMessageLog>

const MAX_TEXT_LENGTH = 2000
const MAX_NAME_LENGTH = 200

export function createMessageLog({ db }: StoreContext) {
  return { add, listForSession }

  async function add(sessionId: string, said: readonly MessageRecord[]): Promise<void> {
    if (said.length === 0) return
    await db.transaction().execute(async (tx) => {
      const tail = await tx
        .selectFrom('said')
        .select('seq')
        .where('session_id', '=', sessionId)
        .orderBy('seq', 'desc')
        .limit(1)
        .executeTakeFirst()
      let seq = tail?.seq ?? 0
      for (const each of said) {
        const row = await tx
          .insertInto('said')
          .values({ ...toRow(truncateMessage(each)), session_id: sessionId, seq: seq + 1 })
          .onConflict((conflict) => conflict.columns(['session_id', 'key']).doNothing())
          .returning('seq')
          .executeTakeFirst()
        seq = row?.seq ?? seq
      }
    })
  }

  async function listForSession(sessionId: string): Promise<MessageRecord[]> {
    const rows = await db.selectFrom('said').selectAll().where('session_id', '=', sessionId).orderBy('seq').execute()
    return rows.map((row) => fromRow(MessageRecord, row))
  }
}

function truncateMessage({ name, response, by, from, ...said }: MessageRecord): MessageRecord {
  const short = (text: string) => cut(text, MAX_NAME_LENGTH)
  return { ...said, name: short(name), response: cut(response, MAX_TEXT_LENGTH), by: short(by), from: short(from) }
}

function cut(text: string, most: number): string {
  // A half of a pair that the cut left is no character.
  return text.length <= most
    ? text.toWellFormed()
    : `${text.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '')}…`.toWellFormed()
}
