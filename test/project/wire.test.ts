// The names that leave the process: Temporal keeps them in histories, the store keeps them in rows, people type them.
// A change here needs `patched`, a migration or an alias; it never happens by renaming a function.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ActivityContext } from '../../src/activities/context.ts'
import { createSessionActivities } from '../../src/activities/index.ts'
import { createWebhookActivities } from '../../src/activities/webhook/send-webhook.ts'
import { MESSAGE_NAMES } from '../../src/domain/people/message-schemas.ts'
import { EventType, LogCode } from '../../src/domain/session/events/index.ts'
import { parseOrder } from '../../src/domain/session/parse-order.ts'
import {
  formatStepId,
  formatStepPart,
  toMergeName,
  toRoundName,
  toSelectionName,
} from '../../src/domain/session/step-id.ts'
import { ArtifactKind } from '../../src/domain/session/store-records.ts'
import {
  COMMAND_LOOK_SIGNAL,
  COMMAND_WORKFLOW,
  FORGE_WAIT_MEMO,
  FORGE_WORKFLOWS,
  longWorkQueue,
  ORDER_QUEUE,
  SEARCH_ATTRIBUTES,
  SESSION_MEMO,
  SESSION_QUERY,
  SESSION_WORKFLOW,
  SESSION_WORKFLOWS,
  WATCH_MEMO,
  WATCH_WAKE_SIGNAL,
  WATCH_WORKFLOW,
  WEBHOOK_WORKFLOW,
} from '../../src/domain/workflow-types/index.ts'
import type { Store } from '../../src/store/store.ts'
import * as workflows from '../../src/workflows/index.ts'
import { DEFAULT_SETTINGS } from '../support/store.ts'

test('activity types are pinned', () => {
  assert.deepEqual(Object.keys(createSessionActivities({} as ActivityContext)).sort(), [
    'acknowledgeCommand',
    'answerSession',
    'applyPlan',
    'applyScopeDecision',
    'castVote',
    'challengeTree',
    'clarify',
    'closeDuplicateIssue',
    'closeSession',
    'commitStage',
    'concludeReview',
    'countVotes',
    'createSession',
    'describeCommandPull',
    'fetchPullCommits',
    'findCommandReply',
    'findCommands',
    'findLeftoverIssues',
    'findPulls',
    'findVotePosts',
    'fixBatch',
    'lookAtPull',
    'mergeStage',
    'nameBranch',
    'openLeftoverIssue',
    'openPull',
    'openReview',
    'openSession',
    'openVote',
    'planFixes',
    'postCommandReply',
    'postVotePart',
    'prepareScopeRequest',
    'proveFix',
    'pushBranch',
    'readCommand',
    'recordLanding',
    'recordMessages',
    'recordWait',
    'reviewChange',
    'verifyBaseline',
    'verifyFindings',
    'verifyOldTests',
    'verifyTree',
    'withdrawCommandReply',
    'withdrawVotePost',
  ])
})

test('signals and updates are pinned', () => {
  assert.deepEqual(MESSAGE_NAMES, ['answerClarification', 'decidePlan', 'decideScope', 'cancel', 'pause', 'resume'])
})

test('the names that a start, a query and a list are typed with are pinned', () => {
  assert.deepEqual(
    Object.keys(workflows).sort(),
    [
      ...[COMMAND_WORKFLOW, WATCH_WORKFLOW, WEBHOOK_WORKFLOW],
      ...[...Object.values(SESSION_WORKFLOWS), ...Object.values(FORGE_WORKFLOWS)],
    ].sort(),
  )
  assert.deepEqual(
    [FORGE_WORKFLOWS, FORGE_WAIT_MEMO],
    [{ pull: 'openPullRequest', issues: 'createLeftoverIssues', votes: 'postVotes' }, 'forgeWait'],
  )
  assert.deepEqual([COMMAND_WORKFLOW, COMMAND_LOOK_SIGNAL], ['runPullCommand', 'lookAtSession'])
  assert.equal(WEBHOOK_WORKFLOW, 'deliverWebhook')
  assert.deepEqual([WATCH_WORKFLOW, WATCH_WAKE_SIGNAL, WATCH_MEMO], ['watchPull', 'wakeWatch', 'watch'])
  assert.deepEqual(Object.keys(createWebhookActivities({} as Store, DEFAULT_SETTINGS.webhooks)), ['sendWebhook'])
  assert.deepEqual(SESSION_WORKFLOWS, {
    fix: 'fixSession',
    review: 'reviewSession',
    'review-fix': 'reviewFixSession',
    votes: 'voteSession',
  })
  assert.deepEqual(
    [SESSION_WORKFLOW, ORDER_QUEUE, SESSION_QUERY, SESSION_MEMO],
    ['fixSession', 'fixwright', 'session', 'sessionId'],
  )
  assert.deepEqual(SEARCH_ATTRIBUTES, {
    FixSession: 'Keyword',
    FixStatus: 'Keyword',
    FixRepository: 'Keyword',
    FixBranch: 'Keyword',
    FixAwaiting: 'Keyword',
    FixScore: 'Int',
  })
})

