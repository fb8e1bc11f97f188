// The names that leave the process: Temporal keeps them in histories, the store keeps them in rows, people type them.
// A change here needs `patched`, a migration or an alias; it never happens by renaming a function.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ActivityContext } from '../../src/activities/context.ts'
import { createSessionActivities } from '../../src/activities/index.ts'
import { MESSAGE_NAMES } from '../../src/domain/people/message-schemas.ts'
import { longWorkQueue } from '../../src/domain/protocol/index.ts'
import { EventType } from '../../src/domain/session/events.ts'
import { ArtifactKind } from '../../src/domain/session/records.ts'

test('activity types are pinned', () => {
  assert.deepEqual(Object.keys(createSessionActivities({} as ActivityContext)).sort(), [
    'applyPlan',
    'applyScopeDecision',
    'challengeTree',
    'clarify',
    'closeSession',
    'commitStage',
    'fixBatch',
    'mergeStage',
    'openSession',
    'planFixes',
    'prepareScopeRequest',
    'proveFix',
    'recordMessages',
    'recordWait',
    'verifyBaseline',
    'verifyTree',
  ])
})

test('signals and updates are pinned', () => {
  assert.deepEqual(MESSAGE_NAMES, ['answerClarification', 'decidePlan', 'decideScope', 'cancel'])
})

test('the queue for long work is pinned', () => {
  assert.equal(longWorkQueue('host'), 'host-long')
})

test('event types are pinned', () => {
  assert.deepEqual(EventType.options, [
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
})

test('artifact kinds are pinned', () => {
  assert.deepEqual(ArtifactKind.options, [
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
    'log',
  ])
})
