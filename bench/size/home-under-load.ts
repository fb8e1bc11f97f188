// A home with a running instance, and what a size makes of it: memory, CPU, disk, and the time of what people ask it.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import type { ScriptedModel } from '../../rehearsal/model.ts'
import { type Home, openHome } from '../../src/runtime/home/home.ts'
import { findLiveInstance } from '../../src/runtime/instance/instance-file.ts'
import { findRunningServers } from '../../src/runtime/temporal-server/running-servers.ts'
import { openStore } from '../../src/store/open-store.ts'
import type { Store } from '../../src/store/store.ts'
import { readCpuMs } from '../processes.ts'
import { type Bench, environmentOf } from '../session.ts'

const FIXWRIGHT = join(import.meta.dirname, '..', '..', 'bin', 'fixwright')
const ASKED = 5
const POLL_MS = 100

export interface Figure {
  readonly value: number
  readonly unit: string
  /** Whether it is expected to grow with the work. */
  readonly isEach: boolean
}
export type Figures = Readonly<Record<string, Figure>>

export interface HomeUnderLoad {
  readonly home: Home
  readonly store: Store
  start(args: readonly string[]): RunningCommand
  /** Of several runs the fastest, and the least CPU: what else the machine does only makes them slower. */
  time(what: string, args: readonly string[]): Figures
  /** CPU, memory and disk since `begin`. */
  begin(): () => Figures
}

export interface RunningCommand {
  readonly ended: Promise<{ readonly status: number | null; readonly stdout: string; readonly peakMb: number }>
}

export async function withHome<T>(bench: Bench, use: (at: HomeUnderLoad) => Promise<T>): Promise<T> {
  const env = environmentOf(bench)
  const home = openHome(env)
  const store = await openStore(home.database)
  const up = spawn(FIXWRIGHT, ['up'], { env, stdio: 'ignore' })
  const commands = new Set<ChildProcess>()
  try {
    while (!findLiveInstance(home)) await delay(POLL_MS)
    const start: HomeUnderLoad['start'] = (args) => {
      const child = spawn(FIXWRIGHT, args, { env })
      commands.add(child)
      child.once('exit', () => commands.delete(child))
      return watchCommand(child, args)
    }
    return await use({
      home,
      store,
      start,
      time: (what, args) => {
        const runs = Array.from({ length: ASKED }, () => timeCommand(env, args))
        return {
          [what]: whole(Math.min(...runs.map(({ wallMs }) => wallMs)), 'ms'),
          [`${what}, CPU`]: whole(Math.min(...runs.map(({ cpuMs }) => cpuMs)), 'ms'),
        }
      },
      begin: () => beginMeasuring(home),
    })
  } finally {
    for (const child of commands) child.kill('SIGKILL')
    up.kill('SIGINT')
    await once(up, 'exit')
    await store.close()
  }
}

function timeCommand(env: NodeJS.ProcessEnv, args: readonly string[]) {
  const from = performance.now()
  const timed = ['-c', 'TIMEFORMAT="%3U %3S"; { time "$@" > /dev/null 2>&1; } 2>&1', 'bash', FIXWRIGHT, ...args]
  const { stdout } = spawnSync('bash', timed, { env, encoding: 'utf8' })
  const [user = 0, system = 0] = stdout.trim().split(' ').map(Number)
  return { wallMs: performance.now() - from, cpuMs: (user + system) * 1000 }
}

function watchCommand(child: ChildProcess, args: readonly string[]): RunningCommand {
  let [stdout, stderr, peakMb] = ['', '', 0]
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const looking = setInterval(() => {
    peakMb = Math.max(peakMb, readPeakMb(child.pid ?? 0))
  }, POLL_MS)
  const end = async () => {
    const [status] = (await once(child, 'close')) as [number | null]
    clearInterval(looking)
    if (status !== 0) throw new Error(`fixwright ${args.join(' ')} ended with ${status}:\n${stderr.slice(-2000)}`)
    return { status, stdout, peakMb }
  }
  const ended = end()
  // Whoever waits for it hears of it. The others are killed with the bench.
  ended.catch(() => undefined)
  return { ended }
}

/** As long as it takes: the machine may be busy. */
export async function untilFixing(model: ScriptedModel, code?: string): Promise<void> {
  const isIt = ({ role, codes }: ReturnType<ScriptedModel['calls']>[number]) =>
    role === 'fixer' && (code === undefined || codes.includes(code))
  while (!model.calls().some(isIt)) await delay(POLL_MS)
}

function beginMeasuring(home: Home): () => Figures {
  const pids = {
    instance: findLiveInstance(home)?.identity.pid ?? 0,
    Temporal: findRunningServers(home.temporalDatabase)[0]?.identity.pid ?? 0,
  }
  const cpu = { instance: readCpuMs(pids.instance), Temporal: readCpuMs(pids.Temporal) }
  const disk = measureDisk(home)
  return () => {
    const now = measureDisk(home)
    return {
      'CPU of the instance': each((readCpuMs(pids.instance) - cpu.instance) / 1000, 's'),
      'CPU of Temporal': each((readCpuMs(pids.Temporal) - cpu.Temporal) / 1000, 's'),
      'memory of the instance at its most': whole(readPeakMb(pids.instance), 'MB'),
      'memory of Temporal at its most': whole(readPeakMb(pids.Temporal), 'MB'),
      'store on disk': each((now.store - disk.store) / 1024, 'KB'),
      'artifacts on disk': each((now.artifacts - disk.artifacts) / 1024, 'KB'),
      "Temporal's database": each((now.temporal - disk.temporal) / 1024, 'KB'),
    }
  }
}

/** Grows with the work. */
export function each(value: number, unit: string): Figure {
  return { value, unit, isEach: true }
}

/** Should stay what it is. */
export function whole(value: number, unit: string): Figure {
  return { value, unit, isEach: false }
}

function measureDisk(home: Home): { readonly store: number; readonly artifacts: number; readonly temporal: number } {
  return {
    store: sizeOfDatabase(home.database),
    artifacts: sizeOfFolder(home.artifacts),
    temporal: sizeOfDatabase(home.temporalDatabase),
  }
}

/** With what lies in its log, and without pages that are free. */
function sizeOfDatabase(file: string): number {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    const read = (name: string) => Number(Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0])
    return (read('page_count') - read('freelist_count')) * read('page_size')
  } finally {
    database.close()
  }
}

function sizeOfFolder(folder: string): number {
  const entries = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return entries.reduce((sum, entry) => {
    const stat = lstatSync(join(folder, entry), { throwIfNoEntry: false })
    return sum + (stat?.isFile() ? stat.size : 0)
  }, 0)
}

function readPeakMb(pid: number): number {
  try {
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}
