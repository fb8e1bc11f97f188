// The address of a repository that is cloned into the home: by https or ssh, from a host that the operator named, and without a secret in it.

export interface RemoteUrl {
  readonly kind: 'remote'
  readonly scheme: 'https' | 'ssh'
  /** In small letters; IPv6 in brackets. */
  readonly host: string
  readonly port: number
  /** As git gets it. */
  readonly url: string
}

export interface UnusableUrl {
  readonly kind: 'unusable'
  readonly problem: string
}

const DEFAULT_PORTS = { https: 443, ssh: 22 } as const
const AUTHORITY = /^(?:([^@]*)@)?([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::(\d{1,5}))?$/i
const SSH_USER = /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/
const SEGMENT = /^[A-Za-z0-9_.~+@!%][A-Za-z0-9_.~+@!%-]*$/
/** `git@host:owner/name.git`. */
const SHORT_SSH = /^([^\s/@:]+@[^\s/@:]+):([^\s]+)$/

/** Whether what was typed is meant as an address, and not as a folder. `ext::` and the like are addresses for git, too. */
export function isMeantAsUrl(typed: string): boolean {
  return /^[A-Za-z][A-Za-z0-9+.-]*:(:|\/\/)/.test(typed) || SHORT_SSH.test(typed)
}

export function parseRemoteUrl(typed: string): RemoteUrl | UnusableUrl {
  const short = SHORT_SSH.exec(typed)
  const text = short ? `ssh://${short[1]}/${short[2]?.replace(/^\/+/, '')}` : typed
  const [, scheme, authority = '', path = ''] = /^(https|ssh):\/\/([^/]+)\/(.+)$/.exec(text) ?? []
  if (scheme !== 'https' && scheme !== 'ssh')
    return unusable('only https://HOST/PATH and ssh://USER@HOST/PATH can be cloned')
  const [whole, user, host, digits] = AUTHORITY.exec(authority) ?? []
  if (whole === undefined || host === undefined) return unusable('its host can not be read')
  if (scheme === 'https' && user !== undefined)
    return unusable('it holds a user or a password, which would stay in records: name them in repositories.credentials')
  if (user !== undefined && !SSH_USER.test(user)) return unusable('its user can not be read, or holds a password')
  const port = digits === undefined ? DEFAULT_PORTS[scheme] : Number(digits)
  if (port < 1 || port > 65_535) return unusable('there is no such port')
  const segments = path.replace(/\/$/, '').split('/')
  if (!segments.every(isPlainSegment)) return unusable('its path has characters or parts that it may not have')
  const name = host.toLowerCase()
  const at = `${user === undefined ? '' : `${user}@`}${name}${port === DEFAULT_PORTS[scheme] ? '' : `:${port}`}`
  return { kind: 'remote', scheme, host: name, port, url: `${scheme}://${at}/${segments.join('/')}` }
}

/** `named` are hosts, with a port where it is not the usual one. */
export function isNamedHost({ scheme, host, port }: RemoteUrl, named: readonly string[]): boolean {
  const usual = port === DEFAULT_PORTS[scheme]
  return named.some((each) => each.toLowerCase() === `${host}:${port}` || (usual && each.toLowerCase() === host))
}

/** The folder's name, as `git clone` would call it. */
export function toFolderName({ url }: RemoteUrl): string {
  return url.slice(url.lastIndexOf('/') + 1).replace(/\.git$/, '')
}

function isPlainSegment(segment: string): boolean {
  if (!SEGMENT.test(segment) || /^\.+$/.test(segment)) return false
  try {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for
    return !/[\u0000-\u001f\u007f/\\]|^\.+$/.test(decodeURIComponent(segment))
  } catch {
    return false
  }
}

function unusable(why: string): UnusableUrl {
  return { kind: 'unusable', problem: `this address can not be used: ${why}` }
}
