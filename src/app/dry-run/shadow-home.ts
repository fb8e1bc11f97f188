// A home that nothing is lost with: a copy of what a person's home knows, in a folder of its own that goes when it was used. What the
// person says (settings, trust) is read where they said it. The home itself is only read, and not even made where it is not there.
// Gaps: a copy of the store that is taken while somebody writes into it again and again may be a moment old; and SIGKILL leaves it behind.
import { copyFileSync, mkdtempSync, realpathSync, rmSync, type Stats, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Environment, type Home, openHome, placeOfHome } from '../../runtime/home/home.ts'

const COPIES = 5

export interface Shadow {
  readonly home: Home
  /** Where the sessions of the person's home lie, or would. */
  readonly sessions: string
}

export async function inShadowOf<T>(env: Environment, use: (shadow: Shadow) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'fixwright-dry-'))
  keep(folder)
  try {
    const place = placeOfHome(env)
    const real = statOf(place) ? realpathSync(place) : place
    const home = openHome({ ...env, FIXWRIGHT_HOME: folder })
    copyStore(join(real, 'fixwright.db'), home.database)
    const own = { settingsFile: join(real, 'settings.yaml'), trust: join(real, 'trust') }
    return await use({ home: { ...home, ...own }, sessions: join(real, 'sessions') })
  } finally {
    remove(folder)
  }
}

/** Shadows that are in use. */
const folders = new Set<string>()
const ENDING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

function keep(folder: string): void {
  if (folders.size === 0) {
    process.on('exit', removeAll)
    for (const signal of ENDING) process.on(signal, onSignal)
  }
  folders.add(folder)
}

function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
  folders.delete(folder)
  if (folders.size > 0) return
  process.off('exit', removeAll)
  for (const signal of ENDING) process.off(signal, onSignal)
}

function removeAll(): void {
  for (const folder of folders) remove(folder)
}

/** Nobody's finally is run by a signal. Where somebody else listens, it is theirs to say what comes of it. */
function onSignal(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return
  removeAll()
  process.kill(process.pid, signal)
}

/** With what was written last, which lies beside it. Both have to be of one moment. */
function copyStore(from: string, to: string): void {
  const parts = ['', '-wal']
  for (let copy = 1; copy <= COPIES; copy++) {
    const before = parts.map((part) => stampOf(`${from}${part}`)).join()
    for (const part of parts) {
      rmSync(`${to}${part}`, { force: true })
      if (statOf(`${from}${part}`)) copyFileSync(`${from}${part}`, `${to}${part}`)
    }
    if (parts.map((part) => stampOf(`${from}${part}`)).join() === before) return
  }
}

function stampOf(file: string): string {
  const stats = statOf(file)
  return stats ? `${stats.size}/${stats.mtimeMs}` : ''
}

function statOf(file: string): Stats | undefined {
  return statSync(file, { throwIfNoEntry: false })
}
