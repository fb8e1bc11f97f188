// Builds the bubblewrap arguments for what is visible inside. The view starts empty: system programs read-only, an empty home.
// Gap: as root, files of root that the system folders hold can be read; those that keep passwords are covered.
import { existsSync, lstatSync, readlinkSync, realpathSync } from 'node:fs'
import { join, sep } from 'node:path'
import { resolveIfExists } from './hidden-credentials.ts'

export type Network = 'open' | 'none'

export interface SandboxView {
  /** The real folder that stands in for the operator's home. */
  readonly home: { readonly at: string; readonly folder: string }
  readonly readable: readonly string[]
  readonly writable: readonly string[]
  /** Covered if it lies below something visible. */
  readonly hidden: readonly string[]
  /** Other content than what lies at that path outside. */
  readonly bindMounts?: readonly { readonly at: string; readonly is: string }[]
}

const SYSTEM_FOLDERS = ['/usr', '/etc', '/opt', '/nix', '/gnu', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32']
/** Visible parts of folders that are not visible as a whole. */
const SYSTEM_PARTS = [
  '/run/current-system',
  '/var/lib/ca-certificates',
  '/sys/devices/system/cpu',
  '/sys/fs/cgroup',
  // On most machines a link from /etc into a folder that is not visible.
  '/etc/resolv.conf',
]
const PASSWORD_FILES = ['/etc/shadow', '/etc/shadow-', '/etc/gshadow', '/etc/gshadow-', '/etc/ssl/private', '/etc/ssh']

const ISOLATION_ARGUMENTS = ['--unshare-user', '--unshare-ipc', '--cap-drop', 'ALL']
const EMPTY_MOUNTS = ['--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp', '--tmpfs', '/var/tmp', '--tmpfs', '/run']
const NO_NETWORK = '--unshare-net'

/** Only the system's programs: this view is tried before any agent call. */
export function buildBareArguments(network: Network): string[] {
  return [
    ...ISOLATION_ARGUMENTS,
    ...(network === 'none' ? [NO_NETWORK] : []),
    ...buildSystemArguments(),
    ...EMPTY_MOUNTS,
    '--remount-ro',
    '/',
  ]
}

interface Mount {
  readonly at: string
  readonly args: readonly string[]
  /** `itself` also shows what lies there outside. */
  readonly kind: 'itself' | 'nothing' | 'instead'
  readonly isReadOnly?: boolean
}

/** Outer folders are mounted first, so a hidden one stays hidden below a readable one, and a workspace shows in a hidden home. */
export function buildMountArguments(seen: SandboxView, network: Network): string[] {
  const shown = { kind: 'itself', isReadOnly: true } as const
  const mounts: Mount[] = [
    { at: seen.home.at, args: ['--bind', seen.home.folder, seen.home.at], kind: 'instead' },
    ...(seen.bindMounts ?? []).map(({ at, is }): Mount => ({ at, args: ['--bind', is, at], kind: 'instead' })),
    ...withRealPaths(seen.readable).map((at): Mount => ({ ...shown, at, args: ['--ro-bind-try', at, at] })),
    ...withRealPaths(seen.hidden).map((at): Mount => ({ at, args: ['--tmpfs', at], kind: 'nothing' })),
    ...withRealPaths(seen.writable).map((at): Mount => ({ at, args: ['--bind-try', at, at], kind: 'itself' })),
  ]
  const system = SYSTEM_FOLDERS.map((at): Mount => ({ ...shown, at, args: [] }))
  // The sort is stable: of two mounts at the same place the later in the list wins.
  const ordered = [...system, ...mounts].toSorted((a, b) => depth(a.at) - depth(b.at))
  return [
    ...[...ISOLATION_ARGUMENTS, ...(network === 'none' ? [NO_NETWORK] : [])],
    ...[...buildSystemArguments(), ...EMPTY_MOUNTS],
    ...ordered.flatMap((mount, index) => {
      const isLeftOut = mount.kind !== 'instead' && isBehindLink(mount.at, ordered)
      return isLeftOut || isShownAlready(mount, ordered.slice(0, index)) ? [] : mount.args
    }),
    // Writes anywhere else fail instead of vanishing unseen.
    ...['--remount-ro', '/'],
  ]
}

/** Whether a link in the mount around it leads here: bubblewrap would follow it out of the view. Its target is mounted, too. */
function isBehindLink(at: string, ordered: readonly Mount[]): boolean {
  if (resolveIfExists(at) === at) return false
  const around = ordered.findLast((mount) => at.startsWith(`${mount.at}${sep}`))
  if (around === undefined || around.kind === 'instead') return false
  if (isBehindLink(around.at, ordered)) return true
  return (
    around.kind === 'itself' && resolveIfExists(at) !== join(resolveIfExists(around.at), at.slice(around.at.length))
  )
}

/** Whether an earlier mount shows the same, read-only as well. Needless mounts are a quarter of what a sandbox costs a call. */
function isShownAlready({ at, isReadOnly }: Mount, before: readonly Mount[]): boolean {
  const isIn = (folder: string): boolean => at === folder || at.startsWith(`${folder}${sep}`)
  const around = before.findLast((mount) => isIn(mount.at))
  if (!isReadOnly || !around?.isReadOnly || PASSWORD_FILES.some(isIn)) return false
  return resolveIfExists(at) === join(resolveIfExists(around.at), at.slice(around.at.length))
}

function buildSystemArguments(): string[] {
  const folders = SYSTEM_FOLDERS.filter((path) => existsSync(path)).flatMap((path) =>
    isLink(path) ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path],
  )
  const parts = SYSTEM_PARTS.filter((path) => existsSync(path))
    .map((path) => realpathSync(path))
    .filter((path) => !path.startsWith('/etc/'))
    .flatMap((path) => ['--ro-bind', path, path])
  const covered = PASSWORD_FILES.filter((path) => existsSync(path)).flatMap((path) =>
    lstatSync(path).isDirectory() ? ['--tmpfs', path] : ['--ro-bind', '/dev/null', path],
  )
  return [...folders, ...(process.getuid?.() === 0 ? covered : []), ...parts]
}

/** Each path with its real path: programs use either. */
function withRealPaths(paths: readonly string[]): string[] {
  return [...new Set(paths.filter((path) => existsSync(path)).flatMap((path) => [path, realpathSync(path)]))]
}

function isLink(path: string): boolean {
  return lstatSync(path).isSymbolicLink()
}

function depth(path: string): number {
  return path === sep ? 0 : path.split(sep).length
}
