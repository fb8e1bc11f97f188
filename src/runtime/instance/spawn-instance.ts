// Starts the process that becomes a home's instance, and listens to what it says until its worker is at work. The process
// stays when its starter goes: it leads a session of its own, and its output goes to a log.
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Settings } from '../../domain/settings/schema.ts'
import type { Environment, Home } from '../home/home.ts'
import { isCompiled } from '../home/package-root.ts'
import { readPackageVersion } from '../home/version.ts'
import { rotateLog } from '../temporal-server/rotate-log.ts'
import type { Instance } from './instance-file.ts'
import { SETTINGS_VARIABLE, StartupReport, VERSION_VARIABLE, WORKER_VARIABLE } from './startup-messages.ts'

export interface InstanceStartOptions {
  readonly home: Home
  readonly settings: Settings
  readonly env: Environment
  readonly onStep: (text: string) => void
  /** A test's own worker instead of Fixwright's. */
  readonly workerModule?: string
}

export interface InstanceStart {
  readonly pid: number | undefined
  readonly ready: Promise<Instance>
  /** Why it failed after it was ready; undefined when its worker is at work, or when it said nothing more. */
  readonly failed: Promise<string | undefined>
}

// An executable may have to be built first; each step of a start has a shorter time-out of its own.
const START_TIMEOUT_MS = 25 * 60_000

/** Becomes the instance, or waits for the one that another command is just starting and answers with that. */
export function startInstance(options: InstanceStartOptions): InstanceStart {
  const child = spawnInstanceProcess(options)
  const ready = Promise.withResolvers<Instance>()
  const failed = Promise.withResolvers<string | undefined>()
  const letGo = (reason?: string) => {
    clearTimeout(timer)
    child.removeAllListeners()
    if (child.connected) child.disconnect()
    child.unref()
    failed.resolve(reason)
  }
  const fail = (text: string) => {
    // Too late for one that is ready already: then it is for those who watch.
    ready.reject(new Error(`${text}\nThe instance's log: ${instanceLogPath(options.home)}`))
    letGo(text)
  }
  const timer = setTimeout(
    () => fail(`The instance did not start within ${START_TIMEOUT_MS / 60_000} minutes.`),
    START_TIMEOUT_MS,
  )
  let isReady = false
  child.on('message', (message) => {
    const report = StartupReport.parse(message)
    if (report.kind === 'step') options.onStep(report.text)
    if (report.kind === 'failed') fail(report.text)
    if (report.kind === 'serving') letGo()
    if (report.kind !== 'ready') return
    isReady = true
    clearTimeout(timer)
    // From here on neither the process nor the channel to it keeps a command alive.
    child.unref()
    child.channel?.unref()
    ready.resolve(report.instance)
  })
  child.on('error', (error) => fail(`The instance could not be started: ${error.message}.`))
  // Comes after its last words, which the exit need not.
  child.on('disconnect', () => (isReady ? letGo() : fail('The instance ended while it started.')))
  return { pid: child.pid, ready: ready.promise, failed: failed.promise }
}

export function instanceLogPath(home: Home): string {
  return join(home.logs, 'instance.log')
}

function spawnInstanceProcess({ home, settings, env, workerModule }: InstanceStartOptions): ChildProcess {
  rotateLog(instanceLogPath(home))
  const log = openSync(instanceLogPath(home), 'a', 0o600)
  try {
    const program = fileURLToPath(new URL(isCompiled() ? './instance-main.js' : './instance-main.ts', import.meta.url))
    // Warnings go into its log by themselves.
    return spawn(process.execPath, ['--no-warnings', program], {
      cwd: home.path,
      detached: true,
      stdio: ['ignore', log, log, 'ipc'],
      env: {
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
