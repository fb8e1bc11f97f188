// `fixwright config`: each setting's effective value, and its origin.

import { openHomeContext } from '../../app/context.ts'
import { findRepositoryFolder } from '../../app/find-repository.ts'
import { explainSettings } from '../../app/settings/explain-settings.ts'
import { paint, print, printJson, printNotice } from '../terminal/console.ts'
import { formatTable } from '../terminal/table.ts'

export interface ConfigOptions {
  /** A setting, or a group of them. */
  readonly path?: string | undefined
  readonly repo?: string | undefined
  readonly base?: string | undefined
  readonly json: boolean
  readonly flags: Readonly<Record<string, unknown>>
}

export async function runConfigCommand({ path, repo, base, json, flags }: ConfigOptions): Promise<number> {
  const context = openHomeContext({ env: process.env, flags })
  const repository = repo === undefined ? undefined : await findRepositoryFolder(context.home, repo)
  const { rows, notes } = await explainSettings(context, { path, repository, base })
  for (const note of notes) printNotice(note)
  if (json) {
    const values = rows.map(({ path, json, origin }) => ({ path, value: json, origin }))
    printJson(values)
  } else {
    const cells = rows.map(({ path, value, origin }) => [path, shorten(value), paint('dim', origin, process.stdout)])
    print(formatTable(cells))
  }
  return 0
}

/** Shortens a long value for a terminal; the JSON output has all of it. */
function shorten(value: string): string {
  return value.length > 60 && process.stdout.isTTY ? `${value.slice(0, 59)}…` : value
}
