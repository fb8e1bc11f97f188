// Entry point of the instance's process, which only `joinInstance` starts. It reports to its starter and to its log. TERM ends it in
// order, a second TERM at once.
import { fileURLToPath } from 'node:url'
import { Settings } from '../../domain/settings/schema.ts'
import { createLogger } from '../../platform/logging/logger.ts'
import { createMasking } from '../../platform/masking/mask-secrets.ts'
import { openHome } from '../home/home.ts'
import { isCompiled } from '../home/package-root.ts'
import { stopServers } from '../temporal-server/adopt-or-start-server.ts'
import type { WorkerModule } from './connect-worker.ts'
import { runInstance } from './run-instance.ts'
import { SETTINGS_VARIABLE, type StartupReport, VERSION_VARIABLE, WORKER_VARIABLE } from './startup-messages.ts'

const started = performance.now()
const stop = new AbortController()
const home = openHome(process.env)
// Standard output is the log file.
const log = createLogger({ masking: createMasking(process.env), fd: 1 })

let lastReportSent = Promise.resolve()

function sendReport(message: StartupReport): void {
  logReport(message)
  // The starter may be gone, or have disconnected.
  lastReportSent = new Promise((resolve) => {
    if (process.connected) process.send?.(message, undefined, undefined, () => resolve())
    else resolve()
  })
}

function logReport(message: StartupReport): void {
  const after_ms = Math.round(performance.now() - started)
  if (message.kind === 'step') log.info(message.text)
  if (message.kind === 'ready') log.info('the server can be reached', { after_ms, address: message.instance.address })
  if (message.kind === 'serving') log.info('the worker is at work', { after_ms })
}

async function handleStopSignal(): Promise<void> {
  if (stop.signal.aborted) {
    await stopServers(home.temporalDatabase, 0)
    process.exit(1)
  }
  stop.abort()
}

process.on('SIGTERM', handleStopSignal)
process.on('SIGINT', handleStopSignal)
process.on('SIGHUP', () => {})
process.on('warning', (error) => log.warn('node warns', { error }))
process.on('uncaughtException', async (error) => {
  log.error('the instance breaks off', { error })
  await log.flush()
  process.exit(1)
})

try {
  const {
    [SETTINGS_VARIABLE]: settings = '',
    [WORKER_VARIABLE]: worker,
    [VERSION_VARIABLE]: version = '',
    ...env
  } = process.env
  const own = new URL(isCompiled() ? '../worker/worker.js' : '../worker/worker.ts', import.meta.url)
  await runInstance({
    home,
    settings: Settings.parse(JSON.parse(settings)),
    env,
    version,
    worker: () => import(worker ?? fileURLToPath(own)) as Promise<WorkerModule>,
    report: sendReport,
    log,
    stop: stop.signal,
  })
} catch (error) {
  log.error('the instance failed', { error })
  sendReport({ kind: 'failed', text: error instanceof Error ? error.message : String(error) })
  process.exitCode = 1
}
log.info('the instance ends')
// A process that ends loses its unsent messages.
await Promise.all([lastReportSent, log.flush()])
process.exit()
