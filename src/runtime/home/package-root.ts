// Finds Fixwright's package folder, so that code in src/ and in dist/ finds the files that ship as they are (agents/, config/).
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

let cachedRoot: string | undefined

export function packageRoot(): string {
  cachedRoot ??= findPackageRoot(dirname(fileURLToPath(import.meta.url)))
  return cachedRoot
}

/** Compiled code runs from the package or a build, TypeScript from a checkout. */
export function isCompiled(): boolean {
  return import.meta.url.endsWith('.js')
}

export function readPackageVersion(): string {
  return (JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as { version: string }).version
}

function findPackageRoot(start: string): string {
  for (let folder = start; ; folder = dirname(folder)) {
    if (readPackageName(folder) === 'fixwright') return folder
    if (folder === dirname(folder)) {
      throw new Error(
        `No package.json of fixwright above ${start}. The installation is damaged: install fixwright again.`,
      )
    }
  }
}

function readPackageName(folder: string): string | undefined {
  try {
    return (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { name?: string }).name
  } catch {
    return undefined
  }
}
