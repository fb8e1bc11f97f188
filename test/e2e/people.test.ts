// A question that outlives everything, and one conversation from it to the last fix: real CLIs, real Temporal, real git, and people
// who answer late, from somewhere else, and with Temporal's own tools.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promptOf } from '../../rehearsal/calls.ts'
import { modelCalls, phases, subAgents } from '../../rehearsal/model-calls.ts'
import type { ScenarioInput } from '../../rehearsal/scenario.ts'
import { findLiveInstance } from '../../src/runtime/instance/instance-file.ts'
import { findRunningServers } from '../../src/runtime/temporal-server/running-servers.ts'
import { checkInvariants } from '../support/invariants.ts'
import { amends, scriptOf, wrongEdit } from '../support/scripting.ts'
import { type E2eStage, setMadeStage } from '../support/session.ts'
import { temporalExecutable } from '../support/temporal.ts'
import { until } from '../support/until.ts'

const STRICT = 'Should an address with a plus sign be accepted?'
const QUESTIONS: ScenarioInput = {
  clarify: [{ questions: [{ issue_code: 'T-001', question: STRICT }, { question: 'Which Python is it for?' }] }],
}

/** What the calls of a role were told, call by call. */
function prompts({ model }: E2eStage, role: string): string[] {
  return model.calls().flatMap((call) => (call.role === role && call.step === 0 ? [promptOf(call) ?? ''] : []))
}

async function asked(stage: E2eStage): Promise<string> {
  await until('the question is on record', async () => (await stage.sessions()).some(({ decision }) => decision))
  return (await stage.sessions())[0]?.session_id ?? ''
}

interface Upsert {
  readonly searchAttributes: { readonly indexedFields: { readonly FixStatus?: { readonly data: string } } }
}

test('a question asked on Friday is answered after everything was killed and started again [S1-12]', async (t) => {
  const stage = await setMadeStage(t, 2, { server: 'own', scenario: QUESTIONS })
  const fix = stage.start(stage.made.findings, ['--clarify'])
  const id = await asked(stage)
  const instance = findLiveInstance(stage.home)
  const [server] = findRunningServers(stage.home.temporalDatabase)
  assert.ok(instance && server, 'an instance and its server run')
  fix.child.kill('SIGKILL')
  process.kill(instance.identity.pid, 'SIGKILL')
  process.kill(server.identity.pid, 'SIGKILL')
  await fix.ended

  const up = stage.command('up')
  await until('the machine is up again', () => findLiveInstance(stage.home) !== undefined)
  const { stdout: shown } = await stage.command('status', id, '--json').ended
  const state = JSON.parse(shown) as { questions: { id: string }[]; waiting: { until: string } }
  assert.deepEqual(
    state.questions.map((question) => question.id),
    ['T-001-q1', 'general-q1'],
  )
  const days = (Date.parse(state.waiting.until) - Date.now()) / 86_400_000
  assert.ok(days > 6.9 && days <= 7, `the question has ${days} days left`)

  const answers = ['--answer', 'T-001-q1=no, the strict rule', '--answer', 'general-q1=3.13']
  const answered = await stage.command('answer', id, ...answers).ended
  assert.equal(answered.status, 0, answered.stderr)
  assert.equal((await stage.command('watch', id).ended).status, 0)
  const [told = ''] = prompts(stage, 'fixer')
  assert.ok(told.includes('no, the strict rule') && told.includes('3.13'), told)
  const [session] = await stage.sessions()
  assert.equal(session?.result?.status, 'completed')
  up.child.kill('SIGINT')
  await up.ended
  await checkInvariants(stage)
})

