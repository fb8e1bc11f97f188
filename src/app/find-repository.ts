// From any folder of a repository to the name that records have for it, without asking git.
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
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return at
    if (at === dirname(at)) return folder
  }
}
