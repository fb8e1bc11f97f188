// `fixwright config`: each setting as it holds, and where it came from.

import type { Home } from '../../runtime/home/home.ts'
import { effectiveSettings } from '../../runtime/settings/effective-settings.ts'
import { describeSettings, type LoadedSettings, SettingsError } from '../../runtime/settings/merge-settings.ts'
import { unknownKey } from '../../runtime/settings/settings-sources.ts'
import { BAD_INPUT, badInput, Exit } from '../exit-codes.ts'
import { homeOf } from '../session/connect.ts'
import { paint, print, say } from '../terminal/console.ts'
import { table } from '../terminal/table.ts'

export interface ConfigOptions {
  /** A setting, or a group of them. */
  readonly path?: string | undefined
  readonly repo?: string | undefined
  readonly base?: string | undefined
  readonly json: boolean
  readonly flags: Readonly<Record<string, unknown>>
}

export async function config(options: ConfigOptions): Promise<number> {
  const { path, json } = options
  const loaded = await load(homeOf(), options)
  const rows = describeSettings(loaded).filter((row) => isAt(row.path, path))
  if (path !== undefined && rows.length === 0) {
    throw new Exit(BAD_INPUT, unknownKey(path.split('.'), Object.keys(loaded.settings.profiles)))
  }
  if (json)
    print(
      JSON.stringify(
        rows.map((row) => ({ ...row, value: rawValue(loaded, row) })),
        null,
        2,
      ),
    )
  else print(table(rows.map((row) => [row.path, row.value, paint('dim', row.origin, process.stdout)].map(short))))
  return 0
}

async function load(home: Home, { repo, base, flags }: ConfigOptions): Promise<LoadedSettings> {
  if (repo !== undefined) {
    const { settingsOfRepository } = await import('../../app/preflight/repository-settings.ts')
    const found = await settingsOfRepository({ repository: repo, base }, { home, env: process.env, flags })
    if (found.kind === 'refused') throw badInput(found.problems)
    for (const note of found.notes) say(note)
    return found.loaded
  }
  try {
    return effectiveSettings({ home, env: process.env, flags })
  } catch (error) {
    if (error instanceof SettingsError) throw badInput(error.problems)
    throw error
  }
}

function isAt(path: string, asked: string | undefined): boolean {
  return asked === undefined || path === asked || path.startsWith(`${asked}.`)
}

/** As the setting is: the text of a row hides what looks like a secret, and then so does the JSON. */
function rawValue({ settings }: LoadedSettings, { path, value }: { path: string; value: string }): unknown {
  const own = path.split('.').reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], settings)
  const text = typeof own === 'string' ? own : JSON.stringify(own)
  return text === value ? own : value
}

/** A long list is told by its beginning; the JSON has all of it, and so has the single setting. */
function short(cell: string, column: number, row: readonly string[]): string {
  return column === 1 && row.length > 1 && cell.length > 60 && process.stdout.isTTY ? `${cell.slice(0, 59)}…` : cell
}
