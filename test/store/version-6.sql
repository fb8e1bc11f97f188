pragma foreign_keys = off;
BEGIN TRANSACTION;
CREATE TABLE "agent_calls" (
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
INSERT INTO "answers" VALUES('running-6','B-q1','/home/kim/my-app','B','text','which?','both','kim','2026-11-19T20:42:00.000Z');
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
INSERT INTO "events" VALUES('running-6',1,'start/note1','fix_log','2026-11-19T20:40:00.000Z',NULL,NULL,NULL,NULL,'a note',NULL,'{"code":"start_note","level":"note","note":"a note"}');
CREATE TABLE grants (
    repository text not null,
    session_id text references sessions (session_id),
    path text not null,
    granted_by text not null,
    granted_at text not null
  );
INSERT INTO "grants" VALUES('/home/kim/my-app',NULL,'docs/','kim','2026-11-19T20:41:00.000Z');
INSERT INTO "grants" VALUES('/home/kim/my-app','running-6','.env','kim','2026-11-19T20:41:00.000Z');
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
INSERT INTO "issues" VALUES('iss-550fa07f06c7d6f95736','/home/kim/my-app','task-6','A','About A','','src/A.py',NULL,'medium',NULL,NULL,NULL,NULL,'resolved',NULL,NULL,'["src/A.py"]','2222222222222222222222222222222222222222','fix/a',NULL,NULL,NULL,'done-6','2026-11-19T20:40:00.000Z','2026-11-19T20:40:00.000Z');
INSERT INTO "issues" VALUES('iss-0f89f65fe0c7cddf3f2e','/home/kim/my-app','task-6','B','About B','','src/B.py',NULL,'medium',NULL,NULL,NULL,NULL,'in_progress',NULL,NULL,'[]',NULL,NULL,NULL,NULL,NULL,'running-6','2026-11-19T20:40:00.000Z','2026-11-19T20:40:00.000Z');
INSERT INTO "issues" VALUES('iss-d4cb7196ee0b654ff211','/home/kim/my-app','task-6','C','About C','','src/C.py',NULL,'medium',NULL,NULL,NULL,NULL,'open',NULL,NULL,'[]',NULL,NULL,NULL,NULL,NULL,NULL,'2026-11-19T20:40:00.000Z','2026-11-19T20:40:00.000Z');
INSERT INTO "issues" VALUES('iss-f63dfcabab5ed1408df7','/srv/other/My-App','task-6','A','About A','','src/A.py',NULL,'medium',NULL,NULL,NULL,NULL,'open',NULL,NULL,'[]',NULL,NULL,NULL,NULL,NULL,NULL,'2026-11-19T20:40:00.000Z','2026-11-19T20:40:00.000Z');
INSERT INTO "issues" VALUES('iss-8a2498fb6c4a9ec15ea0','/srv/one & only','task-6','A','About A','','src/A.py',NULL,'medium',NULL,NULL,NULL,NULL,'open',NULL,NULL,'[]',NULL,NULL,NULL,NULL,NULL,NULL,'2026-11-19T20:40:00.000Z','2026-11-19T20:40:00.000Z');
CREATE TABLE "messages" (
    session_id text not null references sessions (session_id),
    seq integer not null,
    key text not null,
    name text not null,
    outcome text not null,
    response text not null,
    "by" text not null,
    "from" text not null,
    at double precision not null, answered_question_ids text,
    primary key (session_id, seq),
    unique (session_id, key)
  );
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
INSERT INTO "session_issues" VALUES('done-6','iss-550fa07f06c7d6f95736',0,'{"issue_id":"iss-550fa07f06c7d6f95736","issue_code":"A","status":"completed","fix_files_modified":[],"false_positive":false,"iterations":1}');
INSERT INTO "session_issues" VALUES('running-6','iss-0f89f65fe0c7cddf3f2e',0,NULL);
INSERT INTO "session_issues" VALUES('running-6','iss-d4cb7196ee0b654ff211',1,NULL);
INSERT INTO "session_issues" VALUES('other-6','iss-f63dfcabab5ed1408df7',0,NULL);
INSERT INTO "session_issues" VALUES('odd-6','iss-8a2498fb6c4a9ec15ea0',0,NULL);
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
INSERT INTO "sessions" VALUES('done-6','fix-done-6','r1','5faf05975522587a1f3dd74209bc3794','/home/kim/my-app','task-6','fix/a','1111111111111111111111111111111111111111','completed','{"profile":"batched"}',NULL,'{}',1,0,0,0,'{"session_id":"done-6","repository_id":"/home/kim/my-app","task_id":"task-6","branch_name":"fix/a","status":"completed","issues_requested":1,"issues_fixed":1,"issues_failed":0,"issues_skipped":0,"results":[],"commits":[],"cost_usd":0.1,"duration_ms":5}',NULL,NULL,0.0,'2026-11-19T20:40:00.000Z','2026-11-19T20:40:00.000Z','2026-11-19T20:40:00.000Z',NULL,NULL);
INSERT INTO "sessions" VALUES('running-6','fix-running-6','r2','1186bf2dfcac5c18c344fd2715ead074','/home/kim/my-app','task-6','fix/b','1111111111111111111111111111111111111111','generating','{"profile":"batched"}',NULL,'{}',2,0,0,0,NULL,NULL,NULL,0.0,'2026-11-19T20:40:00.000Z','2026-11-19T20:40:00.000Z',NULL,'{"kind":"plan","request":"plan-1"}',NULL);
INSERT INTO "sessions" VALUES('other-6','fix-other-6',NULL,'d3fa335117541bca86497de76b1b0deb','/srv/other/My-App','task-6',NULL,'1111111111111111111111111111111111111111','pending','{"profile":"batched"}',NULL,'{}',1,0,0,0,NULL,NULL,NULL,0.0,'2026-11-19T20:40:00.000Z','2026-11-19T20:40:00.000Z',NULL,NULL,NULL);
INSERT INTO "sessions" VALUES('odd-6','fix-odd-6',NULL,'7ded606763a88334417591d50bd34928','/srv/one & only','task-6',NULL,'1111111111111111111111111111111111111111','pending','{"profile":"batched"}',NULL,'{}',1,0,0,0,NULL,NULL,NULL,0.0,'2026-11-19T20:40:00.000Z','2026-11-19T20:40:00.000Z',NULL,NULL,NULL);
CREATE INDEX sessions_by_key on sessions (key, started_at);
CREATE INDEX sessions_by_start on sessions (started_at);
CREATE INDEX issues_by_status on issues (repository, status);
CREATE INDEX issues_by_code on issues (issue_code);
CREATE INDEX session_artifacts_by_ref on session_artifacts (ref);
CREATE INDEX answers_by_issue on answers (repository, issue_code, text_hash);
CREATE UNIQUE INDEX grants_for_sessions on grants (session_id, repository, path) where session_id is not null;
CREATE UNIQUE INDEX grants_for_repositories on grants (repository, path) where session_id is null;
COMMIT;
pragma user_version = 6;
