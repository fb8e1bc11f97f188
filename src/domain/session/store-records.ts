// The store's records besides sessions and events. Database rows derive from these shapes.
import { z } from 'zod'
import { FIX_CODE_LIMIT, Issue, IssueCode, IssueStatus } from '../issue/issue.ts'

export const IssueRecord = Issue.extend({
  repository_id: z.string(),
  /** The folder where the repository lies now. */
  repository: z.string(),
  task_id: z.string(),
  status: IssueStatus,
  /** Counts the changes. */
  version: z.number().int().positive(),
  /** The issue that is the same as this duplicate. */
  duplicate_of: z.string().optional(),
  /** It was resolved, and a later report has it again. */
  regressed: z.literal(true).optional(),
  fix_code: z.string().max(FIX_CODE_LIMIT).optional(),
  fix_explanation: z.string().optional(),
  fix_files_modified: z.array(z.string()),
  fix_commit_sha: z.string().optional(),
  fix_branch: z.string().optional(),
  fix_self_score: z.number().optional(),
  fix_gemini_score: z.number().optional(),
  resolution_note: z.string().optional(),
  /** The latest session that took it up. */
  session_id: z.string().optional(),
  created_at: z.string(),
  updated_at: z.string(),
})
export type IssueRecord = z.infer<typeof IssueRecord>

/** A session's findings about its issue, written together with the resulting status. */
export const IssueFix = IssueRecord.pick({
  fix_code: true,
  fix_explanation: true,
  fix_files_modified: true,
  fix_commit_sha: true,
  fix_branch: true,
  fix_self_score: true,
  fix_gemini_score: true,
}).partial()
export type IssueFix = z.infer<typeof IssueFix>

/** `lost`: a later attempt took over, or the session ended, before this one reported; its effects may be unknown. */
export const AgentCallState = z.enum(['started', 'finished', 'lost'])
export type AgentCallState = z.infer<typeof AgentCallState>

export const AgentCallRecord = z.object({
  session_id: z.string(),
  /** Identifies the call in the session, the same on every attempt. */
  key: z.string(),
  attempt: z.number().int().positive(),
  role: z.string(),
  state: AgentCallState,
  /** The environment of its processes carries it, so that a successor finds what a dead worker left running. */
  marker: z.string().optional(),
  model: z.string().optional(),
  cli_session_id: z.string().optional(),
  /** The issues that it is about; they share its cost. */
  codes: z.array(IssueCode).default([]),
  /** The known part of the cost. */
  cost_usd: z.number().nonnegative().optional(),
  /** A part of the cost is unknown. */
  cost_partial: z.literal(true).optional(),
  /** `input` includes `cached`; while the call runs, these are the tokens reported so far. */
  tokens: z.record(z.string(), z.number()).optional(),
  duration_ms: z.number().nonnegative().optional(),
  /** How long its step waited for a free place on the host; the first call of a step has it. */
  queued_ms: z.number().nonnegative().optional(),
  prompt_ref: z.string().optional(),
  reply_ref: z.string().optional(),
  transcript_ref: z.string().optional(),
  result: z.unknown().optional(),
  started_at: z.string(),
  finished_at: z.string().optional(),
})
export type AgentCallRecord = z.infer<typeof AgentCallRecord>

export const ArtifactKind = z.enum([
  'prompt',
  'reply',
  'transcript',
  'thinking',
  'todo',
  'diff',
  'verification',
  'verdict',
  'findings',
  'review',
  'post',
  'log',
])
export type ArtifactKind = z.infer<typeof ArtifactKind>

/** Ties content to a session: it stays as long as one such record names it. */
export const SessionArtifact = z.object({
  session_id: z.string(),
  ref: z.string(),
  kind: ArtifactKind,
  /** Unique within session and kind, such as the key of an agent call. */
  name: z.string(),
  issue_code: z.string().optional(),
  created_at: z.string(),
})
export type SessionArtifact = z.infer<typeof SessionArtifact>

/** An answer that outlives its session: it holds again when the same issue comes back with the same text. */
export const KnownAnswer = z.object({
  session_id: z.string(),
  question_id: z.string(),
  repository_id: z.string(),
  issue_code: IssueCode,
  /** The hash of the issue when it was asked about: see `hashIssueText`. */
  text_hash: z.string(),
  question: z.string(),
  answer: z.string(),
  answered_by: z.string(),
  answered_at: z.string(),
})
export type KnownAnswer = z.infer<typeof KnownAnswer>

/** A path outside of the scope that a person allowed, for one session or for all later ones of the repository. */
export const Grant = z.object({
  repository_id: z.string(),
  /** Absent if it holds for the repository. */
  session_id: z.string().optional(),
  /** A file, or a folder if it ends in a slash. */
  path: z.string().min(1),
  granted_by: z.string(),
  granted_at: z.string(),
})
export type Grant = z.infer<typeof Grant>

/** A message to a session, and its outcome. */
export const MessageRecord = z.object({
  /** Unique in the session. */
  key: z.string(),
  name: z.string(),
  outcome: z.enum(['taken', 'repeated', 'refused']),
  response: z.string(),
  answered_question_ids: z.array(z.string()).optional(),
  by: z.string(),
  from: z.string(),
  /** Milliseconds since the epoch. */
  at: z.number(),
})
export type MessageRecord = z.infer<typeof MessageRecord>
