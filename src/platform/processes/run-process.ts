// Runs one command to its end and owns everything it starts. Three promises: what it prints is on disk as it comes and never
// wholly in memory; it ends by its deadline or when cancelled, with its whole tree; and however it ended, also well,
// nothing that carries its marker is left when this returns. The outcome is a value; only a broken disk throws.
// Gap: a worker that is killed itself sweeps nothing; its successor does, by the marker file (leftovers.ts).
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, open, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { findCommand } from './find-command.ts'
import { createHeadAndTail } from './head-and-tail.ts'
import { interruptMarked, MARKER_VARIABLE, reapMarked } from './marked-processes.ts'
import { writeOutputToFile } from './output-to-file.ts'
import { type BubblewrapOptions, canUsePidNamespace, wrapInNamespace } from './pid-namespace.ts'

/**
 * What a line says about the process. `finish`: this looks like its result; when nothing more comes for a short while, end it.
 * `stop`: there is nothing more to wait for, end it now. `end`: the same, but it may say a last word first where it would.
 * `kill`: whatever it would still do is too much. Nothing: go on (and take back an earlier `finish`).
 */
export type LineVerdict = 'finish' | 'stop' | 'end' | 'kill' | undefined

export interface RunOptions {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  /** Standard input, whole. */
  readonly stdin: string | Uint8Array
  readonly stdoutFile: string
  readonly stderrFile: string
  readonly deadlineMs: number
  /** Between TERM and KILL. Less where it is cancelled: see CANCEL_GRACE_MS. */
  readonly graceMs: number
  readonly signal: AbortSignal
  /** Unique to this process: see marker.ts. */
  readonly marker: string
  readonly onLine?: ((line: string) => LineVerdict) | undefined
  readonly onErrorLine?: ((line: string) => LineVerdict) | undefined
  /** Given to end the process from outside a line: a timer of the caller's that found it stuck. */
  readonly onStart?: ((stop: () => void) => void) | undefined
  /** How long a process may stay after its result. */
  readonly finishGraceMs?: number
  readonly maxLineBytes?: number
  /** Of each stream; more of it is left out of its file, between a beginning of this length and its end. */
  readonly maxBytes?: number
  /** Of each stream; what prints so much is ended. */
  readonly floodBytes?: number
  readonly pidNamespace?: 'auto' | 'off'
  /** They hold whatever `pidNamespace` says; who puts them up has seen that bubblewrap works. */
  readonly bubblewrap?: BubblewrapOptions | undefined
  /** It takes INT as a wish to end, and then says what there is to say: so its deadline begins with that. */
  readonly endsOnInterrupt?: boolean
}

export type EndReason = 'exited' | 'deadline' | 'cancelled' | 'finished_early' | 'flooded' | 'not_found'

