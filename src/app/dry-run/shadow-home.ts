// A temporary copy of a home. Settings and trust are read from the real home, which is never changed or created.
import { copyFileSync, mkdtempSync, realpathSync, rmSync, type Stats, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Environment, type Home, openHome, resolveHomePath } from '../../runtime/home/home.ts'

const MAX_COPY_ATTEMPTS = 5

export interface ShadowHome {
  readonly home: Home
  /** The sessions folder of the real home, which may not exist. */
  readonly sessions: string
}

export async function withShadowHome<T>(env: Environment, use: (shadow: ShadowHome) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'fixwright-dry-'))
  registerFolder(folder)
  try {
    const place = resolveHomePath(env)
    const real = statIfPresent(place) ? realpathSync(place) : place
    const home = openHome({ ...env, FIXWRIGHT_HOME: folder })
    copyStore(join(real, 'fixwright.db'), home.database)
    const own = { settingsFile: join(real, 'settings.yaml'), trustFolder: join(real, 'trust') }
    return await use({ home: { ...home, ...own }, sessions: join(real, 'sessions') })
  } finally {
    removeFolder(folder)
  }
}

const activeFolders = new Set<string>()
const EXIT_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

function registerFolder(folder: string): void {
  if (activeFolders.size === 0) {
    process.on('exit', removeAllFolders)
    for (const signal of EXIT_SIGNALS) process.on(signal, onSignal)
  }
  activeFolders.add(folder)
}

function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
  activeFolders.delete(folder)
  if (activeFolders.size > 0) return
  process.off('exit', removeAllFolders)
  for (const signal of EXIT_SIGNALS) process.off(signal, onSignal)
}

function removeAllFolders(): void {
  for (const folder of activeFolders) removeFolder(folder)
}

/** A signal runs no `finally`. Other listeners decide about the process. Gap: SIGKILL leaves the folder behind. */
function onSignal(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return
  removeAllFolders()
  process.kill(process.pid, signal)
}

/** Copies the database with its log, again if either changed. Gap: under constant writes it may be a moment old. */
function copyStore(from: string, to: string): void {
  const parts = ['', '-wal']
  for (let copy = 1; copy <= MAX_COPY_ATTEMPTS; copy++) {
    const before = parts.map((part) => readFileStamp(`${from}${part}`)).join()
    for (const part of parts) {
      rmSync(`${to}${part}`, { force: true })
      if (statIfPresent(`${from}${part}`)) copyFileSync(`${from}${part}`, `${to}${part}`)
    }
    if (parts.map((part) => readFileStamp(`${from}${part}`)).join() === before) return
  }
}

function readFileStamp(file: string): string {
  const stats = statIfPresent(file)
  return stats ? `${stats.size}/${stats.mtimeMs}` : ''
}

function statIfPresent(file: string): Stats | undefined {
  return statSync(file, { throwIfNoEntry: false })
}
