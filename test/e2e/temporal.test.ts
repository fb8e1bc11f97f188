// What Temporal holds of a session: a story for whoever looks into its UI, a history that stays small, and runs that hand over to the next.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { basename } from 'node:path'
import { test } from 'node:test'
import { activitySummaries, segmentsOf, startToCloseSeconds } from '../support/histories.ts'
import { checkInvariants } from '../support/invariants.ts'
import { setMadeStage } from '../support/session.ts'
import { temporalExecutable } from '../support/temporal.ts'
import { until } from '../support/until.ts'

test('a running session reads like a story in Temporal, costs the same for each batch, and continues as new between stages', async (t) => {
  const stage = await setMadeStage(t, 3, {
    scenario: {
      faults: ['T-001', 'T-003'].map((code) => ({
        match: { role: 'fixer', code },
        fault: { kind: 'hold', name: code },
      })),
    },
  })
  const small = ['--set', 'limits.max_issues_per_cli_call=1', '--set', 'worker.history_events_before_continue=10']
  const clocks = ['claude.timeout_seconds=700.5', 'gemini.timeout_seconds=90', 'worker.grace_seconds=33']
  const fix = stage.start(stage.made.findings, [...small, ...clocks.flatMap((each) => ['--set', each])])
  await stage.model.waitFor({ role: 'fixer', code: 'T-001' })
  const [session] = await stage.sessions()
  assert.ok(session)
  const cli = await temporalExecutable()
  const temporal = (...args: string[]) => {
    const where = ['--address', stage.temporal?.address ?? '', '--namespace', 'fixwright', '--output', 'json']
    const said = execFileSync(cli, [...args, ...where], { env: { ...stage.environment }, encoding: 'utf8' })
    return JSON.parse(said)
  }
  const id = ['--workflow-id', session.workflow_id]
  const { summary, details } = temporal('workflow', 'describe', ...id).executionConfig.userMetadata
  assert.equal(summary, `fix 3 issue(s) in ${basename(stage.repository)}`)
  assert.match(details, /\| T-002 \| medium \| ledger\/part_001\.py \| Age limit excludes/)

  // The runs after the first have no summary (continue-as-new carries none in SDK 1.24); the details go on.
  stage.model.release('T-001')
  await stage.model.waitFor({ role: 'fixer', code: 'T-003' })
  const branch = (await stage.sessions())[0]?.branch_name
  // The server is shared: the abandoned session of another test may have the same repository name, branch and status.
  const query = [
    "ExecutionStatus = 'Running'",
    `FixSession = '${session.session_id}'`,
    "FixStatus = 'generating'",
    `FixRepository = '${basename(stage.repository)}'`,
    `FixBranch = '${branch}'`,
  ].join(' AND ')
  // Lists follow the histories with a delay.
  await until('the list shows it', () => {
    const found: { execution: { workflowId: string } }[] = temporal('workflow', 'list', '--query', query)
    return found.map(({ execution }) => execution.workflowId).join() === session.workflow_id
  })
  const metadata = JSON.stringify(temporal('workflow', 'metadata', ...id))
  assert.match(metadata, /stage 3 of 3/)
  assert.match(metadata, /\| T-001 \| resolved \| 97 \| 1 \| [0-9a-f]{10} \|/)
  assert.match(metadata, /\| T-003 \| in work or to come/)
  const [view] = temporal('workflow', 'query', ...id, '--type', 'session').queryResult
  assert.deepEqual([view.sessionId, view.stage, view.commits.length], [session.session_id, 3, 2])

  stage.model.release('T-003')
  const { status, stderr, result } = await fix.ended
  assert.equal(status, 0, stderr)
  assert.equal(result?.commits.length, 3)
  const histories = await stage.histories(session.session_id)
  assert.ok(histories.length >= 2, `${histories.length} runs`)
  assert.deepEqual(
    activitySummaries(histories).filter((summary) => /T-002/.test(summary)),
    ['fix T-002 · attempt 1', 'challenge T-002', 'commit T-002'],
  )
  assert.deepEqual(
    ['fixBatch', 'challengeTree', 'commitStage'].map((type) => startToCloseSeconds(histories, type)),
    [[1434], [303], [153]],
    'what the settings say of each CLI, for each call that an activity may make, and the grace',
  )
  const segments = segmentsOf(histories)
  assert.equal(segments.length, 3)
  for (const { activities, events } of segments) {
    assert.deepEqual(
      [activities, events],
      [segments[0]?.activities, segments[0]?.events],
      'the last batch costs what the first did',
    )
    assert.ok(activities <= 5 && events <= 40, `${activities} activities, ${events} events`)
  }
  await checkInvariants(stage, 'continued-as-new')
})
