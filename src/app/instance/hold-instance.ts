// Holds the instance of a home until the person leaves, and replaces it if it dies. Leaving only returns the lease: the
// instance stays while a session works or another command needs it.
import { setTimeout as delay } from 'node:timers/promises'
import { isWaitingForPerson } from '../../domain/session/session.ts'
import type { Settings } from '../../domain/settings/schema.ts'
import type { Home } from '../../runtime/home/home.ts'
import { findLiveInstance, type Instance } from '../../runtime/instance/instance-file.ts'
import { findUpLease, type JoinedInstance } from '../../runtime/instance/join-instance.ts'
import { listLiveLeases } from '../../runtime/instance/leases.ts'
import { instanceLogPath } from '../../runtime/instance/spawn-instance.ts'
import type { AppContext } from '../context.ts'

const INSTANCE_END_MS = 20_000
const RECONNECT_MS = 5_000

/** The addresses of a home's instance. */
export interface InstancePlace extends Pick<Instance, 'uiUrl' | 'address' | 'namespace' | 'taskQueue' | 'embedded'> {
  readonly log: string
}

export type HeldInstance =
  | { readonly kind: 'held' }
  /** Another process already holds the instance. */
  | { readonly kind: 'held_elsewhere'; readonly place: InstancePlace; readonly pid: number }

export interface HoldOptions {
  readonly settings: Settings
  readonly signal: AbortSignal
  /** Called at the beginning, and whenever the address changes. */
  readonly onPlace: (place: InstancePlace) => void
}

export async function holdInstance(app: AppContext, options: HoldOptions): Promise<HeldInstance> {
  const { home, instance } = app
  const other = findUpLease(home)
  const theirs = findLiveInstance(home)
  if (other && theirs) return { kind: 'held_elsewhere', place: toPlace(home, theirs), pid: other.identity.pid }
  const joined = await instance.join(options.settings)
  const { otherUp } = joined
  if (otherUp) {
    instance.close()
    return { kind: 'held_elsewhere', place: toPlace(home, joined), pid: otherUp.identity.pid }
  }
  options.onPlace(toPlace(home, joined))
  await keepUp(app, options, joined)
  return { kind: 'held' }
}

/** Keeps an instance running until the signal aborts. */
async function keepUp(
  { home, instance, store, onProgress }: AppContext,
  { settings, signal, onPlace }: HoldOptions,
  first: JoinedInstance,
): Promise<void> {
  const report = (text: string): void => onProgress(text, 'note')
  // Closes sessions whose workflow was ended from outside. A failure of this check does not end `up`.
  const reconcile = async (): Promise<void> => {
    const [running] = await store.sessions.list({ running: true, limit: 1 })
    if (running !== undefined) await (await instance.reach(settings)).reconcile()
  }
  const lookAfterSessions = (): Promise<void> =>
    reconcile().catch((error: Error) => report(`looking after sessions failed: ${error.message}`))
  let current = first
  await lookAfterSessions()
  while (!signal.aborted) {
    await waitForAbort([signal, current.lost])
    if (signal.aborted) break
    const { reason } = current.lost
    if (!current.isServing()) await delay(RECONNECT_MS, undefined, { signal }).catch(() => undefined)
    report(`${(reason as Error).message}\nstarting another: sessions go on from where they were`)
    const next = await instance.rejoin(settings).catch((error: Error) => error)
    if (next instanceof Error) {
      report(`${next.message}\ntrying again`)
      await delay(RECONNECT_MS, undefined, { signal }).catch(() => undefined)
      continue
    }
    if (next.address !== current.address) onPlace(toPlace(home, next))
    report('the instance runs again')
    current = next
    await lookAfterSessions()
  }
}

export type Farewell =
  /** The instance ends when these sessions have. */
  | { readonly kind: 'at_work'; readonly sessions: readonly string[] }
  /** Another command needs it. */
  | { readonly kind: 'needed' }
  /** The instance has ended; these sessions wait in the store. */
  | { readonly kind: 'down'; readonly sessions: readonly string[] }
  | { readonly kind: 'ending'; readonly log: string }

/** Returns the lease, and waits for the instance's end if nobody else needs it. */
export async function leaveInstance({ home, instance, store }: AppContext): Promise<Farewell> {
  const last = instance.joined()
  instance.close()
  const sessions = await store.sessions.list({ running: true })
  const atWork = sessions.filter((session) => session.run_id !== undefined && !isWaitingForPerson(session))
  if (atWork.length > 0) return { kind: 'at_work', sessions: atWork.map(({ session_id }) => session_id) }
  if (listLiveLeases(home).length > 0) return { kind: 'needed' }
  const deadline = performance.now() + INSTANCE_END_MS
  while (last?.isAlive() && performance.now() < deadline) await delay(50)
  if (last?.isAlive()) return { kind: 'ending', log: instanceLogPath(home) }
  return { kind: 'down', sessions: sessions.map(({ session_id }) => session_id) }
}

function toPlace(home: Home, { uiUrl, address, namespace, taskQueue, embedded }: Instance): InstancePlace {
  return { uiUrl, address, namespace, taskQueue, embedded, log: instanceLogPath(home) }
}

async function waitForAbort(signals: readonly AbortSignal[]): Promise<void> {
  const any = AbortSignal.any([...signals])
  if (any.aborted) return
  // An abort signal alone keeps no process alive.
  const alive = setInterval(() => undefined, 60_000)
  await new Promise<void>((resolve) => any.addEventListener('abort', () => resolve(), { once: true }))
  clearInterval(alive)
}
