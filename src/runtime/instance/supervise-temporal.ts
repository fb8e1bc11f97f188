// Keeps the embedded server running as long as the instance. A server that ends is started again on the same database and, if it is
// still free, on the same port, so that clients and workers reconnect by themselves.
import { setTimeout as delay } from 'node:timers/promises'
import { isRunning } from '../../platform/processes/process-identity.ts'
import {
  adoptOrStartServer,
  type ServerOptions,
  stopServers,
  type TemporalServer,
} from '../temporal-server/adopt-or-start-server.ts'
import { waitUntilFree } from '../temporal-server/free-port.ts'

export interface TemporalSupervisor {
  current(): TemporalServer
  /** Waits until a server that has ended is started again. Throws if it can't be. */
  waitUntilRunning(stop: AbortSignal): Promise<void>
  /** Why the server could not be started again. */
  failure(): Error | undefined
  end(): Promise<void>
}

/** Clients and workers wait for the server anyway, and start again by themselves. */
const SERVER_POLL_MS = 1_000
// If the server ends more often, another start does not help.
const MAX_RESTARTS_PER_MINUTE = 10

export async function superviseTemporal(options: ServerOptions): Promise<TemporalSupervisor> {
  let server = await adoptOrStartServer(options)
  let failure: Error | undefined
  const ended = new AbortController()
  const restarts: number[] = []
  const pause = () => delay(SERVER_POLL_MS, undefined, { signal: ended.signal }).catch(() => {})

  async function watch(): Promise<void> {
    for (await pause(); !ended.signal.aborted; await pause()) {
      if (isRunning(server.identity)) continue
      options.onStep('the Temporal server has ended and is started again')
      restarts.push(performance.now())
      if (restarts.filter((at) => at > performance.now() - 60_000).length > MAX_RESTARTS_PER_MINUTE) {
        throw new Error(`The Temporal server ends again and again; its log: ${options.logFile}`)
      }
      for (const port of [server.port, server.uiPort]) await waitUntilFree(port)
      server = await adoptOrStartServer({ ...options, port: server.port, uiPort: server.uiPort })
    }
  }

  const watching = watch().catch((error: Error) => {
    failure = error
  })
  const waitUntilRunning = async (stop: AbortSignal) => {
    while (!isRunning(server.identity) && !stop.aborted) {
      if (failure !== undefined) throw failure
      await pause()
    }
  }
  const end = async () => {
    ended.abort()
    await watching
    await stopServers(options.database)
  }
  return { current: () => server, waitUntilRunning, failure: () => failure, end }
}