test('the members of an order are pinned', () => {
  const choice = { base: 'main', branch: 'fix/it', useExistingBranch: true, allowDirty: true }
  const words = { notes: 'n', review: 'r', settings: { 'people.clarify': true } }
  const found = { findings: [{ issue_code: 'A' }], only: ['A'], task: 't' }
  for (const which of [found, { issueIds: ['iss-1'] }]) {
    const order = { repository: '/work/app', ...which, ...choice, ...words }
    assert.deepEqual(parseOrder(order), { kind: 'read', ordered: { kind: 'fix', order } })
  }
  const change = { repository: '/work/app', base: 'main', head: 'feature', settings: { 'budgets.session_usd': 1 } }
  const review = { ...change, spec: 'specs/a', experts: ['language'], notes: 'n', import: true }
  for (const [kind, order] of [
    ['votes', change],
    ['review', review],
    ['review-fix', review],
  ] as const) {
    assert.deepEqual(parseOrder(order, kind), { kind: 'read', ordered: { kind, order } })
  }
})

test('the queue for long work is pinned', () => {
  assert.equal(longWorkQueue('host'), 'host-long')
})

test('event types are pinned', () => {
  assert.deepEqual(EventType.options.toSorted(), [
    'fix_batch_completed',
    'fix_batch_started',
    'fix_billing_error',
    'fix_call_completed',
    'fix_call_started',
    'fix_challenger_evaluating',
    'fix_challenger_result',
    'fix_checks_silenced',
    'fix_clarification_needed',
    'fix_clarification_received',
    'fix_issue_analyzing',
    'fix_issue_committed',
    'fix_issue_completed',
    'fix_issue_failed',
    'fix_issue_generating',
    'fix_issue_regenerating',
    'fix_issue_skipped',
    'fix_issue_started',
    'fix_issue_streaming',
    'fix_issue_validating',
    'fix_log',
    'fix_message_refused',
    'fix_plan_decided',
    'fix_plan_ready',
    'fix_proof_result',
    'fix_resumed',
    'fix_scope_decided',
    'fix_scope_violation',
    'fix_session_cancelled',
    'fix_session_completed',
    'fix_session_error',
    'fix_session_joined',
    'fix_session_started',
    'fix_stage_started',
    'fix_verification_result',
    'fix_verification_started',
    'fix_vote_cast',
    'fix_votes_counted',
    'fix_votes_started',
    'fix_waiting',
  ])
})

test('codes of the log are pinned', () => {
  assert.deepEqual(LogCode.options.toSorted(), [
    'answer_reused',
    'baseline_doubted',
    'baseline_known',
    'baseline_mute',
    'baseline_red',
    'baseline_rerun_failed',
    'baseline_rerun_impossible',
    'baseline_rerun_passed',
    'baseline_unknown',
    'branch_merged',
    'branch_named',
    'by_products_ignored',
    'call_lost',
    'call_refused',
    'call_split',
    'check_ended',
    'checkout_left',
    'checks_ran',
    'clarified',
    'conversation_gone',
    'findings_imported',
    'folder_left',
    'git_use_undone',
    'issue_reopened',
    'lane_merged',
    'lanes_refused',
    'old_tests_run',
    'plan_missing',
    'plan_remark',
    'price_unknown',
    'program_missing',
    'recorded_earlier',
    'reports_ignored',
    'review_malformed',
    'review_opened',
    'review_reported',
    'review_verified',
    'setup_done',
    'setup_failed',
    'setup_kept',
    'setup_not_shared',
    'setup_started',
    'start_note',
    'variables_unset',
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
    'post',
    'log',
  ])
})