test("Temporal's own tools answer as well, and its UI says in words what is waited for [S1-12]", async (t) => {
  const environment = { NOTIFY_ROOM: 'builders', GH_ENTERPRISE_TOKEN: 'a-token-of-github' }
  const stage = await setMadeStage(t, 1, { scenario: QUESTIONS, environment })
  const ui = 'https://temporal.example.com/ui'
  const told = join(stage.folder, 'told')
  const command = `echo "$FIXWRIGHT_EVENT $FIXWRIGHT_SESSION $FIXWRIGHT_MESSAGE $NOTIFY_ROOM$GH_ENTERPRISE_TOKEN" >> '${told}'`
  const notify = ['--set', 'notify.after_seconds=0', '--set', `notify.command=${command}`]
  const fix = stage.start(stage.made.findings, ['--clarify', '--set', `temporal.ui_url=${ui}/`, ...notify])
  const id = await asked(stage)
  const [session] = await stage.sessions()
  const page = `${ui}/namespaces/fixwright/workflows/fix-session%2F${id}`
  for (const args of [['list'], ['status', id]]) {
    const [told] = [JSON.parse((await stage.command(...args, '--json').ended).stdout)].flat()
    assert.deepEqual([told.workflow_id, told.temporal_url], [`fix-session/${id}`, page], args.join())
    assert.ok(told.run_id)
  }
  assert.match((await stage.command('status', id).ended).stdout, new RegExp(`Temporal UI +${page}\n`))
  const [started] = await stage.events(id)
  assert.equal(started?.type === 'fix_session_started' && started.data.temporal_url, page)
  const executable = await temporalExecutable()
  const temporal = (...args: string[]): string =>
    execFileSync(executable, [...args, '--address', stage.temporal?.address ?? '', '--namespace', 'fixwright'], {
      encoding: 'utf8',
      env: { ...process.env, HOME: stage.folder },
    })
  const workflow = ['--workflow-id', session?.workflow_id ?? '']
  // Lists follow the histories with a delay.
  const lists = (state: string) =>
    until(`the list shows ${state}`, () =>
      temporal('workflow', 'list', '--query', `FixSession = '${id}' AND ${state}`).includes(id),
    )
  await lists("FixStatus = 'awaiting_clarification' AND FixAwaiting STARTS_WITH 'an answer to 2 questions'")
  const details = temporal('workflow', 'metadata', ...workflow, '--output', 'json')
  assert.match(
    details,
    /Waits since \d{4}-\d\d-\d\d \d\d:\d\d UTC, until [^,]+ UTC for an answer to 2 questions: Should an address/,
  )
  assert.match(details, new RegExp(`Answer with .fixwright answer ${id}`))

  const signal = (input: unknown): string =>
    temporal('workflow', 'signal', ...workflow, '--name', 'answerClarification', '--input', JSON.stringify(input))
  signal({ answers: { 'T-001-q1': 'by signal' }, by: 'ada' })
  signal({ answer: 'misspelt' })
  signal({ skip: true })
  const { status, stderr } = await fix.ended
  assert.equal(status, 0, stderr)
  assert.ok(prompts(stage, 'fixer')[0]?.includes('by signal'))
  assert.ok(prompts(stage, 'fix_challenger')[0]?.includes('by signal'), 'the challenger knows what was decided')
  const events = await stage.events(id)
  const received = events.filter(({ type }) => type === 'fix_clarification_received')
  assert.match(received[0]?.message ?? '', /ada \(claimed\) .*by signal/)
  assert.match(events.find(({ type }) => type === 'fix_message_refused')?.message ?? '', /answer/)
  await lists("FixStatus = 'completed' AND FixAwaiting IS NULL")
  const history: { events: { upsertWorkflowSearchAttributesEventAttributes?: Upsert }[] } = JSON.parse(
    temporal('workflow', 'show', ...workflow, '--output', 'json'),
  )
  const shown = history.events.flatMap(({ upsertWorkflowSearchAttributesEventAttributes: upsert }) => {
    const value = upsert?.searchAttributes.indexedFields.FixStatus
    return value === undefined ? [] : [JSON.parse(Buffer.from(value.data, 'base64').toString())]
  })
  assert.deepEqual(shown, ['analyzing', 'awaiting_clarification', 'analyzing', 'generating', 'completed'])
  await stage.quiet()
  const [waits = '', ended = '', ...more] = readFileSync(told, 'utf8').trim().split('\n')
  assert.match(
    waits,
    new RegExp(`^waits ${id} session ${id} waits for an answer to 2 questions.*: fixwright answer ${id} builders$`),
  )
  assert.match(ended, new RegExp(`^ended ${id} session ${id} has ended: 1 fixed, 0 failed.* builders$`))
  assert.deepEqual(more, [], 'each once')
  await checkInvariants(stage, 'clarified')
})

