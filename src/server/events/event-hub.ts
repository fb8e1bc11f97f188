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

export interface FollowedSession {
  /** The frames after this number that there are by now; none if there are none yet. */
  read(after: number): Promise<readonly Frame[]>
  /** Resolves once there is more than that, or the signal aborts. */
  waitForMore(after: number, signal: AbortSignal): Promise<void>
  leave(): void
}

export interface EventHub {
  follow(sessionId: string): Promise<FollowedSession>
  /** Calls back with what changed, until the returned function is called. */
  watchAll(onChanges: (changes: readonly SessionChange[]) => void): Promise<() => void>
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
  /** The reads of this session, one after the other. */
  reading: Promise<void>
}

export function createEventHub({ store }: Pick<AppContext, 'store'>, pollMs: number): EventHub {
  const channels = new Map<string, Channel>()
  const watchers = new Set<(changes: readonly SessionChange[]) => void>()
  let loop: { readonly started: Promise<void>; stop(): void } | undefined

  return {
    async follow(sessionId) {
      const channel = channels.get(sessionId) ?? openChannel(sessionId)
      channel.readers += 1
      await channel.reading
      return {
        read: (after) => read(sessionId, channel, after),
        waitForMore: (after, signal) => waitForMore(channel, after, signal),
        leave() {
          channel.readers -= 1
          if (channel.readers === 0) channels.delete(sessionId)
          stopIfUnused()
        },
      }
    },
    async watchAll(onChanges) {
      watchers.add(onChanges)
      await startLoop()
      return () => {
        watchers.delete(onChanges)
        stopIfUnused()
      }
    },
  }

  function openChannel(sessionId: string): Channel {
    const channel: Channel = {
      readers: 0,
      frames: [],
      floor: 0,
      lastSeq: 0,
      waiting: new Set(),
      // The loop knows where it begins before the session's end is looked up, so no event falls between the two.
      reading: startLoop().then(async () => {
        channel.floor = (await store.events.findLast(sessionId))?.seq ?? 0
        channel.lastSeq = channel.floor
      }),
    }
    channels.set(sessionId, channel)
    return channel
  }

  function startLoop(): Promise<void> {
    if (loop !== undefined) return loop.started
    const stopping = new AbortController()
    const started = Promise.withResolvers<void>()
    loop = { started: started.promise, stop: () => stopping.abort() }
    run(stopping.signal, started.resolve).catch((error: Error) => {
      started.reject(error)
      loop = undefined
      for (const channel of channels.values()) wake(channel)
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
    for await (const _ of store.watch({ signal, pollMs })) {
      const found = await store.events.listChangesAfter(mark)
      mark = found.mark
      if (found.changes.length === 0) continue
      for (const onChanges of watchers) onChanges(found.changes)
      for (const { session_id } of found.changes) {
        const channel = channels.get(session_id)
        if (channel) channel.reading = channel.reading.then(() => readNew(session_id, channel))
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
    if (after >= channel.floor) return channel.frames.slice(after - channel.floor)
    return (await store.events.listAfter(sessionId, after, PAGE)).map(toFrame)
  }
}

function waitForMore({ lastSeq, waiting }: Channel, after: number, signal: AbortSignal): Promise<void> {
  if (lastSeq > after || signal.aborted) return Promise.resolve()
  return new Promise((resolve) => {
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
