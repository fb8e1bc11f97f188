// Runs one command to its end and owns everything it starts. The outcome is a value; only a broken disk throws. Gap: a worker
// that is killed sweeps nothing itself; its successor does, by the marker file (reap-orphans.ts).
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, open, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { execa } from 'execa'
import { findCommand } from './find-command.ts'
import { createHeadAndTail } from './head-and-tail.ts'
import { MARKER_VARIABLE } from './marked-processes.ts'
import { closeWhenQuiet, type OutputLimits, writeOutputToFile } from './output-to-file.ts'
import { type BubblewrapOptions, canUsePidNamespace, wrapInNamespace } from './pid-namespace.ts'
import { type EndReason, type LineVerdict, type SupervisionOptions, superviseProcess } from './supervise-process.ts'

export interface RunOptions extends SupervisionOptions, OutputLimits {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly stdin: string | Uint8Array
  readonly stdoutFile: string
  readonly stderrFile: string
  readonly onLine?: ((line: string) => LineVerdict) | undefined
  readonly onErrorLine?: ((line: string) => LineVerdict) | undefined
  /** Receives a function that ends the process, for callers that find it stuck by a timer of their own. */
  readonly onStart?: ((stop: () => void) => void) | undefined
  readonly pidNamespace?: 'auto' | 'off'
  /** Applies whatever `pidNamespace` says. Callers that pass it have checked that bubblewrap works. */
  readonly bubblewrap?: BubblewrapOptions | undefined
}

export interface RunResult {
  readonly ended: EndReason
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
  readonly durationMs: number
  /** How many bytes of both streams together are not in the files. */
  readonly cutBytes: number
  /** The first and the last lines of standard error. */
  readonly stderr: string
  /** Processes that still ran when the command itself had ended. */
  readonly leftovers: number
  readonly inNamespace: boolean
}

// A process outside our reach that holds a pipe open would keep us waiting for its end.
const DRAIN_MS = 2_000

/**
 * The output is on disk as it comes and is never wholly in memory. The command ends with its whole tree, by its deadline or when
 * cancelled. However it ended, even successfully, no process with its marker is left when this returns.
 */
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
  await using stdoutHandle = await open(options.stdoutFile, 'w', 0o600)
  await using stderrHandle = await open(options.stderrFile, 'w', 0o600)
  if (options.signal.aborted) return neverStarted('cancelled', 'cancelled before it was started')

  // Everything from here to the first `await` is one turn of the event loop: node throws away output that nobody reads yet.
  const child = execa(spawnable.command, spawnable.args, {
    ...{ cwd: options.cwd, env: spawnable.env, extendEnv: false, detached: true },
    ...{ input: options.stdin, encoding: 'buffer', buffer: false, reject: false },
  })
  if (child.pid === undefined) return neverStarted('not_found', `${(await child).originalMessage}`)
  using supervision = superviseProcess(child.pid, inNamespace, options)
  const { stdout, stderr } = child
  const exit = once(child.nodeChildProcess, 'exit')
  const head = createHeadAndTail(20, 40)
  const onFlood = (): void => supervision.stop('flooded')
  const onLine = (line: string): void => {
    if (options.onLine) supervision.obey(options.onLine(line))
  }
  const onErrorLine = (line: string): void => {
    head.add(line)
    if (options.onErrorLine?.(line) === 'stop') supervision.stop('finished_early')
  }
  const written = Promise.all([
    writeOutputToFile(stdout, stdoutHandle, options, onLine, onFlood),
    writeOutputToFile(stderr, stderrHandle, options, onErrorLine, onFlood),
  ])
  // A full disk ends the process at once. The error is thrown below, when nothing is left running.
  written.catch(() => supervision.stop('finished_early'))
  options.onStart?.(() => supervision.stop('finished_early'))

  await exit
  const leftovers = await supervision.sweep()
  const closing = closeWhenQuiet([stdout, stderr], DRAIN_MS)
  const [out, error] = await written.finally(closing.stop)
  const { exitCode = null, signal = null } = await child
  return {
    ended: supervision.endReason(),
    exitCode,
    signal,
    durationMs: performance.now() - started,
    cutBytes: out.cutBytes + error.cutBytes,
    stderr: head.text(),
    leftovers,
    inNamespace,
  }

  /** The files exist even for a process that never ran, so that those who keep them as records need not check. */
  async function neverStarted(why: EndReason, stderrText: string): Promise<RunResult> {
    await writeFile(options.stdoutFile, '')
    await writeFile(options.stderrFile, stderrText)
    const durationMs = performance.now() - started
    const status = { exitCode: null, signal: null, inNamespace: false, cutBytes: 0, leftovers: 0 }
    return { ended: why, durationMs, ...status, stderr: stderrText }
  }
}