test('an answer given once is not asked for again when the same issue comes back [S2-4]', async (t) => {
  const stage = await setMadeStage(t, 1, {
    scenario: { clarify: [{ questions: [{ issue_code: 'T-001', question: STRICT }] }] },
  })
  const first = stage.start(stage.made.findings, ['--clarify'])
  const id = await asked(stage)
  assert.equal((await stage.command('answer', id, '--answer', 'T-001-q1=the strict rule').ended).status, 0)
  assert.equal((await first.ended).status, 0)

  const again = await stage.fix(stage.made.findings, { args: ['--clarify', '--task', 'the next review'] })
  assert.equal(again.result?.status, 'completed')
  const told = prompts(stage, 'fixer')
  assert.equal(told.length, 2)
  assert.match(told[1] ?? '', /the strict rule/)
  await checkInvariants(stage)
})

test('clarify, plan, fix and re-fix are one conversation, whose input does not grow with the batches [S1-12, S1-13]', async (t) => {
  const stage = await setMadeStage(t, 7, {
    scenario: { clarify: [{ questions: [] }] },
    change: (made) => {
      // Of the second batch: wrong at first, mended in the same conversation.
      scriptOf(made, 'T-007').fixes = [{ steps: [wrongEdit(made, 'T-007')] }, { steps: amends(made, 'T-007') }]
    },
  })
  const { result } = await stage.fix(stage.made.findings, { args: ['--clarify', '--set', 'planner=agent'] })
  assert.equal(result?.status, 'completed')
  const calls = modelCalls(stage.model.calls()).filter(({ role }) => role !== 'fix_challenger')
  const story = calls.map(({ role, before }) => [role, before.length] as const)
  const planner = calls.find(({ role }) => role === 'planner')
  assert.deepEqual(story.slice(0, 2), [
    ['clarifier', 0],
    ['planner', 1],
  ])
  const fixes = calls.filter(({ role }) => role === 'fixer')
  const again = calls.find(({ role }) => role === 're_fixer')
  assert.ok(planner && fixes.length >= 2 && again)
  // Each stage goes on from the plan and from nothing later; the re-fix from its own stage's fix.
  for (const fix of fixes) assert.deepEqual(fix.before, ['clarify.r1', 'plan.p1'])
  assert.deepEqual(again.before, [
    'clarify.r1',
    'plan.p1',
    fixes.find(({ codes }) => codes.includes('T-007'))?.call ?? '',
  ])
  assert.equal(
    new Set(calls.map(({ session }) => session)).size,
    calls.length,
    'each call has a conversation id of its own',
  )
  const [first, last] = [fixes[0], fixes.at(-1)]
  assert.ok(first && last && last.characters < first.characters * 1.2, `${first?.characters} → ${last?.characters}`)
  await checkInvariants(stage, 'one-conversation')
})

test('one call hands all issues on: those of a step at once, the next step after it [S1-2, S1-3, S1-4, S1-5, S1-6, S2-8]', async (t) => {
  const stage = await setMadeStage(t, 8, { scenario: { latencyMs: { fixer_single: 300 } } })
  const { result } = await stage.fix(stage.made.findings, { args: ['--profile', 'one-call'] })
  assert.equal(result?.status, 'completed')
  const fixers = modelCalls(stage.model.calls()).filter(({ role, agent }) => role === 'fixer' && agent === undefined)
  assert.equal(fixers.length, 1, 'one call of the fixer')
  const steps = phases(subAgents(stage.model.calls()))
  const planned = (await stage.sessions())[0]?.plan?.stages[0]?.batches[0]?.steps ?? []
  assert.deepEqual(
    steps.map(({ codes }) => codes),
    planned.map((step) => [...step].sort()),
  )
  assert.ok(
    steps.every(({ codes, together }) => together || codes.length === 1),
    JSON.stringify(steps),
  )
  // Two issues share a file, and change different places of it.
  assert.equal(result?.commits.length, 8)
  assert.equal(result?.commits.flatMap(({ issue_codes }) => issue_codes).length, 8)
  // S1-6: the challenger sees what all of them changed, and judges each.
  const [challenge = ''] = prompts(stage, 'fix_challenger')
  for (const { file } of stage.made.findings.issues)
    assert.ok(challenge.includes(`diff --git a/${file} b/${file}`), file)
  for (const { fix_gemini_score } of result?.results ?? []) assert.ok(fix_gemini_score)
  await checkInvariants(stage, 'one-call')
})
