// Where a repository is hosted, read from the address of a remote or from what people type.

export interface ForgeAddress {
  /** With its port, if it has one: `github.com`, `github.example.com`. */
  readonly host: string
  readonly owner: string
  readonly name: string
}

const REMOTE_FORMS = [
  /^(?:https?|ssh|git):\/\/(?:[^@/]+@)?(?<host>[^/]+)\/(?<owner>[^/]+)\/(?<name>[^/]+?)(?:\.git)?\/?$/,
  /^(?:[^@/]+@)?(?<host>[^:/]+):(?<owner>[^/]+)\/(?<name>[^/]+?)(?:\.git)?\/?$/,
]
const PLAIN_NAME = /^[A-Za-z0-9._-]+$/

/** Undefined for a folder, and for an address that names no owner. */
export function parseRemote(url: string): ForgeAddress | undefined {
  for (const form of REMOTE_FORMS) {
    const { host = '', owner = '', name = '' } = form.exec(url.trim())?.groups ?? {}
    if (isPlain(owner) && isPlain(name)) return { host: withoutSshPort(url, host.toLowerCase()), owner, name }
  }
  return undefined
}

function isPlain(name: string): boolean {
  return PLAIN_NAME.test(name) && !/^\.{1,2}$/.test(name)
}

/** A port of SSH is none of the API's. */
function withoutSshPort(url: string, host: string): string {
  return /^https?:/.test(url) ? host : host.replace(/:\d+$/, '')
}

export interface PullAddress extends Omit<ForgeAddress, 'host'> {
  /** Undefined where only owner and name were typed. */
  readonly host: string | undefined
  readonly number: number
}

/** `owner/name#12`, or the address of its page. */
export function parsePull(typed: string): PullAddress | undefined {
  const forms = [
    /^(?<owner>[^/#\s]+)\/(?<name>[^/#\s]+)#(?<number>\d+)$/,
    /^https?:\/\/(?<host>[^/]+)\/(?<owner>[^/]+)\/(?<name>[^/]+)\/pull\/(?<number>\d+)\/?$/,
  ]
  for (const form of forms) {
    const { host, owner = '', name = '', number } = form.exec(typed.trim())?.groups ?? {}
    if (isPlain(owner) && isPlain(name)) return { host: host?.toLowerCase(), owner, name, number: Number(number) }
  }
  return undefined
}

/** `12` or `#12`: one of the repository that the words around it mean. */
export function parsePullNumber(typed: string): number | undefined {
  const [, number] = /^#?(\d+)$/.exec(typed.trim()) ?? []
  return number === undefined ? undefined : Number(number)
}

/** A token goes over TLS, except to this very machine. */
export function toWebOrigin(host: string): string {
  return `${isLoopback(host) ? 'http' : 'https'}://${host}`
}

function isLoopback(host: string): boolean {
  return /^(127\.\d+\.\d+\.\d+|localhost|\[::1\])(:\d+)?$/.test(host)
}

export const PUBLIC_GITHUB = 'github.com'

export function toApiUrl(host: string): string {
  if (host === PUBLIC_GITHUB) return 'https://api.github.com'
  if (host.endsWith('.ghe.com')) return `https://api.${host}`
  return `${toWebOrigin(host)}/api/v3`
}

export function formatAddress({ host, owner, name }: ForgeAddress): string {
  return host === PUBLIC_GITHUB ? `${owner}/${name}` : `${host}/${owner}/${name}`
}
