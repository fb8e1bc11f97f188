// A small process that starts others for a large one: the kernel copies the page tables of the process that starts another, so in a large
// process each start takes long, and all else in it stands still meanwhile.
import { type ChildProcess, fork } from 'node:child_process'

export interface HelperProcess<Request, Answer> {
  /** A cancelled request still waits for the answer: nothing is under way when it throws. */
  ask(request: Request, signal?: AbortSignal): Promise<Answer>
  stop(): void
}

type HelperRequest = { readonly id: number; readonly request: unknown } | { readonly id: number; readonly abort: true }
type HelperReply = { readonly id: number; readonly answer: unknown } | { readonly id: number; readonly error: string }

const INHERITED_VARIABLES = ['PATH', 'HOME', 'TMPDIR', 'NODE_COMPILE_CACHE']

interface RunningHelper {
  readonly child: ChildProcess
  readonly waiting: Map<number, PromiseWithResolvers<unknown>>
}

/** Its memory is ten times what a start of it costs in time, and a worker waits most of the day. */
const IDLE_MS = 60_000

/**
 * The helper begins with the first request, and ends when none came for a while, or with us, as its channel then closes. If it ends
 * first, its open requests fail and the next one starts another.
 */
export function createHelperProcess<Request, Answer>(
  script: string,
  { idleMs = IDLE_MS }: { readonly idleMs?: number } = {},
): HelperProcess<Request, Answer> {
  let running: RunningHelper | undefined
  let idle: NodeJS.Timeout | undefined
  let asked = 0
  return { ask, stop }

  function stop(): void {
    clearTimeout(idle)
    if (running?.child.connected) running.child.disconnect()
  }

  async function ask(request: Request, signal?: AbortSignal): Promise<Answer> {
    signal?.throwIfAborted()
    clearTimeout(idle)
    if (running === undefined || hasEnded(running.child)) running = forkHelper(script)
    const { child, waiting } = running
    asked += 1
    const id = asked
    const answer = Promise.withResolvers<unknown>()
    const abort = (): void => sendRequest(child, { id, abort: true })
    waiting.set(id, answer)
    signal?.addEventListener('abort', abort, { once: true })
    child.channel?.ref()
    sendRequest(child, { id, request })
    try {
      return (await answer.promise) as Answer
    } finally {
      signal?.removeEventListener('abort', abort)
      waiting.delete(id)
      if (waiting.size === 0) {
        child.channel?.unref()
        clearTimeout(idle)
        idle = setTimeout(stop, idleMs).unref()
      }
    }
  }
}

function forkHelper(script: string): RunningHelper {
  const child = fork(script, [], {
    ...{ execArgv: [], serialization: 'advanced' },
    env: Object.fromEntries(INHERITED_VARIABLES.map((name) => [name, process.env[name]])),
    // Not in the terminal's process group: Ctrl-C is for us, and we still have work for the helper then.
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  child.unref()
  child.channel?.unref()
  const waiting: RunningHelper['waiting'] = new Map()
  const failAll = (why: string): void => {
    const error = new Error(`no answer from the helper process ${script}: ${why}`)
    for (const answer of waiting.values()) answer.reject(error)
  }
  child.on('message', (message) => resolveReply(waiting, message as HelperReply))
  child.on('error', (error) => failAll(`it could not be started: ${error.message}`))
  child.once('exit', (status, signal) => failAll(`it ended (${signal ?? `exit status ${status}`})`))
  return { child, waiting }
}

/** Nobody would answer a request to a helper that has ended, and its channel may close later than that. */
function hasEnded({ connected, exitCode, signalCode }: ChildProcess): boolean {
  return !connected || exitCode !== null || signalCode !== null
}

function sendRequest(child: ChildProcess, message: HelperRequest): void {
  // A send to a helper that has just gone is ignored here: its end fails the request, too.
  if (child.connected) child.send(message, () => undefined)
}

function resolveReply(waiting: RunningHelper['waiting'], message: HelperReply): void {
  const answer = waiting.get(message.id)
  if ('error' in message) answer?.reject(new Error(message.error))
  else answer?.resolve(message.answer)
}

/** The main loop of a helper's script: answers requests until the channel closes. */
export function serveRequests<Request, Answer>(work: (request: Request, signal: AbortSignal) => Promise<Answer>): void {
  const underWay = new Map<number, AbortController>()
  process.on('disconnect', () => process.exit())
  process.on('message', (message: HelperRequest) => {
    if ('abort' in message) underWay.get(message.id)?.abort()
    else void answer(message.id, message.request as Request)
  })

  async function answer(id: number, request: Request): Promise<void> {
    const controller = new AbortController()
    underWay.set(id, controller)
    const reply = await work(request, controller.signal).then(
      (found): HelperReply => ({ id, answer: found }),
      (error: unknown): HelperReply => ({ id, error: error instanceof Error ? error.message : String(error) }),
    )
    underWay.delete(id)
    process.send?.(reply)
  }
}
