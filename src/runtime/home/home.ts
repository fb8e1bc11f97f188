// The home is one folder for all that Fixwright keeps, private to its user: it holds prompts, replies and clones. Homes on one machine
// share only the cache of downloaded tools.
import { randomUUID } from 'node:crypto'
import { chmodSync, existsSync, lstatSync, mkdirSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { readOrCreateFile } from './read-or-create-file.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** The places of a home, which need not exist. */
export interface HomePaths {
  readonly path: string
  readonly database: string
  readonly artifacts: string
  readonly sessions: string
  /** Clones of remote repositories. */
  readonly repositories: string
  readonly agentHome: string
  readonly logs: string
  readonly temporalDatabase: string
  readonly instanceFile: string
  readonly lockFile: string
  /** The socket of the instance's door. */
  readonly door: string
  readonly leases: string
  readonly settingsFile: string
  /** The operator's trust, one file for each repository; made with the first file. */
  readonly trustFolder: string
  /** Downloaded tools and compiled code; outside the home, shared by all homes of the user. */
  readonly cache: string
}

export interface Home extends HomePaths {
  /** Names this home in task queues; stored, so that a queue outlives the processes that serve it. */
  readonly hostId: string
}

/** The home that the environment names, else the one in the platform's usual place. Creates nothing. */
export function locateHome(env: Environment): HomePaths {
  const named = resolveIfSet(env.FIXWRIGHT_HOME) ?? join(userDataFolder(env), 'fixwright')
  const path = existsSync(named) ? realpathSync(named) : named
  const at = (...names: string[]) => join(path, ...names)
  return {
    path,
    database: at('fixwright.db'),
    artifacts: at('artifacts'),
    sessions: at('sessions'),
    repositories: at('repositories'),
    agentHome: at('agent-home'),
    logs: at('logs'),
    temporalDatabase: at('temporal', 'temporal.db'),
    instanceFile: at('instance.json'),
    lockFile: at('instance.lock'),
    door: at('instance.door'),
    leases: at('leases'),
    settingsFile: at('settings.yaml'),
    trustFolder: at('trust'),
    cache: resolveCachePath(env),
  }
}

/** Opens the home that the environment names. Creates it if missing. */
export function openHome(env: Environment): Home {
  openPrivateFolder(locateHome(env).path)
  const home = locateHome(env)
  const { artifacts, sessions, agentHome, logs, temporalDatabase, leases } = home
  for (const folder of [artifacts, sessions, agentHome, logs, dirname(temporalDatabase), leases]) {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  }
  return { ...home, hostId: readOrCreateFile(join(home.path, 'host-id'), () => `${randomUUID().slice(0, 8)}\n`).trim() }
}

export function resolveCachePath(env: Environment): string {
  return resolveIfSet(env.FIXWRIGHT_CACHE) ?? join(userCacheFolder(env), 'fixwright')
}

/**
 * Makes or takes a folder and ensures that only its user can look into it.
 * Gap: Windows has no mode bits; there the folder is as private as the user's profile.
 */
function openPrivateFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new Error(
      `The folder ${path} can't be made (${(error as Error).message}); set FIXWRIGHT_HOME to one that can.`,
    )
  }
  const real = realpathSync(path)
  const found = lstatSync(real)
  const user = process.getuid?.()
  if (!found.isDirectory()) throw new Error(`${path} is no folder; set FIXWRIGHT_HOME to a folder.`)
  if (user === undefined) return
  if (found.uid !== user) {
    throw new Error(
      `The folder ${path} belongs to user ${found.uid}, not to you (${user}); set FIXWRIGHT_HOME to a folder of your own.`,
    )
  }
  if ((found.mode & 0o077) !== 0) chmodSync(real, 0o700)
  if ((lstatSync(real).mode & 0o077) !== 0) {
    throw new Error(
      `The folder ${path} can be read by others and its file system can't change that; set FIXWRIGHT_HOME to another place.`,
    )
  }
}

function userDataFolder(env: Environment): string {
  if (process.platform === 'darwin') return join(userFolder(env), 'Library', 'Application Support')
  if (process.platform === 'win32') return env.LOCALAPPDATA ?? join(userFolder(env), 'AppData', 'Local')
  return absoluteXdgPath(env.XDG_DATA_HOME) ?? join(userFolder(env), '.local', 'share')
}

function userCacheFolder(env: Environment): string {
  if (process.platform === 'darwin') return join(userFolder(env), 'Library', 'Caches')
  if (process.platform === 'win32') return env.LOCALAPPDATA ?? join(userFolder(env), 'AppData', 'Local')
  return absoluteXdgPath(env.XDG_CACHE_HOME) ?? join(userFolder(env), '.cache')
}

function userFolder(env: Environment): string {
  return env.HOME || homedir()
}

/** By the XDG rules, a relative path in these variables is ignored. */
function absoluteXdgPath(value: string | undefined): string | undefined {
  return value && isAbsolute(value) ? value : undefined
}

function resolveIfSet(value: string | undefined): string | undefined {
  return value ? resolve(value) : undefined
}
