import type { Selectable } from 'kysely'
import { RepositoryRecord, suggestRepositoryName } from '../../domain/repository/repository.ts'
import type {
  NewRepository,
  RepositoryChange,
  RepositoryPatch,
  RepositoryRemoval,
  RepositoryTable,
  SeenRepository,
} from '../repositories.ts'
import { fromRow, toPatch, toRow } from './row-mapping.ts'
import type { StoreContext, Tables } from './tables.ts'

export function createRepositoryTable({ db, now }: StoreContext): RepositoryTable {
  return { get, findByName, findByPath, list, add, update, remove }

  async function get(repositoryId: string): Promise<RepositoryRecord | undefined> {
    const found = db.selectFrom('repositories').selectAll().where('repository_id', '=', repositoryId)
    return parseRow(await found.executeTakeFirst())
  }

  async function findByName(name: string): Promise<RepositoryRecord | undefined> {
    return parseRow(await selectByName(db, name).executeTakeFirst())
  }

  async function findByPath(path: string): Promise<RepositoryRecord | undefined> {
    return parseRow(await selectKnown(db).where('path', '=', path).executeTakeFirst())
  }

  async function list(): Promise<RepositoryRecord[]> {
    const rows = await selectKnown(db).execute()
    return rows
      .map((row) => fromRow(RepositoryRecord, row))
      .sort((one, other) => one.name.localeCompare(other.name, 'en', { numeric: true }))
  }

  async function add(repository: NewRepository): Promise<RepositoryChange> {
    return db.transaction().execute(async (tx): Promise<RepositoryChange> => {
      const by = await findOwner(tx, repository)
      return by ? { kind: 'taken', by } : { kind: 'changed', repository: await insertRepository(tx, now(), repository) }
    })
  }

  async function update(
    repositoryId: string,
    patch: RepositoryPatch,
    seen?: SeenRepository,
  ): Promise<RepositoryChange> {
    return db.transaction().execute(async (tx): Promise<RepositoryChange> => {
      const by = await findOwner(tx, patch, repositoryId)
      if (by) return { kind: 'taken', by }
      const { name, path } = seen ?? {}
      const row = await tx
        .updateTable('repositories')
        .set(toPatch(patch))
        .where('repository_id', '=', repositoryId)
        .where('removed_at', 'is', null)
        .$if(name !== undefined, (query) => query.where('name', '=', `${name}`))
        .$if(path !== undefined, (query) => query.where('path', '=', `${path}`))
        .returningAll()
        .executeTakeFirst()
      return row ? { kind: 'changed', repository: fromRow(RepositoryRecord, row) } : { kind: 'outdated' }
    })
  }

  async function remove(repositoryId: string): Promise<RepositoryRemoval> {
    return db.transaction().execute(async (tx): Promise<RepositoryRemoval> => {
      const running = await tx
        .selectFrom('sessions')
        .select('session_id')
        .where('repository_id', '=', repositoryId)
        .where('ended_at', 'is', null)
        .executeTakeFirst()
      if (running) return { kind: 'in_use', session_id: running.session_id }
      await tx
        .updateTable('repositories')
        .set({ removed_at: now() })
        .where('repository_id', '=', repositoryId)
        .where('removed_at', 'is', null)
        .execute()
      return { kind: 'removed' }
    })
  }
}

/** Returns the repository of a new session, and registers one that is new. Undefined if its folder or its id is another's by now. */
export async function claimRepository(
  tx: StoreContext['db'],
  time: string,
  session: Pick<NewRepository, 'repository_id' | 'path' | 'known_commit'>,
): Promise<RepositoryRecord | undefined> {
  const { repository_id: id, path } = session
  const found = await tx
    .selectFrom('repositories')
    .selectAll()
    .where((is) => is.or([is('repository_id', '=', id), is.and([is('path', '=', path), is('removed_at', 'is', null)])]))
    .execute()
  const [known, ...others] = found
  if (known === undefined) return await insertRepository(tx, time, session)
  const isSame = others.length === 0 && known.repository_id === id && known.path === path && known.removed_at === null
  return isSame ? fromRow(RepositoryRecord, known) : undefined
}

async function insertRepository(
  tx: StoreContext['db'],
  time: string,
  { repository_id, path, url, name, known_commit }: NewRepository,
): Promise<RepositoryRecord> {
  const names = name === undefined ? await selectKnown(tx).execute() : []
  const taken = names.map((each) => each.name)
  const record: RepositoryRecord = {
    ...{ repository_id, path, url, known_commit, created_at: time, removed_at: undefined },
    name: name ?? suggestRepositoryName(path, taken),
    id_seed: repository_id,
  }
  await tx.insertInto('repositories').values(toRow(record)).execute()
  return RepositoryRecord.parse(record)
}

async function findOwner(
  tx: StoreContext['db'],
  { name, path }: { readonly name?: string | undefined; readonly path?: string | undefined },
  besides = '',
): Promise<RepositoryRecord | undefined> {
  const others = <Query extends ReturnType<typeof selectKnown>>(query: Query) =>
    query.where('repository_id', '!=', besides).executeTakeFirst()
  const byPath = path === undefined ? undefined : await others(selectKnown(tx).where('path', '=', path))
  return parseRow(byPath ?? (name === undefined ? undefined : await others(selectByName(tx, name))))
}

function selectKnown(db: StoreContext['db']) {
  return db.selectFrom('repositories').selectAll().where('removed_at', 'is', null)
}

function selectByName(db: StoreContext['db'], name: string) {
  return selectKnown(db).where((is) => is(is.fn<string>('lower', ['name']), '=', name.toLowerCase()))
}

function parseRow(row: Selectable<Tables['repositories']> | undefined): RepositoryRecord | undefined {
  return row && fromRow(RepositoryRecord, row)
}
