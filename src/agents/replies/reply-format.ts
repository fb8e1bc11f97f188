// The form of each reply: the line that closes a prompt, and the JSON schema that a CLI enforces.
import { z } from 'zod'
import { REPLY_SCHEMAS, type ReplyName } from '../../domain/stage/reply-schemas.ts'

const CLAIM =
  '{"issue_code":"CODE","status":"fixed|false_positive|blocked|deferred|failed|skipped","file_modified":["path"],' +
  '"changes_summary":"what and why","self_evaluation":{"confidence":<0-100>,"completeness":"full|partial","risks":["…"]}}'

/** Reasons stand before scores: a model writes one after the other, and a reason that follows its score only defends it. */
const VERDICT =
  '{"feedback":"…","points":[{"id":"CODE-p1","text":"…","blocker":<true|false>,"settled":<true|false>}],' +
  '"improvements_needed":["…"],"false_positive_agreed":<true|false>,' +
  '"quality_scores":{"correctness":<0-100>,"safety":<0-100>,"minimality":<0-100>,"style_consistency":<0-100>},' +
  '"score":<0-100>,"status":"SOLVED|IN_PROGRESS"}'

const PLAN =
  '{"issue_code":"CODE","context":{"snippets":["path:line\\n…"],"related_files":["path"],"existing_patterns":["…"]},' +
  '"approach":"…","steps":["…"],"verification":["…"]}'

/** A finding, of whoever reviews. */
const FINDING_MEMBERS =
  '"id":"…","file":"path","line":"45 or 45-67","side":"new|old","quote":"…","issue":"…","failure":"with …, … happens",' +
  '"effect":"data_loss|security_breach|crash|wrong_result|degraded|harder_to_change|none",' +
  '"reach":"normal|realistic|stated_conditions","origin":"introduced|pre_existing","category":"…","fix_hint":"…",' +
  '"estimated_effort":<1-5>,"estimated_files_count":<1-99>'

const FINDING = `{${FINDING_MEMBERS},"experts":["…"],"new_evidence":"only for what was dismissed"}`

const VOTE =
  `{"head":"<commit>","reviewed":["path"],"not_reviewed":[{"path":"path","why":"why"}],"findings":[{${FINDING_MEMBERS}}],` +
  '"feedback":"…","verdict_text":"…","vote":<0-100>}'

/** What an expert of a review hands to the call that started it. */
export const EXPERT_FORMAT = `{"read":["path"],"findings":[${FINDING}]}`

/** Values in angle brackets are written bare: a number, true or false. */
export const REPLY_FORMATS: Readonly<Record<ReplyName, string>> = {
  fix: `{"results":[${CLAIM}]}`,
  claim: CLAIM,
  challenge: `{"issues":{"CODE":${VERDICT}}}`,
  clarify:
    '{"has_questions":<true|false>,"questions":[{"id":"CODE-q1","issue_code":"CODE","question":"…","context":"…"}],' +
    '"message":"…","ready_to_fix":<true|false>}',
  plan: `{"issues":[${PLAN}],"execution_steps":[["CODE"]]}`,
  branch: '{"branch":"fix/…"}',
  commit: '{"subjects":{"CODE":"…"}}',
  vote: VOTE,
  review:
    `{"head":"…","experts":[{"name":"…","read":["path"],"found":["id"]}],"reviewed":["path"],"not_reviewed":[{"path":"…","why":"…"}],` +
    `"groups":[{"description":"…","findings":[${FINDING}]}],"merged":[{"id":"…","into":"id","reason":"…"}],` +
    `"earlier":[{"id":"…","state":"gone|still_there","reason":"…"}]}`,
  disproof:
    '{"verdicts":[{"id":"…","reason":"…","evidence":[{"file":"path","line":"45","quote":"…"}],"verdict":"confirmed|refuted|unverified"}]}',
}

export const WHOLE_DIFF_FORMAT = `{"issues":{"CODE":${VERDICT}},"whole":{"feedback":"…","score":<0-100>}}`

/** The value of Claude's `--json-schema`. Its validator knows draft 7 and refuses to start on the `$schema` of a later one. */
export function replyJsonSchema(name: ReplyName): Record<string, unknown> {
  const { $schema: _, ...schema } = z.toJSONSchema(REPLY_SCHEMAS[name], { io: 'input', target: 'draft-7' })
  return schema
}
