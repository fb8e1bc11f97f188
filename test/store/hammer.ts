// One of several processes that write to one store as fast as they can. Prints how many events it appended.
// Arguments: the store's file, its own name, how many rounds.
import type { MessageRecord } from '../../src/domain/session/store-records.ts'
import { openStore } from '../../src/store/open-store.ts'
import { logLine } from '../domain/session/events/made-events.ts'
import { newSession } from '../support/store.ts'

const [file = '', name = '', rounds = '0'] = process.argv.slice(2)
const store = await openStore(file)
await store.createSession(newSession('shared', { repository: '/shared' }), [])
let appended = 0
for (let round = 0; round < Number(rounds); round++) {
  const events = await store.events.append('shared', [
    logLine(`${name}-${round}`),
    // Every process writes this one: as when an activity runs twice.
    logLine(`everyone-${round}`),
  ])
  appended += events.length
  await store.messages.add('shared', [said(`${name}-${round}`), said(`everyone-${round}`)])
  await store.grants.add({ repository_id: '/repo', path: `${round}/`, granted_by: name, granted_at: 'now' })
}
console.log(appended)
await store.close()

function said(key: string): MessageRecord {
  return { key, name: 'cancel', outcome: 'taken', response: '', by: name, from: 'hammer', at: 0 }
}
