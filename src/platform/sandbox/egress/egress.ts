// Opens the way out of a sandbox's own network: starts the proxy outside, and lists what the inside needs for it.
import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { SandboxView } from '../bubblewrap-arguments.ts'
import { startEgressProxy } from './egress-proxy.ts'
import { type Endpoint, formatEndpoint, parseEndpoint } from './upstream-proxy.ts'

interface Egress {
  readonly relayCommand: readonly string[]
  readonly readable: readonly string[]
  readonly bindMounts: NonNullable<SandboxView['bindMounts']>
  readonly environment: NodeJS.ProcessEnv
  refusedEndpoints(): readonly string[]
  close(): Promise<void>
}

const INNER_SOCKET = '/run/fixwright/gateway'
/** The next port is taken if an allowed local service has this one. Nothing else listens on the loopback of a new namespace. */
const DEFAULT_PROXY_PORT = 3128
/** Ports below it belong to root, and nobody is root inside. */
const FIRST_OPEN_PORT = 1024
const PROXIES = ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy']
const OTHER_PROXIES = ['ALL_PROXY', 'all_proxy']
const EXCEPTIONS = ['NO_PROXY', 'no_proxy']
const LOOPBACK = ['localhost', '127.0.0.1', '::1']

/** For runs without a way out: the operator's proxy would be of no use there, and its password stays theirs. */
export const NO_EGRESS_ENVIRONMENT: NodeJS.ProcessEnv = Object.fromEntries(
  [...PROXIES, ...OTHER_PROXIES, ...EXCEPTIONS].map((name) => [name, undefined]),
)

export async function openEgress(
  endpoints: readonly Endpoint[],
  more: readonly string[],
  { folder, environment }: { readonly folder: string; readonly environment: NodeJS.ProcessEnv },
): Promise<Egress> {
  const problem = egressProblem(endpoints, more)
  if (problem !== undefined) throw new Error(problem)
  const socket = join(folder, 'gateway')
  // Left by an earlier run that was killed.
  await rm(socket, { force: true })
  const allowed = listAllowedEndpoints(endpoints, more)
  const { refusedEndpoints, close } = await startEgressProxy({ socket, endpoints: allowed, environment })
  const script = findRelayScript()
  const services = listLocalServices(allowed)
  const port = chooseProxyPort(services)
  return {
    relayCommand: [process.execPath, script, INNER_SOCKET, String(port), services.map(formatEndpoint).join()],
    readable: [process.execPath, script],
    bindMounts: [{ at: INNER_SOCKET, is: socket }],
    environment: Object.fromEntries([
      // Node's own fetch, which Gemini uses, heeds these variables only with this switch.
      ['NODE_USE_ENV_PROXY', '1'],
      ...PROXIES.map((name) => [name, `http://127.0.0.1:${port}`]),
      // Servers that an agent's tests start are reached directly.
      ...EXCEPTIONS.map((name) => [name, LOOPBACK.join()]),
      ...OTHER_PROXIES.map((name) => [name, undefined]),
    ]),
    refusedEndpoints,
    close,
  }
}

/** Why one of these endpoints can't be reached from inside. Reported before any agent call. */
export function egressProblem(endpoints: readonly Endpoint[], more: readonly string[]): string | undefined {
  const service = listLocalServices(listAllowedEndpoints(endpoints, more)).find(({ port }) => port < FIRST_OPEN_PORT)
  if (service === undefined) return undefined
  return `sandbox.mode is require, and ${formatEndpoint(service)} can't be reached from inside, where nobody may listen below 1024: serve it on a higher port, or set sandbox.mode to auto`
}

function listAllowedEndpoints(endpoints: readonly Endpoint[], more: readonly string[]): Endpoint[] {
  return [...endpoints, ...more.flatMap((text) => parseEndpoint(text) ?? [])]
}

/** Services on this machine's loopback. Inside, the loopback is another one, so each gets the same port there, one for all its names. */
function listLocalServices(allowed: readonly Endpoint[]): Endpoint[] {
  const local = allowed.filter(({ host }) => LOOPBACK.includes(host))
  return local.filter(({ port }, at) => local.findIndex((each) => each.port === port) === at)
}

function chooseProxyPort(services: readonly Endpoint[]): number {
  let port = DEFAULT_PROXY_PORT
  while (services.some((service) => service.port === port)) port += 1
  return port
}

function findRelayScript(): string {
  const here = fileURLToPath(import.meta.url)
  return join(dirname(here), here.endsWith('.ts') ? 'relay-main.ts' : 'relay-main.js')
}
