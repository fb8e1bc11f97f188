// Clones of remote repositories in the home: from hosts that the operator named, and brought up to date before each session.
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Refusal } from '../../domain/errors/fixwright-error.ts'
import { isNamedHost, parseRemoteUrl, type RemoteUrl } from '../../domain/repository/remote-url.ts'
import type { Settings } from '../../domain/settings/schema.ts'
import { syncClone } from '../../platform/git/remote/sync-clone.ts'
import { isProxyExempt } from '../../platform/sandbox/egress/upstream-proxy.ts'
import { resolveHost } from '../../platform/web/resolve-host.ts'
import type { Environment, HomePaths } from '../../runtime/home/home.ts'

export interface RemoteClone {
  readonly folder: string
  readonly url: string
}

const RESOLVE_WITHIN_MS = 15_000

interface RemotePorts {
  readonly home: HomePaths
  readonly env: Environment
  readonly settings: Settings['repositories']
}

export async function updateClone(
  { folder, url }: RemoteClone,
  ports: RemotePorts,
): Promise<{ readonly kind: 'current'; readonly notes: readonly string[] } | Refusal> {
  const { home, settings } = ports
  // What is fetched replaces branches and files: that is for a clone of ours alone.
  if (realpath(dirname(folder)) !== realpath(home.repositories))
    return refuse(
      'repository_unusable',
      `${folder} is no clone in ${home.repositories}: remove it, and add ${url} again`,
    )
  const remote = parseRemoteUrl(url)
  if (remote.kind === 'unusable') return refuse('remote_not_allowed', remote.problem)
  const { host, port, scheme } = remote
  if (!isNamedHost(remote, settings.hosts)) {
    const named = settings.hosts.length === 0 ? 'none is' : `only ${settings.hosts.join(', ')}`
    return refuse(
      'remote_not_allowed',
      `${host}:${port} is no host of repositories.hosts: ${named} named there by the operator`,
    )
  }
  const reach = await reachHost(remote, ports.env)
  if (reach.kind !== 'reached') return reach
  const credential = readCredential(remote, settings)
  if (credential?.kind === 'refused') return credential
  const scratch = join(home.repositories, `.fetch-${randomBytes(6).toString('hex')}`)
  const outcome = await syncClone({ folder, scratch, scheme, url: remote.url, credential, pinned: reach.pinned })
  if (outcome.kind === 'current')
    return { kind: 'current', notes: outcome.notes.map((note) => `${remote.url}: ${note}`) }
  return refuse('repository_unreachable', `${remote.url} can't be fetched: ${outcome.why}`)
}

/** A named host may be of the operator's own network. A proxy resolves names itself, unless NO_PROXY exempts the host. Ssh resolves it anew. */
async function reachHost(
  { scheme, host, port }: RemoteUrl,
  env: Environment,
): Promise<{ readonly kind: 'reached'; readonly pinned?: string } | Refusal> {
  const isExempt = isProxyExempt({ host, port }, env)
  if (scheme === 'https' && (env.HTTPS_PROXY || env.https_proxy) && !isExempt) return { kind: 'reached' }
  const found = await resolveHost(host, { mayBePrivate: true, timeoutMs: RESOLVE_WITHIN_MS })
  if (found.kind !== 'resolved')
    return refuse(found.kind === 'failed' ? 'repository_unreachable' : 'remote_not_allowed', found.reason)
  const addresses = found.addresses.map(({ address, family }) => (family === 6 ? `[${address}]` : address))
  return { kind: 'reached', ...(scheme === 'https' ? { pinned: `${host}:${port}:${addresses.join(',')}` } : {}) }
}

/** A folder that is gone stands for itself. */
function realpath(folder: string): string {
  return existsSync(folder) ? realpathSync(folder) : folder
}

function readCredential({ scheme, host, port }: RemoteUrl, { credentials }: Settings['repositories']) {
  const names = [`${host}:${port}`, ...(port === 443 ? [host] : [])]
  const found = scheme === 'https' ? credentials.find((each) => names.includes(each.host.toLowerCase())) : undefined
  if (found === undefined) return undefined
  try {
    return {
      kind: 'read' as const,
      username: found.username,
      password: readFileSync(found.password_file, 'utf8').trim(),
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return refuse('file_unusable', `password_file of repositories.credentials for ${found.host} can't be read: ${code}`)
  }
}

function refuse(code: Refusal['code'], problem: string): Refusal {
  return { kind: 'refused', code, problems: [problem] }
}
