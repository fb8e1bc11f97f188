// The inserting transaction assigns the numbers under the write lock, so they are right across processes.
import type { NewEvent, SessionEvent } from '../../domain/session/events/index.ts'
import type { EventChanges, EventLog } from '../store.ts'
import { fromRow, toRow } from './row-mapping.ts'
import type { StoreContext } from './tables.ts'

/** The schemas of all events take as long to load as the rest of a command that needs none of them. */
const loadEvents = () => import('../../domain/session/events/index.ts')

export function createEventLog({ db, now }: StoreContext): EventLog {
  return { append, listAfter, listAll, findLast, listChangesAfter }

  async function append(sessionId: string, events: readonly NewEvent[]): Promise<SessionEvent[]> {
    if (events.length === 0) return []
    const { describeEvent, SessionEvent, TERMINAL_EVENTS } = await loadEvents()
    return db.transaction().execute(async (tx) => {
      const tail = await tx
        .selectFrom('events')
        .select(['seq', 'type'])
        .where('session_id', '=', sessionId)
        .orderBy('seq', 'desc')
        .limit(1)
        .executeTakeFirst()
      const appended: SessionEvent[] = []
      let closed = tail !== undefined && TERMINAL_EVENTS.has(tail.type)
      let seq = tail?.seq ?? 0
      for (const event of events) {
        if (closed) break
        const message = describeEvent(event)
        const row = await tx
          .insertInto('events')
          .values({ ...toRow({ ...event, message }), session_id: sessionId, timestamp: now(), seq: seq + 1 })
          .onConflict((conflict) => conflict.columns(['session_id', 'key']).doNothing())
          .returningAll()
          .executeTakeFirst()
        if (!row) continue
        seq = row.seq
        closed = TERMINAL_EVENTS.has(row.type)
        appended.push(fromRow(SessionEvent, row))
      }
      return appended
    })
  }

  async function listAfter(sessionId: string, seq = 0, limit = 1000): Promise<SessionEvent[]> {
    const { SessionEvent } = await loadEvents()
    const rows = await db
      .selectFrom('events')
      .selectAll()
      .where('session_id', '=', sessionId)
      .where('seq', '>', seq)
      .orderBy('seq')
      .limit(limit)
      .execute()
    return rows.map((row) => fromRow(SessionEvent, row))
  }

  async function listAll(sessionId: string): Promise<SessionEvent[]> {
    return await listAfter(sessionId, 0, Number.MAX_SAFE_INTEGER)
  }

  async function findLast(sessionId: string): Promise<SessionEvent | undefined> {
    const { SessionEvent } = await loadEvents()
    const row = await db
      .selectFrom('events')
      .selectAll()
      .where('session_id', '=', sessionId)
      .orderBy('seq', 'desc')
      .limit(1)
      .executeTakeFirst()
    return row && fromRow(SessionEvent, row)
  }

  /** SQLite numbers its rows in the order in which they were committed: one writer at a time, and no event is ever removed. */
  async function listChangesAfter(mark?: number): Promise<EventChanges> {
    if (mark === undefined) {
      const last = await db.selectFrom('events').select('rowid').orderBy('rowid', 'desc').limit(1).executeTakeFirst()
      return { mark: last?.rowid ?? 0, changes: [] }
    }
    const rows = await db
      .selectFrom('events')
      .select((event) => ['session_id', event.fn.max('seq').as('seq'), event.fn.max('rowid').as('last')])
      .where('rowid', '>', mark)
      .groupBy('session_id')
      .execute()
    return {
      mark: Math.max(mark, ...rows.map(({ last }) => last)),
      changes: rows.map(({ session_id, seq }) => ({ session_id, seq })),
    }
  }
}
