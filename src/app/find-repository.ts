// Finds a repository's root from any folder in it, without calling git. Records use the root as the repository's name.
import { existsSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { FixwrightError } from '../domain/errors/fixwright-error.ts'
import { findNamedRepository, isFolderName } from '../preflight/name-repository.ts'
import type { HomePaths } from '../runtime/home/home.ts'
import { openStore } from '../store/open-store.ts'

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

/** The folder of a repository that may be named as it is registered, for what has no store open. */
export async function findRepositoryFolder({ database }: Pick<HomePaths, 'database'>, typed: string): Promise<string> {
  if (isFolderName(typed) || !existsSync(database)) return typed
  const store = await openStore(database)
  try {
    const named = await findNamedRepository(store, typed)
    if (named.kind === 'ambiguous') throw new FixwrightError('repository_unusable', named.problem)
    return named.kind === 'registered' ? named.repository.path : named.folder
  } finally {
    await store.close()
  }
}
