import type { RepositoryRecord } from '../domain/repository/repository.ts'

/**
 * The repositories of a home. `Store.createSession` registers one that is new. Names and folders are unique among those that are not
 * removed, names without regard to case.
 */
export interface RepositoryTable {
  /** Also a removed one. */
  get(repositoryId: string): Promise<RepositoryRecord | undefined>
  findByName(name: string): Promise<RepositoryRecord | undefined>
  /** `path` is the real path of its root. */
  findByPath(path: string): Promise<RepositoryRecord | undefined>
  /** In the order of their names. */
  list(): Promise<RepositoryRecord[]>
  add(repository: NewRepository): Promise<RepositoryChange>
  /** Gives it another name, or the folder to which it has moved. With `seen`, only if it is still known as that. */
  update(repositoryId: string, patch: RepositoryPatch, seen?: SeenRepository): Promise<RepositoryChange>
  remove(repositoryId: string): Promise<RepositoryRemoval>
}

export type NewRepository = Pick<RepositoryRecord, 'repository_id' | 'path' | 'known_commit' | 'url'> & {
  /** Default: after its folder. */
  readonly name?: string | undefined
}

export type SeenRepository = Pick<RepositoryRecord, 'name' | 'path'>

export type RepositoryPatch = Partial<Pick<RepositoryRecord, 'name' | 'path' | 'known_commit'>>

export type RepositoryChange =
  | { readonly kind: 'changed'; readonly repository: RepositoryRecord }
  /** `by` has the name or the folder. Nothing was changed. */
  | { readonly kind: 'taken'; readonly by: RepositoryRecord }
  /** It is not known as what was seen any more. Nothing was changed. */
  | { readonly kind: 'outdated' }

export type RepositoryRemoval =
  | { readonly kind: 'removed' }
  /** A session of it is running. */
  | { readonly kind: 'in_use'; readonly session_id: string }
