// People name a repository by its folder, by the name that it is registered with, or by its id.
import { randomBytes } from 'node:crypto'
import { existsSync, realpathSync } from 'node:fs'
import { type RepositoryRecord, toRepositoryId } from '../domain/repository/repository.ts'
import type { Store } from '../store/store.ts'

export type NamedRepository =
  | { readonly kind: 'folder'; readonly folder: string }
  | { readonly kind: 'registered'; readonly repository: RepositoryRecord }
  /** The name is also that of another folder here. */
  | { readonly kind: 'ambiguous'; readonly problem: string }

export async function findNamedRepository(
  { repositories }: Pick<Store, 'repositories'>,
  typed: string,
): Promise<NamedRepository> {
  if (isFolderName(typed)) return toFolder(typed)
  const byId = await repositories.get(typed)
  if (byId && byId.removed_at === undefined) return toRegistered(byId)
  const named = await repositories.findByName(typed)
  if (!named) return toFolder(typed)
  if (!existsSync(typed) || realpathSync(typed) === named.path) return toRegistered(named)
  const { path, repository_id } = named
  return {
    kind: 'ambiguous',
    problem: `${typed} is a folder here, and the name of the repository ${path}: give ./${typed} or ${repository_id}`,
  }
}

/** Whatever holds a slash or begins with a dot is a folder. */
export function isFolderName(typed: string): boolean {
  return typed.startsWith('.') || typed.includes('/')
}

function toFolder(folder: string): NamedRepository {
  return { kind: 'folder', folder }
}

function toRegistered(repository: RepositoryRecord): NamedRepository {
  return { kind: 'registered', repository }
}

/** A repository that is new is registered with its first session. */
export async function findOrNameRepository(
  store: Store,
  root: string,
): Promise<Pick<RepositoryRecord, 'repository_id' | 'id_seed'>> {
  const repository_id = toRepositoryId(randomBytes(8))
  return (await store.repositories.findByPath(root)) ?? { repository_id, id_seed: repository_id }
}
