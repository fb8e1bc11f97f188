// Finds a repository's root from any folder in it, without calling git. Records use the root as the repository's name.
import { existsSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { FixwrightError } from '../domain/errors/fixwright-error.ts'

export function findRepositoryRoot(typed: string): string {
  let folder: string
  try {
    folder = realpathSync(typed)
  } catch {
    throw new FixwrightError('repository_unusable', `--repo ${typed}: there is no such folder`)
  }
  return findRepositoryAround(folder) ?? folder
}

export function findRepositoryAround(folder: string): string | undefined {
  for (let at = realpathSync(folder); ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return at
    if (at === dirname(at)) return undefined
  }
}
