// What was said to a session, and what became of it: taken, repeated or refused. Append-only, each key once, in the order in
// which it was written. It comes from outside, so every text is kept to a length.
import { Said } from '../domain/session/records.ts'
import type { StoreBase } from './row-mapping.ts'
import { fromRow, toRow } from './row-mapping.ts'

export type SaidLog = ReturnType<typeof saidLog>

const MOST_CHARACTERS = 2000
const MOST_CHARACTERS_OF_A_NAME = 200

export function saidLog({ db }: StoreBase) {
  return { add, of }

  async function add(sessionId: string, said: readonly Said[]): Promise<void> {
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
          .values({ ...toRow(bounded(each)), session_id: sessionId, seq: seq + 1 })
          .onConflict((conflict) => conflict.columns(['session_id', 'key']).doNothing())
          .returning('seq')
          .executeTakeFirst()
        seq = row?.seq ?? seq
      }
    })
  }

  async function of(sessionId: string): Promise<Said[]> {
    const rows = await db.selectFrom('said').selectAll().where('session_id', '=', sessionId).orderBy('seq').execute()
    return rows.map((row) => fromRow(Said, row))
  }
}

function bounded({ name, says, by, from, ...said }: Said): Said {
  const short = (text: string) => cut(text, MOST_CHARACTERS_OF_A_NAME)
  return { ...said, name: short(name), says: cut(says, MOST_CHARACTERS), by: short(by), from: short(from) }
}

function cut(text: string, most: number): string {
  // A half of a pair that the cut left is no character.
  return text.length <= most
    ? text.toWellFormed()
    : `${text.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '')}…`.toWellFormed()
}
