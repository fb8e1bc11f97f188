// Loads Kysely from one file: loading its three hundred takes longer than all else that `fixwright list` does. `npm ci` and the build
// make the file (scripts/bundle-program.ts); where it is missing, the package itself is loaded.
import { existsSync } from 'node:fs'

type Package = typeof import('kysely')

/** The exports of Kysely that the file has. */
export const KYSELY_PARTS = ['Kysely', 'SqliteAdapter', 'SqliteIntrospector', 'SqliteQueryCompiler'] as const

const PROGRAM = import.meta.url.endsWith('.js') ? '../..' : '../../../node_modules/.cache/fixwright/program'

export async function loadKysely(): Promise<Pick<Package, (typeof KYSELY_PARTS)[number]>> {
  const file = new URL(`${PROGRAM}/kysely.js`, import.meta.url)
  return existsSync(file) ? await import(file.href) : await import('kysely')
}
