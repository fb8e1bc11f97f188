// `fixwright up`: holds the instance of this home (Temporal server with its UI, worker) until Ctrl-C, and says meanwhile what
// sessions do. An instance that dies is replaced. Leaving only gives the lease back: while a session is at work, or another
// command needs it, the instance stays.
import { setTimeout as delay } from 'node:timers/promises'
import { waitingOf } from '../../app/session-overview.ts'
import { hasEnded, type SessionRecord, waitsForPerson } from '../../domain/session/session.ts'
import type { Settings } from '../../domain/settings/schema.ts'
import type { Home } from '../../runtime/home/home.ts'
import { type Instance, liveInstance } from '../../runtime/instance/instance-file.ts'
import { runningUp } from '../../runtime/instance/join-instance.ts'
import { liveLeases } from '../../runtime/instance/leases.ts'
import { logOf } from '../../runtime/instance/spawn-instance.ts'
import type { Store } from '../../store/store.ts'
import { type Connected, connect, ownSettings, withStore } from '../session/connect.ts'
import { clock, paint, print, say } from '../terminal/console.ts'
import { harmless } from '../terminal/sanitize.ts'
import { table } from '../terminal/table.ts'

const LOOK_MS = 300
const END_MS = 20_000
const RETRY_MS = 5_000

export async function up(flags: Readonly<Record<string, unknown>>): Promise<number> {
  return withStore(async (store, home) => {
    const other = runningUp(home)
    const theirs = liveInstance(home)
    if (other && theirs) return alreadyUp(home, theirs, other.identity.pid)
    const settings = await ownSettings(home, flags)
    const connected = await connect(home, settings, 'up')
    const { otherUp } = connected.joined
    if (otherUp) {
      connected.leave()
      return alreadyUp(home, connected.joined, otherUp.identity.pid)
    }
    const left = new AbortController()
    const leave = (): void => left.abort()
    process.on('SIGINT', leave)
    process.on('SIGTERM', leave)
    print(whereabouts(home, connected.joined))
    say(paint('dim', 'up until Ctrl-C'))
    const telling = tellSessions(store, left.signal)
    const last = await hold(home, settings, connected, left.signal)
    await telling
    process.off('SIGINT', leave)
    process.off('SIGTERM', leave)
    await farewell(store, home, last)
    return 0
  })
}

function alreadyUp(home: Home, instance: Instance, pid: number): number {
  print(whereabouts(home, instance))
  say(`it is up already: process ${pid} holds it`)
  return 0
}

function whereabouts(home: Home, instance: Instance): string {
  const { uiUrl, address, namespace, embedded } = instance
  const rows = [
    ['Temporal UI', uiUrl === null ? 'your cluster has it' : `${uiUrl}/namespaces/${namespace}/workflows`],
    ['Temporal', `${address}, namespace ${namespace}${embedded ? '' : ' (your cluster)'}`],
    ['home', home.path],
    ['log', logOf(home)],
  ]
  return table(rows.map(([name = '', value = '']) => [paint('bold', name, process.stdout), value]))
}

/** Until the signal: whatever becomes of the instance, there is one. Answers with the last. */
async function hold(home: Home, settings: Settings, first: Connected, left: AbortSignal): Promise<Connected> {
  let current = first
  await reconcile(current)
  while (!left.aborted) {
    await aborted([left, current.joined.lost])
    if (left.aborted) break
    say(`${(current.joined.lost.reason as Error).message}\nstarting another: sessions go on from where they were`)
    current.leave()
    const next = await connect(home, settings, 'up').catch((error: Error) => error)
    if (next instanceof Error) {
      say(`${next.message}\ntrying again`)
      await delay(RETRY_MS, undefined, { signal: left }).catch(() => undefined)
      continue
    }
    if (next.joined.address !== current.joined.address) print(whereabouts(home, next.joined))
    say('the instance runs again')
    current = next
    await reconcile(current)
  }
  return current
}

/** Sessions whose workflow was ended from outside are closed; that it could not be looked at is no reason to end. */
async function reconcile(connected: Connected): Promise<void> {
  await connected.reconcile().catch((error: Error) => say(`looking after sessions failed: ${error.message}`))
}

async function aborted(signals: readonly AbortSignal[]): Promise<void> {
  const any = AbortSignal.any([...signals])
  if (any.aborted) return
  // A signal alone keeps no process alive.
  const alive = setInterval(() => undefined, 60_000)
  await new Promise<void>((resolve) => any.addEventListener('abort', () => resolve(), { once: true }))
  clearInterval(alive)
}

/** One line for a session that starts, waits, goes on or ends. */
async function tellSessions(store: Store, left: AbortSignal): Promise<void> {
  const told = new Map<string, string>()
  let version: number | undefined
  while (!left.aborted) {
    const current = await store.version()
    if (current !== version) {
      version = current
      const isFirst = told.size === 0
      for (const session of (await store.sessions.list({ limit: 100 })).reverse()) {
        const line = lineOn(session)
        const before = told.get(session.session_id)
        told.set(session.session_id, line)
        if (line !== before && !(isFirst && hasEnded(session.status))) {
          say(`${paint('dim', clock(session.updated_at))} ${line}`)
        }
      }
    }
    await delay(LOOK_MS, undefined, { signal: left }).catch(() => undefined)
  }
}

function lineOn(session: SessionRecord): string {
  const { session_id, status, waiting, repository, issues_requested, issues_fixed } = session
  if (hasEnded(status))
    return `■ ${session_id} ${status}: ${issues_fixed} of ${issues_requested} fixed in ${repository}`
  const answer = waitingOf(session)?.answer
  if (waiting) return `⏳ ${session_id} waits: ${harmless(waiting.reason)}${answer === undefined ? '' : ` · ${answer}`}`
  return `▶ ${session_id} is at work on ${issues_requested} issue(s) in ${repository}`
}

async function farewell(store: Store, home: Home, { joined, leave }: Connected): Promise<void> {
  leave()
  const sessions = await store.sessions.list({ running: true })
  const atWork = sessions.filter((session) => session.run_id !== undefined && !waitsForPerson(session))
  if (atWork.length > 0) {
    const ids = atWork.map(({ session_id }) => session_id)
    say(`still at work in the background: ${ids.join(', ')}; the instance ends when they have`)
    say(`"fixwright watch ${ids[0]}" shows it, "fixwright cancel ${ids[0]}" ends it`)
    return
  }
  if (liveLeases(home).length > 0) {
    say('another command still needs the instance: it ends with the last of them')
    return
  }
  const deadline = performance.now() + END_MS
  while (joined.isAlive() && performance.now() < deadline) await delay(50)
  const waitingOnes = sessions.map(({ session_id }) => session_id)
  const later = waitingOnes.length === 0 ? '' : `; ${waitingOnes.join(', ')} will wait in the store`
  say(joined.isAlive() ? `the instance takes its time to end; its log: ${logOf(home)}` : `down${later}`)
}
