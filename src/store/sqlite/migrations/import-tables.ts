// The tables of imports, and what issues have from them. The tasks that are there are those of reviews.
export const IMPORT_TABLES = `
  create table tasks (
    repository_id text not null,
    task_id text not null,
    kind text not null,
    created_at text not null,
    primary key (repository_id, task_id)
  );
  insert into tasks
    select repository_id, task_id, 'review', min(created_at) from issues group by repository_id, task_id;

  create table imports (
    import_id text primary key,
    repository_id text not null,
    category text not null,
    format text not null,
    tools text not null,
    commit_sha text not null,
    report_ref text not null,
    notice text,
    counts text not null,
    imported_by text not null,
    created_at text not null,
    undone_at text
  );
  create index imports_by_repository on imports (repository_id, created_at);

  create table issue_origins (
    issue_id text primary key references issues (issue_id),
    tool text not null,
    category text not null,
    rule text not null,
    fingerprint text not null,
    code_hash text not null,
    tool_id text,
    weaknesses text not null,
    import_id text not null,
    matched_by text,
    closed_by text
  );

  create table import_effects (
    import_id text not null references imports (import_id),
    issue_id text not null,
    kind text not null,
    version integer not null,
    before text,
    primary key (import_id, issue_id)
  );

  alter table issues add column version integer not null default 1;
  alter table issues add column duplicate_of text;
  alter table issues add column regressed text;
`
