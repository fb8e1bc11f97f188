// Programs that answer many requests, one after the other: a start for each would take longer than the answer.
import { type ChildProcess, spawn } from 'node:child_process'
import { Socket } from 'node:net'
import type { Readable, Writable } from 'node:stream'

export interface LastingRequest {
  /** Requests of one key go to one process. */
  readonly key: string
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly input: string | Buffer
  /** The last bytes of the answer, which nothing else in it can end with. */
  readonly ending: string
}

export interface LastingProcesses {
  /** Undefined if the process ended or fell silent without an answer: the caller starts the program for this request alone. */
  ask(request: LastingRequest, signal?: AbortSignal): Promise<Buffer | undefined>
}

interface LastingProcess {
  readonly child: ChildProcess
  /** Resolves when nothing is asked any more. */
  queue: Promise<unknown>
  asked: number
  waiting: number
  idle: NodeJS.Timeout | undefined
}

export interface LastingOptions {
  readonly idleMs?: number
  /** After so long without a byte of the answer the process is killed. */
  readonly silentMs?: number
  readonly maxProcesses?: number
  readonly maxRequests?: number
}

/** Longer than a working program is silent. One that hangs, as its file system may, would else hold all who ask it. */
const SILENT_MS = 120_000
/** A process that waits for a device does not end when it is killed. */
const END_WITHIN_MS = 2_000

/**
 * A process begins with the first request of its key, and ends when none came for a while, after many (it may keep what it read), when
 * others are needed more, or with us, as its standard input then closes. It stands in the root folder, so it keeps no other from going.
 */
export function createLastingProcesses(options: LastingOptions = {}): LastingProcesses {
  const { idleMs = 10_000, silentMs = SILENT_MS, maxProcesses = 8, maxRequests = 1_000 } = options
  // The first entry is the one that was asked least lately.
  const running = new Map<string, LastingProcess>()
  return { ask }

  async function ask(request: LastingRequest, signal?: AbortSignal): Promise<Buffer | undefined> {
    signal?.throwIfAborted()
    const { key } = request
    const lasting = running.get(key) ?? start(request)
    running.delete(key)
    running.set(key, lasting)
    clearTimeout(lasting.idle)
    lasting.asked += 1
    lasting.waiting += 1
    if (lasting.asked >= maxRequests) running.delete(key)
    const answer = lasting.queue.then(() => askProcess(lasting.child, request, silentMs, signal))
    lasting.queue = answer
    try {
      const found = await answer
      if (found === undefined && running.get(key) === lasting) running.delete(key)
      return found
    } finally {
      lasting.waiting -= 1
      if (lasting.waiting === 0) {
        if (running.get(key) !== lasting) end(lasting)
        else lasting.idle = setTimeout(() => forget(key, lasting), idleMs).unref()
      }
    }
  }

  function start({ key, command, args, env }: LastingRequest): LastingProcess {
    const child = spawn(command, args, { cwd: '/', env: { ...env }, stdio: ['pipe', 'pipe', 'ignore'] })
    const lasting = { child, queue: Promise.resolve(), asked: 0, waiting: 0, idle: undefined }
    // It may end while we write, and then the answer is missing: that is all there is to know.
    for (const each of [child, child.stdin]) each.on('error', () => undefined)
    child.once('close', () => forget(key, lasting))
    // Nobody stays alive for a process that is asked nothing.
    child.unref()
    for (const pipe of [child.stdin, child.stdout]) unref(pipe)
    const [[oldest, leastUsed] = []] = running.size < maxProcesses ? [] : running
    if (oldest !== undefined && leastUsed?.waiting === 0) forget(oldest, leastUsed)
    return lasting
  }

  function forget(key: string, lasting: LastingProcess): void {
    if (running.get(key) === lasting) running.delete(key)
    end(lasting)
  }
}

function end({ child, idle }: LastingProcess): void {
  clearTimeout(idle)
  child.stdin?.end()
}

function unref(pipe: Readable | Writable): void {
  if (pipe instanceof Socket) pipe.unref()
}

function askProcess(
  child: ChildProcess,
  request: LastingRequest,
  silentMs: number,
  signal?: AbortSignal,
): Promise<Buffer | undefined> {
  const { promise, resolve } = Promise.withResolvers<Buffer | undefined>()
  const { stdin, stdout } = child
  const hasEnded = child.pid === undefined || child.killed || child.exitCode !== null || child.signalCode !== null
  if (hasEnded || stdin === null || stdout === null || signal?.aborted) return Promise.resolve(undefined)
  const ending = Buffer.from(request.ending)
  const chunks: Buffer[] = []
  const kill = (): void => {
    child.kill('SIGKILL')
    clearTimeout(timer)
    timer = setTimeout(() => resolve(undefined), END_WITHIN_MS)
  }
  let timer = setTimeout(kill, silentMs)
  const onData = (chunk: Buffer): void => {
    timer.refresh()
    chunks.push(chunk)
    if (!endsWith(chunks, ending)) return
    const all = Buffer.concat(chunks)
    resolve(all.subarray(0, all.length - ending.length))
  }
  const onClose = (): void => resolve(undefined)
  stdout.on('data', onData)
  if (stdout instanceof Socket) stdout.ref()
  child.once('close', onClose)
  signal?.addEventListener('abort', kill, { once: true })
  stdin.write(request.input)
  return promise.finally(() => {
    clearTimeout(timer)
    stdout.off('data', onData)
    unref(stdout)
    child.off('close', onClose)
    signal?.removeEventListener('abort', kill)
  })
}

function endsWith(chunks: Buffer[], ending: Buffer): boolean {
  // The ending may come in several chunks: the last ones become one that is long enough.
  while (chunks.length > 1 && chunks.at(-1)!.length < ending.length) {
    const last = chunks.pop()!
    chunks.push(Buffer.concat([chunks.pop()!, last]))
  }
  const last = chunks.at(-1)!
  return last.length >= ending.length && last.subarray(-ending.length).equals(ending)
}