test('step ids are pinned', () => {
  const [stage, turn] = [1, 2]
  assert.deepEqual(
    [
      formatStepId({ kind: 'name_branch' }),
      formatStepId({ kind: 'baseline' }),
      formatStepId({ kind: 'commit_baseline', sha: 'a1b2' }),
      formatStepId({ kind: 'clarify', round: 1 }),
      formatStepId({ kind: 'plan', attempt: 1 }),
      formatStepId({ kind: 'edit_plan', attempt: 1, edit: 1 }),
      formatStepId({ kind: 'apply_plan', attempt: 1, turn: 1 }),
      formatStepId({ kind: 'apply_plan', attempt: 1, turn }),
      formatStepId({ kind: 'apply_agreed_plan', attempt: 1 }),
      formatStepId({ kind: 'apply_answers' }),
      formatStepId({ kind: 'fix', stage, round_name: toRoundName(2), batch: 1 }),
      formatStepId({ kind: 'fix', stage, round_name: 'extra', batch: 1 }),
      formatStepId({ kind: 'verify', stage, tree: toRoundName(1) }),
      formatStepId({ kind: 'verify', stage, tree: toSelectionName(turn) }),
      formatStepId({ kind: 'verify', stage, tree: toSelectionName(turn, { step: 'fresh', turn: 1 }) }),
      formatStepId({ kind: 'challenge', stage, tree: toMergeName(1) }),
      formatStepId({ kind: 'challenge', stage, tree: toSelectionName(turn, { step: 'merge', turn: 1 }) }),
      formatStepId({ kind: 'verify_fresh', stage, turn: 1 }),
      formatStepId({ kind: 'verify', stage, tree: toSelectionName(turn, { step: 'oldtests', turn: 1 }) }),
      formatStepId({ kind: 'verify_old_tests', stage, turn: 1 }),
      formatStepId({ kind: 'prove', stage, turn: 1, group: 1 }),
      formatStepId({ kind: 'merge', stage, turn: 1 }),
      formatStepId({ kind: 'train', stage, turn: 1 }),
      formatStepId({ kind: 'commit', stage, turn: 1 }),
      formatStepId({ kind: 'commit', stage, turn }),
      formatStepId({ kind: 'vote', voter: 'claude' }),
      formatStepId({ kind: 'review' }),
      formatStepId({ kind: 'verify_findings', batch: 2 }),
    ],
    [
      ...['branch', 'base', 'base.a1b2', 'clarify.r1', 'plan.p1', 'plan.p1.e1'],
      ...['plan.p1.apply', 'plan.p1.apply2', 'plan.p1.agreed', 'plan.apply'],
      ...['s1.i2.b1.fix', 's1.extra.b1.fix', 's1.i1.verify', 's1.select2.verify', 's1.fresh1.select2.verify'],
      ...['s1.merge1.challenge', 's1.merge1.select2.challenge', 's1.fresh1'],
      ...['s1.oldtests1.select2.verify', 's1.oldtests1', 's1.prove1.1', 's1.merge1', 's1.train1'],
      ...['s1.commit', 's1.commit2', 'vote.claude', 'review', 'verify.b2'],
    ],
  )
  const parts = [
    ...(['rest', 'repair', 'restart', 'commit_message', 'branch_wait', 'people_wait', 'resumed', 'scope'] as const),
    ...(['setup_without_fix', 'setup_in_work_tree', 'stdout', 'stderr'] as const),
  ].map((kind) => formatStepPart('', { kind }))
  const numbered = (
    ['retry', 'provider_wait', 'command', 'setup', 'setup_retry', 'commit_part', 'tests_of_group'] as const
  ).map((kind) => formatStepPart('', { kind, n: 2 }))
  assert.deepEqual(
    [...parts, ...numbered],
    [
      ...['.rest', '.repair', '.fresh', '.message', '.wait', '.asked', '.resumed', '.scope'],
      ...['.without', '.there', '.stdout', '.stderr', '.w2', '.wait2', '.2', '.setup2', '.again2', '.part2', '.tests2'],
    ],
  )
})
