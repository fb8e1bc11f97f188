// Where Fixwright itself is installed, so that files which ship as they are (agents/, config/) are found from src/ and from dist/ alike.
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

let found: string | undefined

export function packageRoot(): string {
  found ??= nearestPackage(dirname(fileURLToPath(import.meta.url)))
  return found
}

/** Compiled code runs from the package (or a build), TypeScript from a checkout. */
export function isCompiled(): boolean {
  return import.meta.url.endsWith('.js')
}

function nearestPackage(start: string): string {
  for (let folder = start; ; folder = dirname(folder)) {
    if (packageName(folder) === 'fixwright') return folder
    if (folder === dirname(folder)) {
      throw new Error(
        `No package.json of fixwright above ${start}. The installation is damaged: install fixwright again.`,
      )
    }
  }
}

function packageName(folder: string): string | undefined {
  try {
    return (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { name?: string }).name
  } catch {
    return undefined
  }
}
