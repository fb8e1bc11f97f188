pragma foreign_keys = off;
BEGIN TRANSACTION;
CREATE TABLE calls (
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
CREATE TABLE events (
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
INSERT INTO "events" VALUES('old-1',1,'started','fix_session_started','2026-10-01T10:04:00.000Z',NULL,NULL,NULL,NULL,'started',NULL,NULL);
CREATE TABLE issues (
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
INSERT INTO "issues" VALUES('iss-8ab75287b038c4d51095','/repo','task','FUNC-001','Null check','It may be null.','src/a.py','3','high','correctness',NULL,NULL,NULL,'open',NULL,NULL,'[]',NULL,NULL,NULL,NULL,NULL,NULL,'2026-10-01T10:00:00.000Z','2026-10-01T10:00:00.000Z');
INSERT INTO "issues" VALUES('iss-adc9c2e42ffc6da815c2','/repo','task','FUNC-002','Wrong sum','It''s wrong.','src/b.py',NULL,'low',NULL,NULL,NULL,NULL,'open',NULL,NULL,'[]',NULL,NULL,NULL,NULL,NULL,NULL,'2026-10-01T10:01:00.000Z','2026-10-01T10:01:00.000Z');
CREATE TABLE session_artifacts (
    session_id text not null references sessions (session_id),
    kind text not null,
    name text not null,
    ref text not null,
    issue_code text,
    created_at text not null,
    primary key (session_id, kind, name)
  );
CREATE TABLE session_issues (
    session_id text not null references sessions (session_id),
    issue_id text not null references issues (issue_id),
    position integer not null,
    outcome text,
    primary key (session_id, issue_id)
  );
INSERT INTO "session_issues" VALUES('old-1','iss-8ab75287b038c4d51095',0,NULL);
INSERT INTO "session_issues" VALUES('old-1','iss-adc9c2e42ffc6da815c2',1,NULL);
CREATE TABLE sessions (
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
INSERT INTO "sessions" VALUES('old-1','fix-session/abc',NULL,'abc','/repo','task',NULL,NULL,'generating','{"profile":"batched","claude":{"timeout_seconds":900}}',NULL,'{}',2,0,0,0,NULL,NULL,'{"kind":"limit","reason":"rate limit","since":"2026-10-01T10:05:00.000Z"}',0.0,'2026-10-01T10:02:00.000Z','2026-10-01T10:03:00.000Z',NULL);
CREATE INDEX sessions_by_key on sessions (key, started_at);
CREATE INDEX sessions_by_start on sessions (started_at);
CREATE INDEX issues_by_status on issues (repository, status);
CREATE INDEX issues_by_code on issues (issue_code);
CREATE INDEX session_artifacts_by_ref on session_artifacts (ref);
COMMIT;
pragma user_version = 1;
