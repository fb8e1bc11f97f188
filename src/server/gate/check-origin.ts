// Keeps other pages of the asker's browser out. DNS rebinding brings a foreign Host, a page on another origin its Origin.
import { ApiProblem } from '../problem.ts'

const LOOPBACK_NAMES: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

/** Undefined if the header names no host, or more than one. */
export function parseHostName(header: string | undefined): string | undefined {
  const [, name] = /^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(?::\d{1,5})?$/.exec(header ?? '') ?? []
  return name?.toLowerCase()
}

export function isLoopbackName(name: string): boolean {
  return LOOPBACK_NAMES.has(name)
}

/** Whether a Host header names this service. */
export function isOwnName(host: string | undefined, names: readonly string[]): boolean {
  const name = parseHostName(host)
  return name !== undefined && (LOOPBACK_NAMES.has(name) || names.some((each) => each.toLowerCase() === name))
}

export interface RequestOrigin {
  readonly host: string | undefined
  readonly origin: string | undefined
  readonly fetchSite: string | undefined
}

/** `names` are the operator's names for this service besides those of loopback. */
export function checkOrigin({ host, origin, fetchSite }: RequestOrigin, names: readonly string[]): void {
  if (!isOwnName(host, names)) {
    throw new ApiProblem(
      421,
      'host_not_allowed',
      'this service does not go by the name in the Host header; server.names lists its names besides localhost',
    )
  }
  if (fetchSite !== undefined && fetchSite !== 'same-origin' && fetchSite !== 'none') {
    throw new ApiProblem(403, 'origin_not_allowed', 'a page of another site may not call this service')
  }
  if (origin !== undefined && !isOwnOrigin(origin, host)) {
    throw new ApiProblem(403, 'origin_not_allowed', 'a page of another origin may not call this service')
  }
}

/** Another port is another origin: there may be a server of the very code that is being fixed. */
function isOwnOrigin(origin: string, host: string | undefined): boolean {
  try {
    return new URL(origin).host === new URL(`${new URL(origin).protocol}//${host}`).host
  } catch {
    return false
  }
}