export interface RunResult {
  readonly ended: EndReason
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
  readonly durationMs: number
  /** From the start to the first byte on standard output. */
  readonly firstOutputMs: number | undefined
  readonly stdoutBytes: number
  readonly stderrBytes: number
  /** Of both together, what was left out of the files. */
  readonly cutBytes: number
  /** The first and the last lines of standard error. */
  readonly stderr: string
  /** Processes that were still there when the command itself had ended. */
  readonly leftovers: number
  readonly inNamespace: boolean
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>

// Claude has hung after its result line; two seconds are plenty for what it writes to its own folders after it.
const FINISH_GRACE_MS = 2_000
// A person waits for a cancelled session, and nobody for what its processes still have to say.
const CANCEL_GRACE_MS = 1_000
// What takes an interrupt well does so within a tenth of a second.
const INTERRUPT_GRACE_MS = 2_000
// A pipe that something outside our reach holds open would keep us waiting for its end.
const DRAIN_MS = 2_000

export async function runProcess(options: RunOptions): Promise<RunResult> {
  const started = performance.now()
  await mkdir(dirname(options.stdoutFile), { recursive: true })
  await mkdir(dirname(options.stderrFile), { recursive: true })
  const env: NodeJS.ProcessEnv = { ...options.env, [MARKER_VARIABLE]: options.marker }
  const command = await findCommand(options.command, env.PATH, options.cwd)
  if (!existsSync(options.cwd)) throw new Error(`the working directory ${options.cwd} is not there`)
  if (command === undefined) return neverStarted('not_found', `there is no executable ${options.command}`)
  const { bubblewrap } = options
  const inNamespace = bubblewrap !== undefined || (options.pidNamespace !== 'off' && (await canUsePidNamespace()))
  const plain = { command, args: options.args, env }
  const spawnable = inNamespace ? await wrapInNamespace(plain, options.cwd, bubblewrap) : plain
  // Open before the start: node throws away what a process that has ended printed and nobody was reading yet.
  await using stdoutHandle = await open(options.stdoutFile, 'w', 0o600)
  await using stderrHandle = await open(options.stderrFile, 'w', 0o600)
  if (options.signal.aborted) return neverStarted('cancelled', 'cancelled before it was started')

  const child: Child = spawn(spawnable.command, spawnable.args, {
    cwd: options.cwd,
    env: spawnable.env,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const end = Promise.withResolvers<{ code: number | null; signal: NodeJS.Signals | null }>()
  child.once('exit', (code, signal) => end.resolve({ code, signal }))
  child.once('error', end.reject)

  let ended: EndReason = 'exited'
  let ending: Promise<unknown> | undefined
  let asked: { readonly why: EndReason; readonly timer: NodeJS.Timeout } | undefined
  function stop(why: EndReason, graceMs: number): void {
    if (ending === undefined) ended = why === 'cancelled' ? why : (asked?.why ?? why)
    // Also while it ends for another reason, with a longer grace.
    else if (why !== 'cancelled') return
    ending = Promise.all([ending, endProcessTree(child, options.marker, graceMs, inNamespace)])
  }

  function askToEnd(why: EndReason): void {
    if (!options.endsOnInterrupt) stop(why, options.graceMs)
    if (ending !== undefined || asked) return
    ended = why
    asked = { why, timer: setTimeout(() => stop(why, options.graceMs), Math.min(options.graceMs, INTERRUPT_GRACE_MS)) }
    interruptMarked(options.marker)
  }

  let finishing: NodeJS.Timeout | undefined
  function obey(verdict: LineVerdict): void {
    clearTimeout(finishing)
    if (verdict === 'stop') stop('finished_early', options.graceMs)
    if (verdict === 'kill') stop('finished_early', 0)
    if (verdict === 'end') askToEnd('finished_early')
    if (verdict !== 'finish') return
    finishing = setTimeout(() => stop('finished_early', options.graceMs), options.finishGraceMs ?? FINISH_GRACE_MS)
  }

  const deadline = setTimeout(() => askToEnd('deadline'), options.deadlineMs)
  const onAbort = (): void => stop('cancelled', Math.min(options.graceMs, CANCEL_GRACE_MS))
  options.signal.addEventListener('abort', onAbort, { once: true })

  const head = createHeadAndTail(20, 40)
  let firstOutputMs: number | undefined
  const onFlood = (): void => stop('flooded', options.graceMs)
  const onLine = (line: string): void => {
    if (options.onLine) obey(options.onLine(line))
  }
  const stdout = writeOutputToFile(child.stdout, stdoutHandle, options, onLine, onFlood)
  child.stdout.once('readable', () => {
    firstOutputMs = performance.now() - started
  })
  const onErrorLine = (line: string): void => {
    head.add(line)
    if (options.onErrorLine?.(line) === 'stop') stop('finished_early', options.graceMs)
  }
  const stderr = writeOutputToFile(child.stderr, stderrHandle, options, onErrorLine, onFlood)
  // A disk that is full ends the process at once; the error is thrown below, when nothing is left running.
  const spilled = Promise.all([stdout, stderr])
  spilled.catch(() => stop('finished_early', options.graceMs))
  // A process that does not read its prompt closes the pipe: what it does without one shows in its result.
  child.stdin.on('error', () => undefined)
  child.stdin.end(options.stdin)
  options.onStart?.(() => stop('finished_early', options.graceMs))

  try {
    const { code, signal } = await end.promise
    clearTimeout(deadline)
    clearTimeout(finishing)
    clearTimeout(asked?.timer)
    await ending
    const swept = await reapMarked(options.marker, { graceMs: options.graceMs, group: child.pid })
    // A cancellation may have come meanwhile.
    await ending
    const drained = setTimeout(() => {
      child.stdout.destroy()
      child.stderr.destroy()
    }, DRAIN_MS)
    const [out, error] = await spilled.finally(() => clearTimeout(drained))
    return {
      ended,
      exitCode: code,
      signal,
      durationMs: performance.now() - started,
      firstOutputMs,
      stdoutBytes: out.bytes,
      stderrBytes: error.bytes,
      cutBytes: out.cutBytes + error.cutBytes,
      stderr: head.text(),
      leftovers: swept.ended.length,
      inNamespace,
    }
  } catch (error) {
    if (child.pid === undefined) return await neverStarted('not_found', (error as Error).message)
    throw error
  } finally {
    clearTimeout(deadline)
    clearTimeout(finishing)
    clearTimeout(asked?.timer)
    options.signal.removeEventListener('abort', onAbort)
  }

  /** The files are there also of a process that never was: who keeps records need not ask. */
  async function neverStarted(why: EndReason, stderrText: string): Promise<RunResult> {
    await writeFile(options.stdoutFile, '')
    await writeFile(options.stderrFile, stderrText)
    return {
      ended: why,
      exitCode: null,
      signal: null,
      durationMs: performance.now() - started,
      firstOutputMs: undefined,
      stdoutBytes: 0,
      stderrBytes: 0,
      cutBytes: 0,
      stderr: stderrText,
      leftovers: 0,
      inNamespace: false,
    }
  }
}

/**
 * TERM to the group and to what carries the marker, then KILL; without a grace KILL at once, since whoever is told can still act.
 * In a namespace the group is bwrap's: it only gets the KILL.
 */
async function endProcessTree(child: Child, marker: string, graceMs: number, inNamespace: boolean): Promise<void> {
  if (child.pid === undefined) return
  if (!inNamespace || graceMs === 0) {
    try {
      process.kill(-child.pid, graceMs === 0 ? 'SIGKILL' : 'SIGTERM')
    } catch {
      // The group is gone already; what left it is found by its marker.
    }
  }
  await reapMarked(marker, { graceMs, group: child.pid })
}
