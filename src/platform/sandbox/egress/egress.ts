// The way out of a network of its own, both ends of it: the gateway out here, and what has to be seen and set inside for it.
import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Seen } from '../bubblewrap-arguments.ts'
import { openGateway } from './egress-proxy.ts'
import { type Endpoint, endpointOf, endpointText } from './upstream-proxy.ts'

interface WayOut {
  readonly relay: readonly string[]
  readonly readable: readonly string[]
  readonly instead: NonNullable<Seen['instead']>
  readonly environment: NodeJS.ProcessEnv
  refused(): readonly string[]
  close(): Promise<void>
}

const SOCKET = '/run/fixwright/gateway'
/** Or the next one that no service has: nothing else listens on the loopback of a new namespace. */
const PORT = 3128
/** Those below it are root's, which nobody is inside. */
const FIRST_OPEN_PORT = 1024
const PROXIES = ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy']
const OTHER_PROXIES = ['ALL_PROXY', 'all_proxy']
const EXCEPTIONS = ['NO_PROXY', 'no_proxy']
const LOOPBACK = ['localhost', '127.0.0.1', '::1']

/** Where there is none: the operator's proxy would be of no use, and its password is theirs. */
export const NO_WAY_OUT: NodeJS.ProcessEnv = Object.fromEntries(
  [...PROXIES, ...OTHER_PROXIES, ...EXCEPTIONS].map((name) => [name, undefined]),
)

export async function openWayOut(
  endpoints: readonly Endpoint[],
  more: readonly string[],
  { folder, environment }: { readonly folder: string; readonly environment: NodeJS.ProcessEnv },
): Promise<WayOut> {
  const problem = reachProblem(endpoints, more)
  if (problem !== undefined) throw new Error(problem)
  const socket = join(folder, 'gateway')
  // Of a run before this one that was killed.
  await rm(socket, { force: true })
  const allowed = allowedOf(endpoints, more)
  const { refused, close } = await openGateway({ socket, endpoints: allowed, environment })
  const script = relayScript()
  const services = servicesIn(allowed)
  const port = portBeside(services)
  return {
    relay: [process.execPath, script, SOCKET, String(port), services.map(endpointText).join()],
    readable: [process.execPath, script],
    instead: [{ at: SOCKET, is: socket }],
    environment: Object.fromEntries([
      // Node's own fetch, which Gemini uses, goes by these variables only when it is told to.
      ['NODE_USE_ENV_PROXY', '1'],
      ...PROXIES.map((name) => [name, `http://127.0.0.1:${port}`]),
      // What an agent's tests start for themselves is reached without a way out.
      ...EXCEPTIONS.map((name) => [name, LOOPBACK.join()]),
      ...OTHER_PROXIES.map((name) => [name, undefined]),
    ]),
    refused,
    close,
  }
}

/** Why something of these can't be had in there: told before any call is made. */
export function reachProblem(endpoints: readonly Endpoint[], more: readonly string[]): string | undefined {
  const service = servicesIn(allowedOf(endpoints, more)).find(({ port }) => port < FIRST_OPEN_PORT)
  if (service === undefined) return undefined
  return `sandbox.mode is require, and ${endpointText(service)} can't be reached from inside, where nobody may listen below 1024: serve it on a higher port, or set sandbox.mode to auto`
}

function allowedOf(endpoints: readonly Endpoint[], more: readonly string[]): Endpoint[] {
  return [...endpoints, ...more.flatMap((text) => endpointOf(text) ?? [])]
}

/** Loopback inside is not loopback outside: what is served on this machine has the same port in there, one for all its names. */
function servicesIn(allowed: readonly Endpoint[]): Endpoint[] {
  const local = allowed.filter(({ host }) => LOOPBACK.includes(host))
  return local.filter(({ port }, at) => local.findIndex((each) => each.port === port) === at)
}

function portBeside(services: readonly Endpoint[]): number {
  let port = PORT
  while (services.some((service) => service.port === port)) port += 1
  return port
}

/** Beside this file, compiled or not. */
function relayScript(): string {
  const here = fileURLToPath(import.meta.url)
  return join(dirname(here), here.endsWith('.ts') ? 'relay-main.ts' : 'relay-main.js')
}
