// Fans the event log out to all who read it over HTTP. One loop looks for changes; each followed session is read once and each frame
// built once, however many read it. A reader that comes late, or back, reads the log itself until it has caught up.
import type { AppContext } from '../../app/context.ts'
import type { SessionEvent } from '../../app/index.ts'
import { isTerminalEvent } from '../../app/session/watch-session.ts'

export interface Frame {
  readonly seq: number
  readonly bytes: Uint8Array
  /** Nothing follows it. */
  readonly isLast: boolean
}

export interface SessionChange {
  readonly session_id: string
  /** The number of its latest event. */
  readonly seq: number
}

/** Its methods fail once the log could not be read: the reader comes back and follows anew. */
export interface FollowedSession {
  /** The frames after this number that there are by now; none if there are none yet. */
  read(after: number): Promise<readonly Frame[]>
  /** Resolves once there is more than that, or the signal aborts. */
  waitForMore(after: number, signal: AbortSignal): Promise<void>
  leave(): void
}

export interface EventHub {
  follow(sessionId: string): Promise<FollowedSession>
  /** Calls back until the returned function is called. */
  watchAll(watcher: Watcher): Promise<() => void>
}

export interface Watcher {
  onChanges(changes: readonly SessionChange[]): void
  /** The log could not be read, and nothing follows. */
  onFailure(error: Error): void
}

const PAGE = 200
/** What a reader that is not far behind finds in memory. */
const KEPT_FRAMES = 1_000

interface Channel {
  readers: number
  /** The frames after `floor`, without gaps. */
  frames: Frame[]
  floor: number
  lastSeq: number
  readonly waiting: Set<() => void>
  failure: Error | undefined
  /** The reads of this session, one after the other. It never rejects: what goes wrong is the channel's failure. */
  reading: Promise<void>
}

export function createEventHub({ store }: Pick<AppContext, 'store'>): EventHub {
  const channels = new Map<string, Channel>()
  const watchers = new Set<Watcher>()
  let loop: { readonly started: Promise<void>; stop(): void } | undefined

  return {
    async follow(sessionId) {
      const channel = channels.get(sessionId) ?? openChannel(sessionId)
      channel.readers += 1
      const leave = (): void => {
        channel.readers -= 1
        if (channel.readers === 0 && channels.get(sessionId) === channel) channels.delete(sessionId)
        stopIfUnused()
      }
      await channel.reading
      if (channel.failure !== undefined) {
        leave()
        throw channel.failure
      }
      return {
        read: (after) => read(sessionId, channel, after),
        waitForMore: (after, signal) => waitForMore(channel, after, signal),
        leave,
      }
    },
    async watchAll(watcher) {
      watchers.add(watcher)
      const leave = (): void => {
        watchers.delete(watcher)
        stopIfUnused()
      }
      try {
        await startLoop()
      } catch (error) {
        leave()
        throw error
      }
      return leave
    },
  }

  function openChannel(sessionId: string): Channel {
    const channel: Channel = {
      readers: 0,
      frames: [],
      floor: 0,
      lastSeq: 0,
      waiting: new Set(),
      failure: undefined,
      reading: Promise.resolve(),
    }
    channels.set(sessionId, channel)
    chain(sessionId, channel, async () => {
      // The loop knows where it begins before the session's end is looked up, so no event falls between the two.
      await startLoop()
      channel.floor = (await store.events.findLast(sessionId))?.seq ?? 0
      channel.lastSeq = channel.floor
    })
    return channel
  }

  function chain(sessionId: string, channel: Channel, readMore: () => Promise<void>): void {
    const reading = channel.reading.then(() => (channel.failure === undefined ? readMore() : undefined))
    channel.reading = reading.catch((error: Error) => breakChannel(sessionId, channel, error))
  }

  /** Whoever comes next gets a new channel. */
  function breakChannel(sessionId: string, channel: Channel, error: Error): void {
    channel.failure = error
    if (channels.get(sessionId) === channel) channels.delete(sessionId)
    wake(channel)
    stopIfUnused()
  }

  function startLoop(): Promise<void> {
    if (loop !== undefined) return loop.started
    const stopping = new AbortController()
    const started = Promise.withResolvers<void>()
    const own = { started: started.promise, stop: () => stopping.abort() }
    loop = own
    run(stopping.signal, started.resolve).catch((error: Error) => {
      started.reject(error)
      // One that was stopped has nobody left.
      if (loop !== own) return
      loop = undefined
      for (const [sessionId, channel] of [...channels]) breakChannel(sessionId, channel, error)
      for (const watcher of watchers) watcher.onFailure(error)
      watchers.clear()
    })
    started.promise.catch(() => undefined)
    return started.promise
  }

  function stopIfUnused(): void {
    if (channels.size > 0 || watchers.size > 0) return
    loop?.stop()
    loop = undefined
  }

  async function run(signal: AbortSignal, onStarted: () => void): Promise<void> {
    let { mark } = await store.events.listChangesAfter()
    onStarted()
    for await (const _ of store.watch({ signal })) {
      const found = await store.events.listChangesAfter(mark)
      mark = found.mark
      if (found.changes.length === 0) continue
      for (const watcher of watchers) watcher.onChanges(found.changes)
      for (const { session_id } of found.changes) {
        const channel = channels.get(session_id)
        if (channel) chain(session_id, channel, () => readNew(session_id, channel))
      }
    }
  }

  async function readNew(sessionId: string, channel: Channel): Promise<void> {
    for (;;) {
      const events = await store.events.listAfter(sessionId, channel.lastSeq)
      if (events.length === 0) return
      channel.frames.push(...events.map(toFrame))
      channel.lastSeq = events.at(-1)?.seq ?? channel.lastSeq
      const surplus = channel.frames.splice(0, Math.max(0, channel.frames.length - KEPT_FRAMES))
      channel.floor = surplus.at(-1)?.seq ?? channel.floor
      wake(channel)
    }
  }

  async function read(sessionId: string, channel: Channel, after: number): Promise<readonly Frame[]> {
    if (channel.failure !== undefined) throw channel.failure
    if (after >= channel.floor) return channel.frames.slice(after - channel.floor)
    return (await store.events.listAfter(sessionId, after, PAGE)).map(toFrame)
  }
}

async function waitForMore(channel: Channel, after: number, signal: AbortSignal): Promise<void> {
  const { lastSeq, waiting } = channel
  if (lastSeq > after || signal.aborted || channel.failure !== undefined) return
  await new Promise<void>((resolve) => {
    const done = (): void => {
      waiting.delete(done)
      signal.removeEventListener('abort', done)
      resolve()
    }
    waiting.add(done)
    signal.addEventListener('abort', done, { once: true })
  })
}

function wake({ waiting }: Channel): void {
  for (const done of [...waiting]) done()
}

function toFrame(event: SessionEvent): Frame {
  const text = `id: ${event.seq}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
  return { seq: event.seq, bytes: Buffer.from(text), isLast: isTerminalEvent(event) }
}
