// Loads Kysely from one file: loading its three hundred takes longer than all else that `fixwright list` does. `npm ci` and the build
// make the file (scripts/bundle-kysely.ts); without it, or if its version differs, the package itself is loaded.
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

type Package = typeof import('kysely')

/** The exports of Kysely that the file has. */
export const KYSELY_PARTS = ['Kysely', 'SqliteAdapter', 'SqliteIntrospector', 'SqliteQueryCompiler'] as const

export async function loadKysely(): Promise<Pick<Package, (typeof KYSELY_PARTS)[number]>> {
  const file = kyselyBundleUrl()
  return file !== undefined && existsSync(file) ? await import(file.href) : await import('kysely')
}

/** Beside the compiled code, or in a checkout's cache, where the name carries Kysely's version. */
export function kyselyBundleUrl(): URL | undefined {
  if (import.meta.url.endsWith('.js')) return new URL('../../kysely.js', import.meta.url)
  const version = checkoutVersion()
  return version === undefined
    ? undefined
    : new URL(`../../../node_modules/.cache/fixwright/kysely-${version}.mjs`, import.meta.url)
}

function checkoutVersion(): string | undefined {
  try {
    const manifest = fileURLToPath(new URL('../../../node_modules/kysely/package.json', import.meta.url))
    return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version
  } catch {
    return undefined
  }
}
