pragma foreign_keys = off;
BEGIN TRANSACTION;
CREATE TABLE answers (
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
    finished_at text, codes text, cost_partial text,
    primary key (session_id, key, attempt)
  );
INSERT INTO "calls" VALUES('old-4','s1.i1.b1.fix',1,'fixer','finished',NULL,NULL,NULL,0.25,NULL,NULL,NULL,'sha256:b',NULL,NULL,'2026-11-20T09:00:00.000Z','2026-11-20T09:00:00.000Z',NULL,'true');
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
CREATE TABLE grants (
    repository text not null,
    session_id text references sessions (session_id),
    path text not null,
    granted_by text not null,
    granted_at text not null
  );
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
CREATE TABLE said (
    session_id text not null references sessions (session_id),
    seq integer not null,
    key text not null,
    name text not null,
    outcome text not null,
    says text not null,
    "by" text not null,
    "from" text not null,
    at double precision not null, about text,
    primary key (session_id, seq),
    unique (session_id, key)
  );
INSERT INTO "said" VALUES('old-4',1,'a','answerClarification','"taken"','yes','m','cli',1.0,'["A-q1"]');
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
  , decision text, plan text);
INSERT INTO "sessions" VALUES('old-4','fix-session/def',NULL,'def','/repo','task',NULL,NULL,'awaiting_clarification','{}',NULL,'{}',1,0,0,0,NULL,NULL,NULL,0.0,'2026-11-20T09:00:00.000Z','2026-11-20T09:00:00.000Z',NULL,NULL,NULL);
CREATE INDEX sessions_by_key on sessions (key, started_at);
CREATE INDEX sessions_by_start on sessions (started_at);
CREATE INDEX issues_by_status on issues (repository, status);
CREATE INDEX issues_by_code on issues (issue_code);
CREATE INDEX session_artifacts_by_ref on session_artifacts (ref);
CREATE INDEX answers_by_issue on answers (repository, issue_code, text_hash);
CREATE UNIQUE INDEX grants_for_sessions on grants (session_id, repository, path) where session_id is not null;
CREATE UNIQUE INDEX grants_for_repositories on grants (repository, path) where session_id is null;
COMMIT;
pragma user_version = 4;
