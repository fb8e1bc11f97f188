// The schema, one migration a version. A released migration is never edited, only followed by another.
// Both SQLite and Postgres have its types: text, integer, double precision. JSON and times (ISO, UTC) are text.
import type { DatabaseSync } from 'node:sqlite'
import { REQUEST_KEY_TABLE } from '../access.ts'
import { retryWhileLocked } from '../dialect.ts'
import { IMPORT_TABLES } from './import-tables.ts'
import { registerRepositories } from './register-repositories.ts'
import { WEBHOOK_TABLES } from './webhook-tables.ts'

type Migration = string | ((database: DatabaseSync) => void)

const MIGRATIONS: readonly Migration[] = [
  `
  create table sessions (
    session_id text primary key,
    workflow_id text not null,
    run_id text,
    key text not null,
    repository text not null,
    task_id text not null,
    branch_name text,
    base_commit text,
    status text not null,
    settings text not null,
    user_notes text,
    options text not null,
    issues_requested integer not null,
    issues_fixed integer not null,
    issues_failed integer not null,
    issues_skipped integer not null,
    result text,
    ending text,
    waiting text,
    cost_usd double precision not null,
    started_at text not null,
    updated_at text not null,
    ended_at text
  );
  create index sessions_by_key on sessions (key, started_at);
  create index sessions_by_start on sessions (started_at);

  create table issues (
    issue_id text primary key,
    repository text not null,
    task_id text not null,
    issue_code text not null,
    title text not null,
    description text not null,
    file text not null,
    line text,
    severity text not null,
    category text,
    suggested_fix text,
    estimated_effort integer,
    estimated_files_count integer,
    status text not null,
    fix_code text,
    fix_explanation text,
    fix_files_modified text not null,
    fix_commit_sha text,
    fix_branch text,
    fix_self_score double precision,
    fix_gemini_score double precision,
    resolution_note text,
    session_id text,
    created_at text not null,
    updated_at text not null,
    unique (repository, task_id, issue_code)
  );
  create index issues_by_status on issues (repository, status);
  create index issues_by_code on issues (issue_code);

  create table session_issues (
    session_id text not null references sessions (session_id),
    issue_id text not null references issues (issue_id),
    position integer not null,
    outcome text,
    primary key (session_id, issue_id)
  );

  create table events (
    session_id text not null references sessions (session_id),
    seq integer not null,
    key text not null,
    type text not null,
    timestamp text not null,
    issue_code text,
    issue_id text,
    issue_index integer,
    total_issues integer,
    message text not null,
    commit_sha text,
    data text,
    primary key (session_id, seq),
    unique (session_id, key)
  );

  create table calls (
    session_id text not null references sessions (session_id),
    key text not null,
    attempt integer not null,
    role text not null,
    state text not null,
    marker text,
    model text,
    cli_session_id text,
    cost_usd double precision,
    tokens text,
    duration_ms double precision,
    prompt_ref text,
    reply_ref text,
    transcript_ref text,
    result text,
    started_at text not null,
    finished_at text,
    primary key (session_id, key, attempt)
  );

  create table session_artifacts (
    session_id text not null references sessions (session_id),
    kind text not null,
    name text not null,
    ref text not null,
    issue_code text,
    created_at text not null,
    primary key (session_id, kind, name)
  );
  create index session_artifacts_by_ref on session_artifacts (ref);
  `,
  `
  alter table sessions add column decision text;
  alter table sessions add column plan text;

  create table answers (
    session_id text not null,
    question_id text not null,
    repository text not null,
    issue_code text not null,
    text_hash text not null,
    question text not null,
    answer text not null,
    answered_by text not null,
    answered_at text not null,
    primary key (session_id, question_id, issue_code)
  );
  create index answers_by_issue on answers (repository, issue_code, text_hash);

  create table grants (
    repository text not null,
    session_id text references sessions (session_id),
    path text not null,
    granted_by text not null,
    granted_at text not null
  );
  create unique index grants_for_sessions on grants (session_id, repository, path) where session_id is not null;
  create unique index grants_for_repositories on grants (repository, path) where session_id is null;

  create table said (
    session_id text not null references sessions (session_id),
    seq integer not null,
    key text not null,
    name text not null,
    outcome text not null,
    says text not null,
    "by" text not null,
    "from" text not null,
    at double precision not null,
    primary key (session_id, seq),
    unique (session_id, key)
  );
  `,
  `
  alter table said add column about text;
  `,
  `
  alter table calls add column codes text;
  alter table calls add column cost_partial text;
  `,
  `
  alter table calls rename to agent_calls;
  alter table said rename to messages;
  alter table messages rename column says to response;
  alter table messages rename column about to answered_question_ids;
  `,
  // Events from before their data had a schema keep their message. The end of a session gets the session's totals.
  `
  update events set type = 'fix_log', data = '{"code":"recorded_earlier","level":"note"}'
    where type not in ('fix_session_completed', 'fix_session_error', 'fix_session_cancelled', 'fix_billing_error');
  update events set data = (
    select '{"status":"' || status || '","fixed":' || issues_fixed || ',"failed":' || issues_failed
      || ',"skipped":' || issues_skipped || ',"commits":[],"cost_usd":' || cost_usd || '}'
    from sessions where sessions.session_id = events.session_id
  ) where type <> 'fix_log';
  `,
  `
  create table access_tokens (
    token_id text primary key,
    name text not null,
    role text not null,
    hash text not null,
    created_by text not null,
    created_at text not null,
    expires_at text,
    revoked_at text,
    last_used_at text
  );

  create table audit_records (
    number integer primary key,
    request_id text not null,
    at text not null,
    token_id text,
    "by" text,
    address text not null,
    method text not null,
    path text not null,
    status integer not null
  );
  `,
  `
  alter table sessions add column kind text not null default 'fix';
  `,
  registerRepositories,
  IMPORT_TABLES,
  `
  create index issues_by_change on issues (repository_id, updated_at, issue_id);
  `,
  WEBHOOK_TABLES,
  `
  alter table agent_calls add column queued_ms double precision;
  `,
  REQUEST_KEY_TABLE,
  `
  alter table sessions add column trace text;
  `,
  `
  alter table sessions add column started_by text;
  `,
  // Pages of issues are filtered within an index: a filter that few issues pass would otherwise read every row.
  `
  drop index issues_by_change;
  drop index issues_by_status;
  create index issues_by_change on issues (repository_id, updated_at, issue_id, status, severity, task_id);
  create index issues_by_status on issues (repository_id, status, updated_at, issue_id, severity, task_id);
  create index issues_by_task on issues (repository_id, task_id, updated_at, issue_id, status, severity);
  `,
  `
  alter table repositories add column url text;
  `,
  // The instance asks every second which sessions it has to start.
  `
  create index sessions_to_start on sessions (started_at) where run_id is null and ended_at is null;
  `,
]

/** Commits each migration with its version under the write lock, so processes that open the store at once run it once. */
export async function migrateSchema(database: DatabaseSync): Promise<void> {
  while ((await retryWhileLocked(() => readSchemaVersion(database))) < MIGRATIONS.length) {
    await retryWhileLocked(() => database.exec('begin immediate'))
    try {
      // The version is read again under the lock: another process may have migrated while we waited.
      const version = readSchemaVersion(database)
      const step = MIGRATIONS[version]
      if (typeof step === 'function') step(database)
      else if (step !== undefined) database.exec(step)
      if (step !== undefined) database.exec(`pragma user_version = ${version + 1}`)
      database.exec('commit')
    } catch (error) {
      database.exec('rollback')
      throw error
    }
  }
  const version = readSchemaVersion(database)
  if (version > MIGRATIONS.length) {
    throw new Error(
      `The store was written by a newer Fixwright (schema ${version}, this one knows ${MIGRATIONS.length}): update Fixwright, or use another FIXWRIGHT_HOME`,
    )
  }
}

function readSchemaVersion(database: DatabaseSync): number {
  return Number(database.prepare('pragma user_version').get()?.user_version)
}
