// `fixwright config`: each setting as it holds, and where it came from.

import { FixwrightError, RefusedError } from '../../app/errors.ts'
import type { Home } from '../../runtime/home/home.ts'
import { loadEffectiveSettings } from '../../runtime/settings/effective-settings.ts'
import { describeSettings, type LoadedSettings } from '../../runtime/settings/merge-settings.ts'
import { describeUnknownKey } from '../../runtime/settings/settings-sources.ts'
import { openCliHome } from '../session/connect.ts'
import { paint, print, printNotice } from '../terminal/console.ts'
import { formatTable } from '../terminal/table.ts'

export interface ConfigOptions {
  /** A setting, or a group of them. */
  readonly path?: string | undefined
  readonly repo?: string | undefined
  readonly base?: string | undefined
  readonly json: boolean
  readonly flags: Readonly<Record<string, unknown>>
}

export async function runConfigCommand(options: ConfigOptions): Promise<number> {
  const { path, json } = options
  const loaded = await loadSettings(openCliHome(), options)
  const rows = describeSettings(loaded).filter((row) => isPathUnder(row.path, path))
  if (path !== undefined && rows.length === 0) {
    throw new FixwrightError(
      'settings_invalid',
      describeUnknownKey(path.split('.'), Object.keys(loaded.settings.profiles)),
    )
  }
  if (json)
    print(
      JSON.stringify(
        rows.map((row) => ({ ...row, value: toJsonValue(loaded, row) })),
        null,
        2,
      ),
    )
  else
    print(
      formatTable(rows.map((row) => [row.path, row.value, paint('dim', row.origin, process.stdout)].map(shortenCell))),
    )
  return 0
}

async function loadSettings(home: Home, { repo, base, flags }: ConfigOptions): Promise<LoadedSettings> {
  if (repo !== undefined) {
    const { describeRepositorySettings } = await import('../../preflight/repository-settings.ts')
    const found = await describeRepositorySettings({ repository: repo, base }, { home, env: process.env, flags })
    if (found.kind === 'refused') throw new RefusedError(found.code, found.problems)
    for (const note of found.notes) printNotice(note)
    return found.loaded
  }
  return loadEffectiveSettings({ home, env: process.env, flags })
}

function isPathUnder(path: string, asked: string | undefined): boolean {
  return asked === undefined || path === asked || path.startsWith(`${asked}.`)
}

/** As the setting is: the text of a row hides what looks like a secret, and then so does the JSON. */
function toJsonValue({ settings }: LoadedSettings, { path, value }: { path: string; value: string }): unknown {
  const own = path.split('.').reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], settings)
  const text = typeof own === 'string' ? own : JSON.stringify(own)
  return text === value ? own : value
}

/** A long list is told by its beginning; the JSON has all of it, and so has the single setting. */
function shortenCell(cell: string, column: number, row: readonly string[]): string {
  return column === 1 && row.length > 1 && cell.length > 60 && process.stdout.isTTY ? `${cell.slice(0, 59)}…` : cell
}
