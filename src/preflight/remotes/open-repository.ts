// The folder of the repository that a start names. A clone of ours is brought up to date first.
import type { Refusal } from '../../domain/errors/fixwright-error.ts'
import type { Environment, HomePaths } from '../../runtime/home/home.ts'
import { loadSettings } from '../../runtime/settings/merge-settings.ts'
import type { Store } from '../../store/store.ts'
import { findNamedRepository } from '../name-repository.ts'
import { updateClone } from './update-clone.ts'

export interface OpeningPorts {
  readonly store: Store
  readonly home: HomePaths
  readonly env: Environment
}

export async function openNamedRepository(
  typed: string,
  { store, home, env }: OpeningPorts,
): Promise<{ readonly kind: 'opened'; readonly folder: string; readonly notes: readonly string[] } | Refusal> {
  const named = await findNamedRepository(store, typed)
  if (named.kind === 'ambiguous') return { kind: 'refused', code: 'repository_unusable', problems: [named.problem] }
  if (named.kind === 'folder') return { kind: 'opened', folder: named.folder, notes: [] }
  const { path: folder, url } = named.repository
  if (url === undefined) return { kind: 'opened', folder, notes: [] }
  const { repositories: settings } = loadSettings({ home, env }).settings
  const updated = await updateClone({ folder, url }, { home, env, settings })
  return updated.kind === 'refused' ? updated : { kind: 'opened', folder, notes: updated.notes }
}
