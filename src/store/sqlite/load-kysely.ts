// Kysely in one file instead of three hundred: loading those takes longer than everything else that `fixwright list` does.
// `npm ci` makes the file for a checkout and the build makes it for the package (scripts/bundle-kysely.ts); where it is missing,
// or of another version, the package itself is loaded.
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

type Package = typeof import('kysely')

/** The part of Kysely that is in the file. */
export const KYSELY_PARTS = ['Kysely', 'SqliteAdapter', 'SqliteIntrospector', 'SqliteQueryCompiler'] as const

export async function loadKysely(): Promise<Pick<Package, (typeof KYSELY_PARTS)[number]>> {
  const file = kyselyBundleUrl()
  return file !== undefined && existsSync(file) ? await import(file.href) : await import('kysely')
}

/** Beside the compiled code; in a checkout, where what is made for it is kept, under its version. */
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
