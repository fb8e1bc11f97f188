// The tables of webhooks. Triggers write down what happened in the transaction of the change, whoever makes it, and only while there is a
// webhook to tell: no process has to be alive, and none can forget it.
const IF_WANTED = 'exists (select 1 from webhooks where disabled_at is null)'
/** Receivers know a message again by its id, whichever home it is from. */
const MESSAGE = `insert into webhook_messages (message_id, type, at, data) values`
const MESSAGE_ID = "'msg_' || lower(hex(randomblob(12)))"
const NOW = "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')"

export const WEBHOOK_TABLES = `
  create table webhooks (
    webhook_id text primary key,
    url text not null,
    events text not null,
    secret text not null,
    created_by text not null,
    created_at text not null,
    disabled_at text,
    disabled_because text,
    last_tried_at text,
    last_result text
  );

  create table webhook_messages (
    number integer primary key autoincrement,
    message_id text not null,
    type text not null,
    at text not null,
    data text not null
  );

  create trigger webhook_session_ended after update of ended_at on sessions
    when new.ended_at is not null and old.ended_at is null and ${IF_WANTED}
  begin
    ${MESSAGE} (${MESSAGE_ID}, 'session.ended', ${NOW}, json_object(
      'session_id', new.session_id, 'kind', new.kind, 'status', new.status, 'repository_id', new.repository_id));
  end;

  create trigger webhook_decision_awaited after insert on events
    when new.type = 'fix_waiting' and json_extract(new.data, '$.kind') in ('clarification', 'plan', 'scope') and ${IF_WANTED}
  begin
    ${MESSAGE} (${MESSAGE_ID}, 'decision.awaited', ${NOW}, json_object(
      'session_id', new.session_id, 'decision', json_extract(new.data, '$.kind'), 'seq', new.seq));
  end;

  create trigger webhook_issue_changed after update of status on issues
    when new.status <> old.status and ${IF_WANTED}
  begin
    ${MESSAGE} (${MESSAGE_ID}, 'issue.changed', ${NOW}, json_object(
      'issue_id', new.issue_id, 'issue_code', new.issue_code, 'status', new.status, 'was', old.status,
      'session_id', new.session_id, 'repository_id', new.repository_id));
  end;
`
