// How git reaches a remote by its address from a git directory of our own: with the credential for its host, which a helper gives at one
// prompt, and with nothing of the repository's configuration.
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { GitOptions } from '../git.ts'

export interface RemoteCredential {
  readonly username: string
  readonly password: string
}

export interface RemoteAccess {
  /** A place for the git directory; what is there is removed, before and after. */
  readonly folder: string
  readonly url: string
  readonly credential?: RemoteCredential | undefined
  /** After so long without a byte, a remote by HTTP is given up. */
  readonly silenceSeconds?: number | undefined
}

/** A server that counts objects or runs its hooks sends a byte every five seconds. */
const SILENCE_SECONDS = 120

/** For ssh: the same patience with a connection that is dead. */
export const SSH_PATIENCE = '-o ConnectTimeout=30 -o ServerAliveInterval=30 -o ServerAliveCountMax=4'

export function prepareRemoteAccess({ url, credential, folder, silenceSeconds = SILENCE_SECONDS }: RemoteAccess): {
  readonly url: string
  readonly options: GitOptions & Required<Pick<GitOptions, 'env' | 'config'>>
} {
  const transport = findTransport(url)
  const common = { HOME: folder, GIT_ALLOW_PROTOCOL: transport ?? 'none', ...listNetworkVariables(transport) }
  const [, scheme = '', host = ''] = /^(https?):\/\/([^/]+)\//.exec(url) ?? []
  const patience = [
    ['http.lowSpeedLimit', '1'],
    ['http.lowSpeedTime', `${silenceSeconds}`],
  ] as const
  if (credential === undefined || scheme === '') return { url, options: { env: common, config: patience } }
  const { username, password } = credential
  const askpass = join(folder, 'askpass')
  writeFileSync(askpass, ASKPASS, { mode: 0o700 })
  const env = {
    ...common,
    GIT_ASKPASS: askpass,
    FIXWRIGHT_PUSH_PROMPT: `Password for '${scheme}://${username}@${host}': `,
    FIXWRIGHT_PUSH_PASSWORD: password,
  }
  const config = [...patience, ['http.followRedirects', 'false'], ['http.emptyAuth', 'false']] as const
  return { url: url.replace(`${scheme}://`, `${scheme}://${username}@`), options: { env, config } }
}

/** Answers the one prompt that it is for, whatever git was led to. */
const ASKPASS = `#!/bin/sh
[ "$1" = "$FIXWRIGHT_PUSH_PROMPT" ] || exit 1
printf '%s\\n' "$FIXWRIGHT_PUSH_PASSWORD"
`

type Transport = 'http' | 'https' | 'ssh' | 'file'

/** Undefined for those that run a command, or that tell nobody who pushes. */
function findTransport(url: string): Transport | undefined {
  if (/^[\w-]+::/.test(url)) return undefined
  const scheme = /^([\w+.-]+):\/\//.exec(url)?.[1]
  if (scheme === undefined) return /^[^/]+:/.test(url) ? 'ssh' : 'file'
  return (['http', 'https', 'ssh', 'file'] as const).find((each) => each === scheme)
}

/** The operator's way to the network. A proxy sees no credential over TLS. SSH has the operator's agent and known hosts, and asks nobody. */
function listNetworkVariables(transport: Transport | undefined): Record<string, string> {
  const { SSH_AUTH_SOCK, GIT_SSH_COMMAND = `ssh -o BatchMode=yes ${SSH_PATIENCE}` } = process.env
  if (transport === 'ssh') return { GIT_SSH_COMMAND, ...(SSH_AUTH_SOCK === undefined ? {} : { SSH_AUTH_SOCK }) }
  const names = transport === 'https' ? ['HTTPS_PROXY', 'https_proxy', 'NO_PROXY', 'no_proxy', 'GIT_SSL_CAINFO'] : []
  return Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name] ?? '']] : [])))
}

/** Separates the credential from an address as a configuration has it, and makes that of a folder absolute. */
export function splitRemoteUrl(
  root: string,
  written: string,
): { readonly url: string; readonly credential?: RemoteCredential } {
  const [, scheme = '', user = '', rest = ''] = /^((?:https?|ssh):\/\/)([^@/]*)@(.*)$/.exec(written) ?? []
  const [username = '', ...passwords] = user.split(':')
  if (scheme === 'ssh://') return { url: `${scheme}${username}@${rest}` }
  if (scheme === '')
    return { url: findTransport(written) === 'file' && !written.includes('://') ? resolve(root, written) : written }
  const password = passwords.join(':')
  const url = `${scheme}${rest}`
  return password === '' ? { url } : { url, credential: { username: decode(username), password: decode(password) } }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
