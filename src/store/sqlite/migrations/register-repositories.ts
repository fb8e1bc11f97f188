// Gives repositories an id and a name. Until then, the real path stood for them in every table.
// Issues and sessions keep their ids and keys, because those of a running session are in its workflow: see `id_seed`.
import { randomBytes } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { suggestRepositoryName, toRepositoryId } from '../../../domain/repository/repository.ts'

const TABLE = `
  create table repositories (
    repository_id text primary key,
    name text not null,
    path text not null,
    known_commit text,
    id_seed text not null,
    created_at text not null,
    removed_at text
  );
  create unique index repositories_by_name on repositories (lower(name)) where removed_at is null;
  create unique index repositories_by_path on repositories (path) where removed_at is null;
`

const FIRST_USES = `
  select repository as path, min(used_at) as created_at from (
    select repository, started_at as used_at from sessions
    union all select repository, created_at from issues
    union all select repository, answered_at from answers
    union all select repository, granted_at from grants
  ) group by repository order by created_at, repository
`

const LATEST_COMMIT = `
  select base_commit from sessions where repository = ? and base_commit is not null order by started_at desc limit 1
`

export function registerRepositories(database: DatabaseSync): void {
  database.exec(TABLE)
  const names: string[] = []
  const insert = database.prepare('insert into repositories values (?, ?, ?, ?, ?, ?, null)')
  for (const row of database.prepare(FIRST_USES).all()) {
    const [path, created_at] = [`${row.path}`, `${row.created_at}`]
    const name = suggestRepositoryName(path, names)
    names.push(name)
    const commit = database.prepare(LATEST_COMMIT).get(path)?.base_commit ?? null
    insert.run(toRepositoryId(randomBytes(8)), name, path, commit, path, created_at)
  }
  for (const table of ['sessions', 'issues', 'answers', 'grants']) {
    database.exec(`
      update ${table} set repository = (select repository_id from repositories where path = ${table}.repository);
      alter table ${table} rename column repository to repository_id;
    `)
  }
  updateResults(database)
}

/** The results of sessions named the repository by its path, too. */
function updateResults(database: DatabaseSync): void {
  const update = database.prepare('update sessions set result = ? where session_id = ?')
  const ended = database.prepare('select session_id, repository_id, result from sessions where result is not null')
  for (const { session_id, repository_id, result } of ended.all()) {
    update.run(JSON.stringify({ ...JSON.parse(`${result}`), repository_id }), `${session_id}`)
  }
}
