// Connects to an endpoint as the operator's environment says: through HTTPS_PROXY or HTTP_PROXY, unless NO_PROXY names the host.
// The user name and password of that proxy stay outside the sandbox.
import { Agent, request } from 'node:http'
import { connect, type Socket } from 'node:net'

export interface Endpoint {
  readonly host: string
  readonly port: number
}

export interface UpstreamProxy extends Endpoint {
  readonly headers: Readonly<Record<string, string>>
}

export function formatEndpoint({ host, port }: Endpoint): string {
  const name = host.toLowerCase().replace(/\.$/, '')
  return `${name.includes(':') ? `[${name}]` : name}:${port}`
}

/** Takes `host`, `host:port` or a URL. The default port is that of the URL's scheme, else 443. */
export function parseEndpoint(text: string): Endpoint | undefined {
  const url = text.includes('://') ? text : `https://${text}`
  if (!URL.canParse(url)) return undefined
  const { protocol, hostname, port } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '')
  return host === '' ? undefined : { host, port: Number(port) || (protocol === 'http:' ? 80 : 443) }
}

export function findUpstreamProxy(
  endpoint: Endpoint,
  scheme: 'http' | 'https',
  env: NodeJS.ProcessEnv,
): UpstreamProxy | undefined {
  const names = scheme === 'https' ? ['HTTPS_PROXY', 'https_proxy'] : ['HTTP_PROXY', 'http_proxy']
  const proxy = [...names, 'ALL_PROXY', 'all_proxy'].map((name) => env[name]).find((value) => value)
  if (!proxy || isProxyExempt(endpoint, env)) return undefined
  const address = proxy.includes('://') ? proxy : `http://${proxy}`
  // An invalid address counts as no proxy.
  if (!URL.canParse(address)) return undefined
  const { username, password, hostname, port } = new URL(address)
  const secret = `${decodeLeniently(username)}:${decodeLeniently(password)}`
  const headers = username ? { 'proxy-authorization': `Basic ${Buffer.from(secret).toString('base64')}` } : {}
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || 80, headers }
}

/** A `%` that somebody forgot to encode stands for itself. */
function decodeLeniently(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

export async function connectToEndpoint(endpoint: Endpoint, upstream: UpstreamProxy | undefined): Promise<Socket> {
  return await new Promise((resolve, reject) => {
    if (upstream === undefined) {
      const socket = connect(endpoint, () => resolve(socket))
      socket.once('error', reject)
      return
    }
    const path = formatEndpoint(endpoint)
    const asked = request({
      ...upstream,
      agent: new Agent(),
      method: 'CONNECT',
      path,
      headers: { ...upstream.headers, host: path },
    })
    asked.once('error', reject)
    asked.once('connect', (response, socket, head) => {
      if (response.statusCode === 200) {
        if (head.length > 0) socket.unshift(head)
        return resolve(socket)
      }
      socket.destroy()
      reject(new Error(`the proxy ${upstream.host}:${upstream.port} refused ${path} with ${response.statusCode}`))
    })
    asked.end()
  })
}

/** An entry of NO_PROXY is a host, a domain with all below it (with or without a leading dot), or `*`, and may name a port. */
export function isProxyExempt({ host, port }: Endpoint, env: NodeJS.ProcessEnv): boolean {
  // The same order as git's: else git could take another way than the one that is decided on here.
  const list = env.no_proxy || env.NO_PROXY || ''
  return list
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => {
      if (entry === '*') return true
      const [, name = '', at] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? []
      const domain = name.replace(/^\*?\./, '').toLowerCase()
      const isOfIt = host.toLowerCase() === domain || host.toLowerCase().endsWith(`.${domain}`)
      return isOfIt && (at === undefined || Number(at) === port)
    })
}
