// `npm run bench:start`: what a command costs before it does anything, beside a bare `node -e 0` in the same run, and what an idle `up`
// holds in memory. The fastest of many starts counts: what else the machine does only makes them slower. A page of a file that several
// processes map is in memory once, and counts once.
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const ROOT = join(import.meta.dirname, '..')
const FIXWRIGHT = join(ROOT, 'bin', 'fixwright')
const STARTS = 15
const MAX_RATIO = 4
const MAX_HELP_MS = 150
const MAX_IDLE_MB = 400

const folder = mkdtempSync(join(tmpdir(), 'fixwright-start-'))
const env = {
  ...process.env,
  FIXWRIGHT_HOME: join(folder, 'home'),
  FIXWRIGHT_TEMPORAL_PORT: '0',
  FIXWRIGHT_TEMPORAL_UI_PORT: '0',
}
try {
  const bare = measureStart(process.execPath, ['-e', '0'])
  process.stdout.write(`node -e 0: ${bare.toFixed(0)} ms\n`)
  for (const command of ['--help', 'list', 'status']) {
    const ms = measureStart(FIXWRIGHT, [command])
    report(`fixwright ${command}`, `${ms.toFixed(0)} ms, ${(ms / bare).toFixed(1)} ×`, ms / bare <= MAX_RATIO)
    if (command === '--help') report('fixwright --help', `at most ${MAX_HELP_MS} ms`, ms <= MAX_HELP_MS)
  }
  const idle = await measureIdle()
  report('idle up', `${idle.toFixed(0)} MB in all its processes, shared files once`, idle <= MAX_IDLE_MB)
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

function report(what: string, found: string, isGood: boolean): void {
  process.stdout.write(`${isGood ? '✔' : '✗'} ${what}: ${found}\n`)
  if (!isGood) process.exitCode = 1
}

function measureStart(command: string, args: readonly string[]): number {
  const times = Array.from({ length: STARTS }, () => {
    const began = performance.now()
    spawnSync(command, args, { env, cwd: folder, stdio: 'ignore' })
    return performance.now() - began
  })
  return Math.min(...times)
}

/** The memory of the command, its instance and the Temporal server, once it says that it is up. */
async function measureIdle(): Promise<number> {
  const up = spawn(FIXWRIGHT, ['up'], { env, cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = new Promise((resolve) => up.once('close', resolve))
  try {
    for await (const line of createInterface({ input: up.stderr })) if (line.includes('up until Ctrl-C')) break
    await new Promise((resolve) => setTimeout(resolve, 5_000))
    return sumMemory()
  } finally {
    up.kill('SIGINT')
    await ended
  }
}

/** Of all processes of this home: the command, its instance and the Temporal server know it by argument or environment, helpers by their parent. */
function sumMemory(): number {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
  const own = pids.filter((pid) => ['cmdline', 'environ'].some((file) => readProcess(pid, file).includes(folder)))
  const helpers = pids.filter((pid) => own.includes(/^PPid:\s+(\d+)$/m.exec(readProcess(pid, 'status'))?.[1] ?? ''))
  const all = [...new Set([...own, ...helpers])]
  const files = new Map<string, number>()
  for (const pid of all) {
    for (const [file, size] of measureFiles(pid)) files.set(file, Math.max(files.get(file) ?? 0, size))
  }
  const shared = [...files.values()].reduce((sum, size) => sum + size, 0)
  return all.reduce((sum, pid) => sum + readOwnMemory(pid), shared) / 1024
}

function readOwnMemory(pid: string): number {
  const sizes = readProcess(pid, 'status').matchAll(/^Rss(?:Anon|Shmem):\s+(\d+) kB/gm)
  return [...sizes].reduce((sum, [, size]) => sum + Number(size), 0)
}

/** What is in memory of each file that the process maps, without the pages it has changed. */
function measureFiles(pid: string): Map<string, number> {
  const sizes = new Map<string, number>()
  let file = ''
  for (const line of readProcess(pid, 'smaps').split('\n')) {
    const [, path] = /^[\da-f]+-[\da-f]+ \S+ \S+ \S+ \d+ +(\/.*)?$/.exec(line) ?? []
    if (/^[\da-f]+-[\da-f]+ /.test(line)) file = path ?? ''
    const [, name, size] = /^(Rss|Anonymous):\s+(\d+) kB/.exec(line) ?? []
    if (file !== '' && name !== undefined)
      sizes.set(file, (sizes.get(file) ?? 0) + (name === 'Rss' ? 1 : -1) * Number(size))
  }
  return sizes
}

function readProcess(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}
