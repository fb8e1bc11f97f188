// `fixwright up`: holds the instance of this home (Temporal server with its UI, worker) until Ctrl-C, and says meanwhile what
// sessions do. An instance that dies is replaced. Leaving only gives the lease back: while a session is at work, or another
// command needs it, the instance stays.
import { setTimeout as delay } from 'node:timers/promises'
import { describeWaiting } from '../../app/session/session-overview.ts'
import { hasEnded, isWaitingForPerson, type SessionRecord } from '../../domain/session/session.ts'
import type { Settings } from '../../domain/settings/schema.ts'
import type { Home } from '../../runtime/home/home.ts'
import { findLiveInstance, type Instance } from '../../runtime/instance/instance-file.ts'
import { findUpLease } from '../../runtime/instance/join-instance.ts'
import { listLiveLeases } from '../../runtime/instance/leases.ts'
import { instanceLogPath } from '../../runtime/instance/spawn-instance.ts'
import type { Store } from '../../store/store.ts'
import { connectFromCli, type InstanceConnection, loadOwnSettings, withStore } from '../session/connect.ts'
import { formatClock, paint, print, printNotice } from '../terminal/console.ts'
import { sanitizeLine } from '../terminal/sanitize.ts'
import { formatTable } from '../terminal/table.ts'

/** A session at work writes many times a second. */
const REFRESH_MS = 300
const INSTANCE_END_MS = 20_000
const RECONNECT_MS = 5_000

export async function runUpCommand(flags: Readonly<Record<string, unknown>>): Promise<number> {
  return withStore(async (store, home) => {
    const other = findUpLease(home)
    const theirs = findLiveInstance(home)
    if (other && theirs) return printAlreadyUp(home, theirs, other.identity.pid)
    const settings = await loadOwnSettings(home, flags)
    const connected = await connectFromCli(home, settings, 'up')
    const { otherUp } = connected.instance
    if (otherUp) {
      connected.close()
      return printAlreadyUp(home, connected.instance, otherUp.identity.pid)
    }
    const left = new AbortController()
    const leave = (): void => left.abort()
    process.on('SIGINT', leave)
    process.on('SIGTERM', leave)
    print(formatInstance(home, connected.instance))
    printNotice(paint('dim', 'up until Ctrl-C'))
    const printing = printSessionChanges(store, left.signal)
    const last = await keepInstanceUp(home, settings, connected, left.signal)
    await printing
    process.off('SIGINT', leave)
    process.off('SIGTERM', leave)
    await printFarewell(store, home, last)
    return 0
  })
}

function printAlreadyUp(home: Home, instance: Instance, pid: number): number {
  print(formatInstance(home, instance))
  printNotice(`it is up already: process ${pid} holds it`)
  return 0
}

function formatInstance(home: Home, instance: Instance): string {
  const { uiUrl, address, namespace, embedded } = instance
  const rows = [
    ['Temporal UI', uiUrl === null ? 'your cluster has it' : `${uiUrl}/namespaces/${namespace}/workflows`],
    ['Temporal', `${address}, namespace ${namespace}${embedded ? '' : ' (your cluster)'}`],
    ['home', home.path],
    ['log', instanceLogPath(home)],
  ]
  return formatTable(rows.map(([name = '', value = '']) => [paint('bold', name, process.stdout), value]))
}

/** Until the signal: whatever becomes of the instance, there is one. Answers with the last. */
async function keepInstanceUp(
  home: Home,
  settings: Settings,
  first: InstanceConnection,
  left: AbortSignal,
): Promise<InstanceConnection> {
  let current = first
  await reconcileOrReport(current)
  while (!left.aborted) {
    await waitForAbort([left, current.instance.lost])
    if (left.aborted) break
    printNotice(
      `${(current.instance.lost.reason as Error).message}\nstarting another: sessions go on from where they were`,
    )
    current.close()
    const next = await connectFromCli(home, settings, 'up').catch((error: Error) => error)
    if (next instanceof Error) {
      printNotice(`${next.message}\ntrying again`)
      await delay(RECONNECT_MS, undefined, { signal: left }).catch(() => undefined)
      continue
    }
    if (next.instance.address !== current.instance.address) print(formatInstance(home, next.instance))
    printNotice('the instance runs again')
    current = next
    await reconcileOrReport(current)
  }
  return current
}

/** Sessions whose workflow was ended from outside are closed; that it could not be looked at is no reason to end. */
async function reconcileOrReport(connected: InstanceConnection): Promise<void> {
  await connected.reconcile().catch((error: Error) => printNotice(`looking after sessions failed: ${error.message}`))
}

async function waitForAbort(signals: readonly AbortSignal[]): Promise<void> {
  const any = AbortSignal.any([...signals])
  if (any.aborted) return
  // A signal alone keeps no process alive.
  const alive = setInterval(() => undefined, 60_000)
  await new Promise<void>((resolve) => any.addEventListener('abort', () => resolve(), { once: true }))
  clearInterval(alive)
}

/** One line for a session that starts, waits, goes on or ends. */
async function printSessionChanges(store: Store, left: AbortSignal): Promise<void> {
  const shown = new Map<string, string>()
  for await (const _ of store.watch({ signal: left })) {
    const isFirst = shown.size === 0
    for (const session of (await store.sessions.list({ limit: 100 })).reverse()) {
      const line = formatSessionLine(session)
      const before = shown.get(session.session_id)
      shown.set(session.session_id, line)
      if (line !== before && !(isFirst && hasEnded(session.status))) {
        printNotice(`${paint('dim', formatClock(session.updated_at))} ${line}`)
      }
    }
    await delay(REFRESH_MS, undefined, { signal: left }).catch(() => undefined)
  }
}

function formatSessionLine(session: SessionRecord): string {
  const { session_id, status, waiting, repository, issues_requested, issues_fixed } = session
  if (hasEnded(status))
    return `■ ${session_id} ${status}: ${issues_fixed} of ${issues_requested} fixed in ${repository}`
  const answer = describeWaiting(session)?.answer
  if (waiting)
    return `⏳ ${session_id} waits: ${sanitizeLine(waiting.reason)}${answer === undefined ? '' : ` · ${answer}`}`
  return `▶ ${session_id} is at work on ${issues_requested} issue(s) in ${repository}`
}

async function printFarewell(store: Store, home: Home, { instance, close }: InstanceConnection): Promise<void> {
  close()
  const sessions = await store.sessions.list({ running: true })
  const atWork = sessions.filter((session) => session.run_id !== undefined && !isWaitingForPerson(session))
  if (atWork.length > 0) {
    const ids = atWork.map(({ session_id }) => session_id)
    printNotice(`still at work in the background: ${ids.join(', ')}; the instance ends when they have`)
    printNotice(`"fixwright watch ${ids[0]}" shows it, "fixwright cancel ${ids[0]}" ends it`)
    return
  }
  if (listLiveLeases(home).length > 0) {
    printNotice('another command still needs the instance: it ends with the last of them')
    return
  }
  const deadline = performance.now() + INSTANCE_END_MS
  while (instance.isAlive() && performance.now() < deadline) await delay(50)
  const waitingOnes = sessions.map(({ session_id }) => session_id)
  const later = waitingOnes.length === 0 ? '' : `; ${waitingOnes.join(', ')} will wait in the store`
  printNotice(
    instance.isAlive() ? `the instance takes its time to end; its log: ${instanceLogPath(home)}` : `down${later}`,
  )
}
