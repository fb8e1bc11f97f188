// The vocabulary of the event log: one name per moment, all starting with `fix_`. The log is append-only with a gapless
// sequence per session; its last event is always one of the terminal ones.
import { z } from 'zod'

export const EventType = z.enum([
  'fix_session_started',
  'fix_session_joined',
  'fix_clarification_needed',
  'fix_clarification_received',
  'fix_plan_ready',
  'fix_plan_decided',
  'fix_stage_started',
  'fix_batch_started',
  'fix_batch_completed',
  'fix_issue_started',
  'fix_issue_validating',
  'fix_issue_analyzing',
  'fix_issue_generating',
  'fix_issue_regenerating',
  'fix_issue_streaming',
  'fix_scope_violation',
  'fix_scope_decided',
  'fix_checks_silenced',
  'fix_verification_started',
  'fix_verification_result',
  'fix_proof_result',
  'fix_challenger_evaluating',
  'fix_challenger_result',
  'fix_issue_committed',
  'fix_issue_completed',
  'fix_issue_failed',
  'fix_issue_skipped',
  'fix_call_started',
  'fix_call_completed',
  'fix_waiting',
  'fix_resumed',
  'fix_message_refused',
  'fix_log',
  'fix_billing_error',
  'fix_session_cancelled',
  'fix_session_completed',
  'fix_session_error',
])
export type EventType = z.infer<typeof EventType>

export const TERMINAL_EVENTS: ReadonlySet<EventType> = new Set([
  'fix_session_completed',
  'fix_session_error',
  'fix_session_cancelled',
  'fix_billing_error',
])

/** In the data of a `fix_log` that wants nobody's attention. Without it one is a warning, as all of them were to earlier versions. */
export const NOTE_LEVEL = { level: 'note' } as const

/** An event before the log gives it its place. Writing the same `key` twice leaves one event. */
export const NewEvent = z.object({
  key: z.string(),
  type: EventType,
  /** Set where the moment is known better than the log's own clock knows it. */
  timestamp: z.string().optional(),
  issue_code: z.string().optional(),
  issue_id: z.string().optional(),
  /** 1-based place of the issue among those of the session. */
  issue_index: z.number().int().positive().optional(),
  total_issues: z.number().int().nonnegative().optional(),
  message: z.string(),
  commit_sha: z.string().optional(),
  /** Small facts beside the message: scores, paths, references to artifacts. */
  data: z.record(z.string(), z.unknown()).optional(),
})
export type NewEvent = z.infer<typeof NewEvent>
/** Made without a constructor. */
export type UntypedEvent = NewEvent

export const SessionEvent = NewEvent.omit({ key: true }).extend({
  session_id: z.string(),
  seq: z.number().int().positive(),
  timestamp: z.string(),
})
export type SessionEvent = z.infer<typeof SessionEvent>
