// Starts the process that becomes a home's instance, and follows its reports until its worker runs. The process outlives its starter:
// it leads a process session of its own, and its output goes to a log.
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Settings } from '../../domain/settings/schema.ts'
import type { Environment, Home } from '../home/home.ts'
import { isCompiled, readPackageVersion } from '../home/package-root.ts'
import { rotateLog } from '../temporal-server/rotate-log.ts'
import type { Instance } from './instance-file.ts'
import { SETTINGS_VARIABLE, StartupReport, VERSION_VARIABLE, WORKER_VARIABLE } from './startup-messages.ts'

export interface InstanceStartOptions {
  readonly home: Home
  readonly settings: Settings
  readonly env: Environment
  readonly onStep: (text: string) => void
  /** A test's worker instead of Fixwright's. */
  readonly workerModule?: string
}

export interface InstanceStart {
  readonly pid: number | undefined
  readonly ready: Promise<Instance>
  /** Why the instance failed after it was ready; undefined if its worker runs, or no further report came. */
  readonly failed: Promise<string | undefined>
  /** Whether its worker has come to run. */
  isServing(): boolean
}

/**
 * It waits most of the time, and node keeps what its many threads once needed: with this and few arenas it holds a fifth less memory.
 * With less than this, collecting garbage is a third of its work.
 */
const YOUNG_SPACE = '--max-semi-space-size=4'

// The server's executable may have to be built first. Each step of a start has a shorter time-out of its own.
const START_TIMEOUT_MS = 25 * 60_000

/** The new process becomes the instance, or waits for one that another command is starting and reports that. */
export function startInstance(options: InstanceStartOptions): InstanceStart {
  const child = spawnInstanceProcess(options)
  const ready = Promise.withResolvers<Instance>()
  const failed = Promise.withResolvers<string | undefined>()
  const letGo = (reason?: string) => {
    clearTimeout(timer)
    child.removeAllListeners()
    // A report that is under way would else be kept for later in the channel, which is gone by then: node throws.
    child.on('message', () => undefined)
    if (child.connected) child.disconnect()
    child.unref()
    failed.resolve(reason)
  }
  const fail = (text: string) => {
    // After `ready`, the rejection has no effect, and `failed` passes the reason on.
    ready.reject(new Error(`${text}\nThe instance's log: ${instanceLogPath(options.home)}`))
    letGo(text)
  }
  const timer = setTimeout(
    () => fail(`The instance did not start within ${START_TIMEOUT_MS / 60_000} minutes.`),
    START_TIMEOUT_MS,
  )
  let isReady = false
  let isServing = false
  child.on('message', (message) => {
    const report = StartupReport.parse(message)
    if (report.kind === 'step') options.onStep(report.text)
    if (report.kind === 'failed') fail(report.text)
    if (report.kind === 'serving') {
      isServing = true
      letGo()
    }
    if (report.kind !== 'ready') return
    isReady = true
    clearTimeout(timer)
    // From here on, neither the process nor its channel keeps a command alive.
    child.unref()
    child.channel?.unref()
    ready.resolve(report.instance)
  })
  child.on('error', (error) => fail(`The instance could not be started: ${error.message}.`))
  // `disconnect` comes after the last message; `exit` may come before it.
  child.on('disconnect', () => (isReady ? letGo() : fail('The instance ended while it started.')))
  return { pid: child.pid, ready: ready.promise, failed: failed.promise, isServing: () => isServing }
}

export function instanceLogPath(home: Home): string {
  return join(home.logs, 'instance.log')
}

function spawnInstanceProcess({ home, settings, env, workerModule }: InstanceStartOptions): ChildProcess {
  rotateLog(instanceLogPath(home))
  const log = openSync(instanceLogPath(home), 'a', 0o600)
  try {
    const program = fileURLToPath(new URL(isCompiled() ? './instance-main.js' : './instance-main.ts', import.meta.url))
    // The instance logs warnings itself.
    return spawn(process.execPath, ['--no-warnings', YOUNG_SPACE, program], {
      cwd: home.path,
      detached: true,
      stdio: ['ignore', log, log, 'ipc'],
      env: {
        MALLOC_ARENA_MAX: '2',
        ...env,
        FIXWRIGHT_HOME: home.path,
        FIXWRIGHT_CACHE: home.cache,
        [SETTINGS_VARIABLE]: JSON.stringify(settings),
        [VERSION_VARIABLE]: readPackageVersion(),
        [WORKER_VARIABLE]: workerModule,
      },
    })
  } finally {
    closeSync(log)
  }
}
