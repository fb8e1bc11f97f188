// A real Temporal server for tests. `sharedTemporal()` is one server for a whole run: the first file that asks starts it
// through a keeper process, which ends it when the runner is gone (the global teardown asks it to, so that nothing is left).
// State in it is shared: a test uses workflow ids, queues, or namespaces of its own.
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { endProcess, ProcessIdentity, readProcessIdentity } from '../../src/platform/processes/process-identity.ts'
import { resolveCachePath } from '../../src/runtime/home/home.ts'
import { findTemporalExecutable } from '../../src/runtime/temporal-server/find-executable.ts'

export interface SharedTemporal {
  readonly address: string
  readonly uiUrl: string
  readonly namespace: string
}

export const TEST_NAMESPACE = 'fixwright'
const START_MS = 240_000

let executable: Promise<string> | undefined

/** Found as a user's is, in the user's cache; fetched once where there is none. */
export function temporalExecutable(): Promise<string> {
  executable ??= findTemporalExecutable({
    env: process.env,
    cache: resolveCachePath(process.env),
    onStep: () => {},
  }).then(({ path }) => path)
  return executable
}

export async function sharedTemporal(): Promise<SharedTemporal> {
  const folder = sharedFolder()
  if (tookLead(folder)) startKeeper(folder)
  const deadline = performance.now() + START_MS
  while (performance.now() < deadline) {
    const told = read(join(folder, 'server.json'))
    if (told !== undefined) return JSON.parse(told) as SharedTemporal
    const failed = read(join(folder, 'failed'))
    if (failed !== undefined) throw new Error(failed)
    await delay(10)
  }
  throw new Error(`The shared Temporal server was not there after ${START_MS / 1000} s; see ${folder}`)
}

/** Ends the run's server, if one was started. */
export async function endSharedTemporal(): Promise<void> {
  const folder = sharedFolder()
  const keeper = read(join(folder, 'keeper.json'))
  if (keeper !== undefined) await endProcess(ProcessIdentity.parse(JSON.parse(keeper)), { graceMs: 10_000 })
  rmSync(folder, { recursive: true, force: true })
}

/** The process that the server must not outlive: the runner, or this one where a file runs by itself. */
function owner(): number {
  return process.env.NODE_TEST_CONTEXT === undefined ? process.pid : process.ppid
}

function sharedFolder(): string {
  return join(tmpdir(), `fixwright-test-temporal-${owner()}`)
}

function tookLead(folder: string): boolean {
  try {
    mkdirSync(folder, { mode: 0o700 })
    return true
  } catch {
    return false
  }
}

function startKeeper(folder: string): void {
  const log = openSync(join(folder, 'keeper.log'), 'a')
  const script = fileURLToPath(new URL('temporal-keeper.ts', import.meta.url))
  const keeper = spawn(process.execPath, [script, folder, String(owner())], {
    detached: true,
    stdio: ['ignore', log, log],
    env: { ...process.env, NODE_TEST_CONTEXT: undefined },
  })
  const identity = readProcessIdentity(keeper.pid ?? 0)
  if (identity !== undefined) writeFileSync(join(folder, 'keeper.json'), JSON.stringify(identity))
  keeper.unref()
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8') || undefined
  } catch {
    return undefined
  }
}

/** A folder of a test's own; removed by what it returns. */
export function temporaryFolder(name: string): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), `fixwright-${name}-`))
  return { path, remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 5 }) }
}
