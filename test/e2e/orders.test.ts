// Orders: sessions that are started through Temporal alone, by its own CLI and by scripts, on an instance that `fixwright up` holds. What
// `fix` would refuse is refused and changes nothing, and the same work by two doors is one session.
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { basename, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { rehearsalEnvironment } from '../../rehearsal/environment.ts'
import type { ScenarioInput } from '../../rehearsal/scenario.ts'
import { createSessionClient, type Order, RefusedError } from '../../src/client/index.ts'
import { packageRoot } from '../../src/runtime/home/package-root.ts'
import { findLiveInstance } from '../../src/runtime/instance/instance-file.ts'
import { keepHistories } from '../support/histories.ts'
import { checkInvariants } from '../support/invariants.ts'
import { kill, QUICK } from '../support/killing.ts'
import { findingsOf } from '../support/scripting.ts'
import { setMadeStage } from '../support/session.ts'
import { sharedTemporal, temporalExecutable, temporaryFolder } from '../support/temporal.ts'
import { until } from '../support/until.ts'

type OrderStage = Awaited<ReturnType<typeof setUp>>

const HOLD_FIRST: ScenarioInput = { faults: [{ match: { role: 'fixer', at: 'first' }, fault: { kind: 'hold' } }] }

/** An instance on a server of its own, as a person has it. */
async function setUp(t: TestContext, count: number, options: Parameters<typeof setMadeStage>[2] = {}) {
  const stage = await setMadeStage(t, count, { server: 'own', ...options })
  const up = stage.command('up')
  await up.says(/up until Ctrl-C/)
  const address = findLiveInstance(stage.home)?.address ?? ''
  const end = async (): Promise<void> => {
    up.child.kill('SIGINT')
    await up.ended
  }
  const ordered: Order = { repository: stage.repository, findings: stage.made.findings }
  return { ...stage, address, end, ordered, orders: createSessionClient(await stage.client()) }
}

interface Told {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

function run(command: string, args: readonly string[], env: Readonly<Record<string, string>>): Promise<Told> {
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  return new Promise((resolve) => child.once('close', (status) => resolve({ status, stdout, stderr })))
}

/** `temporal workflow …`, as somebody types it. */
async function temporal({ address, environment }: OrderStage, ...args: readonly string[]): Promise<Told> {
  const where = ['--address', address, '--namespace', 'fixwright']
  return await run(await temporalExecutable(), ['workflow', ...args, ...where], environment)
}

async function startByCli(stage: OrderStage, id: string, ...inputs: readonly string[]): Promise<void> {
  const given = inputs.flatMap((input) => ['--input', input])
  const typed = ['--type', 'fixSession', '--task-queue', 'fixwright', '--workflow-id', id, ...given]
  const { status, stderr } = await temporal(stage, 'start', ...typed)
  assert.equal(status, 0, stderr)
}

test('an order by Temporal’s own CLI becomes a commit on a branch, as `fix` makes it', async (t) => {
  const stage = await setUp(t, 1)
  const { repository, made } = stage
  const order = {
    repository,
    findings: made.findings.issues,
    notes: 'be careful',
    settings: { 'people.clarify': true },
  }
  await startByCli(stage, 'mine', JSON.stringify(order))
  const { stdout } = await temporal(stage, 'result', '--workflow-id', 'mine')
  const [session, ...more] = await stage.sessions()
  assert.ok(session && more.length === 0, stdout)
  assert.match(stdout, new RegExp(`"fixed":1,.*"sessionId":"${session.session_id}",.*"status":"completed"`))
  assert.deepEqual([session.workflow_id, session.status, session.user_notes], ['mine', 'completed', 'be careful'])
  assert.equal(stage.git('diff', '--name-only', 'main', `${session.branch_name}`), made.findings.issues[0]?.file)
  await until('the list of workflows shows it', async () => {
    const query = `FixRepository = '${basename(repository)}' AND FixStatus = 'completed'`
    return (await temporal(stage, 'list', '--query', query)).stdout.includes('mine')
  })
  await keepHistories(stage, 'order')
  await stage.end()
  await checkInvariants(stage)
})

test('orders that can’t be used end their workflow with a code and the reason, and change nothing', async (t) => {
  const stage = await setUp(t, 1)
  const { repository, ordered, environment } = stage
  const other = join(stage.folder, 'other')
  mkdirSync(other)
  const orders: readonly (readonly [type: string, says: RegExp, ...inputs: string[]])[] = [
    ['bad_input', /the order: Invalid input: expected object, received undefined/],
    ['bad_input', /expected object, received null/, 'null'],
    ['bad_input', /expected object, received string/, '"fix it"'],
    ['bad_input', /Unrecognized key: "repo"/, JSON.stringify({ ...ordered, repo: repository })],
    ['bad_input', /repository: .*expected string/, JSON.stringify({ ...ordered, repository: 5 })],
    ['bad_input', /repository: must be an absolute path/, JSON.stringify({ ...ordered, repository: '.' })],
    ['bad_input', /Unrecognized keys: "sessionId", "carried"/, JSON.stringify({ sessionId: 'fx-1', carried: 'x' })],
    ['bad_input', /findings: must have findings or issueIds/, JSON.stringify({ repository })],
    ['repository_unusable', /other is no git repository/, JSON.stringify({ ...ordered, repository: other })],
    ['repository_unusable', /no commit "nope": give base a branch/, JSON.stringify({ ...ordered, base: 'nope' })],
    ['findings_invalid', /\[0\]\.issue_code: is missing/, JSON.stringify({ ...ordered, findings: [{ title: 'x' }] })],
    ['issue_not_found', /knows no issue iss-1 of/, JSON.stringify({ repository, issueIds: ['iss-1'] })],
    [
      'branch_unusable',
      /there is no branch nowhere/,
      JSON.stringify({ ...ordered, branch: 'nowhere', useExistingBranch: true }),
    ],
    [
      'settings_invalid',
      /verification\.commands: an order may not set this/,
      JSON.stringify({ ...ordered, settings: { 'verification.commands': ['rm -rf /'] } }),
    ],
  ]
  await Promise.all(
    orders.map(async ([type, says, ...inputs], index) => {
      await startByCli(stage, `bad-${index}`, ...inputs)
      const { stdout, stderr, status } = await temporal(
        stage,
        'result',
        '--workflow-id',
        `bad-${index}`,
        '--output',
        'json',
      )
      assert.equal(status, 1)
      const failure = JSON.parse(stdout).closeEvent.workflowExecutionFailedEventAttributes.failure
      assert.match(failure.message, says, stderr)
      assert.deepEqual([failure.applicationFailureInfo.type, failure.applicationFailureInfo.nonRetryable], [type, true])
    }),
  )
  const refused = await stage.orders.start({ ...ordered, only: ['X-1'] })
  await assert.rejects(refused.result(), (error: Error) => {
    assert.ok(error instanceof RefusedError, String(error))
    assert.deepEqual(
      [error.code, error.problems],
      ['findings_invalid', ['the findings: there is no finding X-1 to choose']],
    )
    return true
  })
  const script = join(packageRoot(), 'examples', 'start-session.ts')
  writeFileSync(join(stage.folder, 'empty.json'), '[{}]')
  const where = { ...environment, TEMPORAL_ADDRESS: stage.address }
  const told = await run(process.execPath, [script, repository, join(stage.folder, 'empty.json')], where)
  assert.equal(told.status, 1)
  assert.match(told.stderr, /^findings_invalid: the findings: \[0\]\.issue_code: is missing/)
  assert.deepEqual(await stage.sessions(), [])
  assert.deepEqual(await stage.read((store) => store.issues.list()), [])
  await stage.end()
  await checkInvariants(stage)
})

test('an order and `fix` are one session, whichever comes first, and its answer is given for an hour', async (t) => {
  const stage = await setUp(t, 2, { scenario: HOLD_FIRST })
  const { repository, made, orders, model } = stage
  const one = { repository, findings: findingsOf(made, 'T-001') }
  const two = { repository, findings: findingsOf(made, 'T-002') }

  const first = await orders.start(one)
  await model.waitFor({ role: 'fixer', code: 'T-001' })
  const joining = stage.start(one.findings)
  await joining.says(/joining session/)
  const again = await orders.start(one, { workflowId: 'again' })
  await until('it has joined', async () => {
    const [one, two] = await Promise.all([again, first].map((each) => each.view().catch(() => undefined)))
    return one !== undefined && one.sessionId === two?.sessionId
  })

  const fix = stage.start(two.findings)
  await model.waitFor({ role: 'fixer', code: 'T-002' })
  await startByCli(stage, 'second', JSON.stringify(two))
  const { stdout } = await temporal(stage, 'result', '--workflow-id', 'second')
  const [ofFix, ofOrder, ...more] = await stage.sessions()
  assert.ok(ofFix && ofOrder && more.length === 0)
  const joined = { sessionId: ofFix.session_id, status: 'joined', workflowId: ofFix.workflow_id }
  assert.ok(stdout.includes(JSON.stringify(joined)), stdout)
  model.release()

  const [a, b] = await Promise.all([joining.ended, fix.ended])
  assert.deepEqual([a.status, b.status], [0, 0], a.stderr + b.stderr)
  const summary = await first.result()
  assert.deepEqual([summary.sessionId, summary.status], [ofOrder.session_id, 'completed'])
  assert.equal(a.result?.session_id, ofOrder.session_id)
  assert.deepEqual(await again.result(), summary, 'who joined is told the end of the session')

  const asked = model.calls().length
  assert.deepEqual(await (await orders.start(one, { workflowId: 'later' })).result(), summary)
  assert.equal((await stage.fix(one.findings)).result?.session_id, ofOrder.session_id)
  assert.deepEqual([model.calls().length, (await stage.sessions()).length], [asked, 2])
  await keepHistories(stage, 'order-joined')
  await stage.end()
  await checkInvariants(stage)
})

test('a session that was ordered is asked, answered and cancelled by the client, and stopped by `fix --force` or an order with `force`', {
  timeout: 300_000,
}, async (t) => {
  const stage = await setUp(t, 3, {
    scenario: { ...HOLD_FIRST, clarify: [{ questions: [{ issue_code: 'T-001', question: 'How strict?' }] }] },
  })
  const { repository, made, orders, model } = stage
  const settings = { 'people.clarify': true }
  const asking = await orders.start({ repository, findings: findingsOf(made, 'T-001'), settings })
  // On a loaded machine a worker may answer no query within the client's five seconds.
  await until('it asks', async () => (await asking.view().catch(() => undefined))?.open !== undefined)
  assert.equal((await asking.answer({ answers: { 'T-001-q1': 'very' }, by: 'kim' })).kind, 'taken')
  await model.waitFor({ role: 'fixer', code: 'T-001' })
  assert.equal((await asking.cancel({ reason: 'wrong one', by: 'kim' })).kind, 'taken')
  assert.equal((await asking.result()).status, 'cancelled')

  const findings = findingsOf(made, 'T-002')
  const stuck = await orders.start({ repository, findings })
  await model.waitFor({ role: 'fixer', code: 'T-002' })
  const forced = stage.start(findings, ['--force'])
  await forced.says(/it is cancelled, because this start is forced/)
  assert.equal((await stuck.result()).status, 'cancelled')

  const third = { repository, findings: findingsOf(made, 'T-003') }
  const held = stage.start(third.findings)
  await model.waitFor({ role: 'fixer', code: 'T-003' })
  const ordered = await orders.start({ ...third, force: true })
  assert.equal((await held.ended).result?.status, 'cancelled')
  model.release()
  assert.equal((await ordered.result()).status, 'completed')
  assert.equal((await forced.ended).status, 0, forced.stderr())
  await stage.end()
  await checkInvariants(stage)
})

test('homes that share a queue on a cluster share its orders, and each works on its own sessions', async (t) => {
  const environment = { FIXWRIGHT_TEMPORAL_TASK_QUEUE: `shared-${process.pid}` }
  const [one, two] = await Promise.all([
    setUp(t, 2, { server: 'shared', environment }),
    setUp(t, 1, { server: 'shared', environment }),
  ])
  const homes = [one, two]
  await Promise.all(homes.map((home) => home.fix(findingsOf(home.made, 'T-001'))))
  // Either home may take it.
  const orders = createSessionClient(await one.client(), { taskQueue: environment.FIXWRIGHT_TEMPORAL_TASK_QUEUE })
  const refused = await orders.start({ repository: one.folder, findings: [] })
  await assert.rejects(refused.result(), /is no git repository/)
  for (const { home, sessions, histories } of homes) {
    const [session, ...more] = await sessions()
    assert.ok(session && more.length === 0)
    const events = (await histories(session.session_id)).flatMap(({ events }) => events ?? [])
    const scheduled = events.flatMap(({ activityTaskScheduledEventAttributes: one }) => one?.taskQueue?.name ?? [])
    const own = `fixwright-${home.hostId}-host`
    assert.deepEqual([...new Set(scheduled)].sort(), [own, `${own}-long`])
  }
  for (const home of homes) {
    await home.end()
    await checkInvariants(home)
  }
})

test('kill -9 of the worker between putting a session down and saying so leaves one session, which is worked on', async (t) => {
  const [git, door] = [holdGit(t), await openDoor(t)]
  const environment = {
    PATH: git.path,
    FIXWRIGHT_TEMPORAL_ADDRESS: door.address,
    FIXWRIGHT_TEMPORAL_TASK_QUEUE: door.address,
  }
  const stage = await setUp(t, 1, { server: 'shared', environment: { ...QUICK, ...environment } })
  git.hold()
  const orders = createSessionClient(await stage.client(), { taskQueue: door.address })
  const { workflowId, result } = await orders.start(stage.ordered)
  const workflow = (await stage.client()).workflow.getHandle(workflowId)
  await until('the order is looked at', async () => {
    const { raw } = await workflow.describe()
    return raw.pendingActivities?.some(({ state }) => state === STARTED) ?? false
  })
  door.silence()
  git.release()
  await until('the session is put down', async () => (await stage.sessions()).length === 1)
  kill(stage, ['worker'])
  door.open()

  const summary = await result()
  const sessions = (await stage.sessions()).map(({ session_id, status }) => [session_id, status])
  assert.deepEqual(sessions, [[summary.sessionId, 'completed']])
  const { events } = await workflow.fetchHistory()
  const begun = events?.find(({ activityTaskStartedEventAttributes }) => activityTaskStartedEventAttributes)
  assert.ok(Number(begun?.activityTaskStartedEventAttributes?.attempt) > 1, 'the order was looked at again')
  await stage.end()
  await checkInvariants(stage)
})

/** Of temporal.api.enums.v1.PendingActivityState. */
const STARTED = 2

/** A way to the shared server on which nothing is heard any more, where a test says so. */
async function openDoor(t: TestContext) {
  const [host, port] = (await sharedTemporal()).address.split(':')
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    const onward = connect(Number(port), host)
    for (const each of [socket, onward]) sockets.add(each.on('error', () => undefined))
    socket.pipe(onward).pipe(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const hangUp = (): void => {
    for (const socket of sockets) socket.destroy()
    sockets.clear()
  }
  t.after(() => {
    server.close()
    hangUp()
  })
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    silence(): void {
      for (const socket of sockets) socket.unpipe().resume()
    },
    /** Whoever calls again is heard; what was said meanwhile is lost. */
    open: hangUp,
  }
}

/** A PATH on which git waits while it is held. */
function holdGit(t: TestContext) {
  const { path: folder, remove } = temporaryFolder('git')
  t.after(remove)
  const held = join(folder, 'held')
  const PATH = rehearsalEnvironment({ url: 'http://localhost', home: folder }).PATH ?? ''
  const real = execFileSync('sh', ['-c', 'command -v git'], { env: { PATH }, encoding: 'utf8' }).trim()
  const script = `#!/bin/sh\nwhile [ -e '${held}' ]; do sleep 0.05; done\nexec '${real}' "$@"\n`
  writeFileSync(join(folder, 'git'), script, { mode: 0o755 })
  return { path: `${folder}:${PATH}`, hold: () => writeFileSync(held, ''), release: () => rmSync(held) }
}
