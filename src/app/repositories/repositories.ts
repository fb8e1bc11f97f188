// Registers repositories, lists them, says where one has moved, and removes one. A repository is also registered by its first session.
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { FixwrightError, type Refusal } from '../../domain/errors/fixwright-error.ts'
import {
  RepositoryName,
  type RepositoryRecord,
  type RepositorySummary,
  toRepositoryId,
} from '../../domain/repository/repository.ts'
import { resolveCommit } from '../../platform/git/repository/inspect.ts'
import { findNamedRepository } from '../../preflight/name-repository.ts'
import { type LocatedRepository, locateRepository } from '../../preflight/read-repository.ts'
import type { RepositoryChange } from '../../store/repositories.ts'
import type { AppContext } from '../context.ts'
import { findRepositoryRoot } from '../find-repository.ts'

type StoreAccess = Pick<AppContext, 'store'>

export interface AddRepositoryRequest {
  readonly folder: string
  /** Default: after the folder. */
  readonly name?: string | undefined
  /** Says no to the real folder of a repository that may not be registered: a folder in it may lie elsewhere than it. */
  readonly isAllowed?: ((root: string) => boolean) | undefined
}

/** `moved`: a known repository lies there now. `known`: it was registered with this name already. */
export type AddRepositoryOutcome =
  | { readonly kind: 'added' | 'renamed' | 'moved' | 'known'; readonly repository: RepositorySummary }
  | Refusal

export async function addRepository(
  { store }: StoreAccess,
  { folder, name, isAllowed = () => true }: AddRepositoryRequest,
): Promise<AddRepositoryOutcome> {
  const named = RepositoryName.optional().safeParse(name)
  if (!named.success) return refuse('bad_input', `the name ${JSON.stringify(name)} ${named.error.issues[0]?.message}`)
  const located = await locateRepository({ repository: folder })
  if (located.kind === 'refused') return refuse('repository_unusable', located.problem)
  const { root } = located.repository
  if (!isAllowed(root))
    return refuse('path_not_allowed', `${folder} lies in a repository whose own folder may not be registered`)
  const registered = await store.repositories.findByPath(root)
  if (registered) {
    if (name === undefined || name === registered.name)
      return { kind: 'known', repository: summarizeRepository(registered) }
    return toRepositoryOutcome('renamed', await store.repositories.update(registered.repository_id, { name }))
  }
  const moved = await findMovedRepository(store, located, name)
  if (moved) {
    return toRepositoryOutcome('moved', await store.repositories.update(moved.repository_id, { path: root }))
  }
  const repository_id = toRepositoryId(randomBytes(8))
  return toRepositoryOutcome(
    'added',
    await store.repositories.add({ repository_id, path: root, name, known_commit: located.commit }),
  )
}

/** A repository whose folder is gone lies where its commits are. Without a name it must be the only such. A clone of ours never moves. */
async function findMovedRepository(
  { repositories }: AppContext['store'],
  { repository: { root } }: LocatedRepository,
  name: string | undefined,
): Promise<RepositoryRecord | undefined> {
  const found: RepositoryRecord[] = []
  for (const each of await repositories.list()) {
    if (existsSync(each.path) || each.known_commit === undefined || each.url !== undefined) continue
    if (name !== undefined && each.name.toLowerCase() !== name.toLowerCase()) continue
    if ((await resolveCommit(root, each.known_commit)) !== undefined) found.push(each)
  }
  return found.length === 1 ? found[0] : undefined
}

export function toRepositoryOutcome(
  kind: 'added' | 'renamed' | 'moved',
  change: RepositoryChange,
): AddRepositoryOutcome {
  if (change.kind === 'changed') return { kind, repository: summarizeRepository(change.repository) }
  if (change.kind === 'outdated') return refuse('repository_not_found', 'the repository was removed meanwhile')
  const { name, path } = change.by
  const gone = existsSync(path) ? '' : ', which is gone, and the new folder does not have its commits'
  return refuse(
    'repository_in_use',
    `the name ${name} is that of ${path}${gone}: give another --name, or remove it first`,
  )
}

export async function listRepositories({ store }: StoreAccess): Promise<readonly RepositorySummary[]> {
  return (await store.repositories.list()).map(summarizeRepository)
}

/** Its sessions stay readable. Registered again, it is a new repository without issues, answers or grants. */
export async function removeRepository(
  app: StoreAccess,
  typed: string,
): Promise<{ readonly kind: 'removed'; readonly repository: RepositorySummary } | Refusal> {
  const found = await findRepository(app, typed)
  if (found === undefined) return refuse('repository_not_found', `no repository is registered as ${typed}`)
  const outcome = await app.store.repositories.remove(found.repository_id)
  if (outcome.kind === 'removed') return { kind: 'removed', repository: summarizeRepository(found) }
  return refuse('repository_in_use', `session ${outcome.session_id} works on ${found.name}: cancel it first`)
}

/** By name, id or folder. Undefined if it is not registered. */
export async function findRepository({ store }: StoreAccess, typed: string): Promise<RepositoryRecord | undefined> {
  const named = await findNamedRepository(store, typed)
  if (named.kind === 'ambiguous') throw new FixwrightError('repository_unusable', named.problem)
  if (named.kind === 'registered') return named.repository
  const isFolder = existsSync(named.folder)
  return await store.repositories.findByPath(isFolder ? findRepositoryRoot(named.folder) : resolve(named.folder))
}

export async function loadRepository({ store }: StoreAccess, repositoryId: string): Promise<RepositorySummary> {
  const found = await store.repositories.get(repositoryId)
  if (found !== undefined && found.removed_at === undefined) return summarizeRepository(found)
  throw new FixwrightError('repository_not_found', `no repository is registered as ${repositoryId}`)
}

/** With `seen`, only if nobody has renamed, moved or removed it since; undefined if somebody has. */
export async function renameRepository(
  { store }: StoreAccess,
  repositoryId: string,
  name: string,
  seen?: RepositorySummary,
): Promise<AddRepositoryOutcome | undefined> {
  const change = await store.repositories.update(repositoryId, { name }, seen)
  return change.kind === 'outdated' ? undefined : toRepositoryOutcome('renamed', change)
}

/** For filters: undefined means every repository, and an id that none has means one that is not registered. */
export async function resolveRepositoryId(app: StoreAccess, typed: string | undefined): Promise<string | undefined> {
  if (typed === undefined) return undefined
  const found = await findRepository(app, typed)
  if (found) return found.repository_id
  // A folder that exists has no sessions or issues yet.
  return findRepositoryRoot(typed)
}

export function summarizeRepository({
  repository_id,
  name,
  path,
  url,
  created_at,
}: RepositoryRecord): RepositorySummary {
  const summary = { repository_id, name, path, is_missing: !existsSync(path), created_at }
  return url === undefined ? summary : { ...summary, url }
}

function refuse(code: Refusal['code'], ...problems: readonly string[]): Refusal {
  return { kind: 'refused', code, problems }
}
