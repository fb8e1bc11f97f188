// kill -9 of a session's worker after events of its history, one session for each event: what the quick and the thorough run of it share.
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { tokens } from '../../rehearsal/wire.ts'
import { findLiveInstance } from '../../src/runtime/instance/instance-file.ts'
import { findRunningServers } from '../../src/runtime/temporal-server/running-servers.ts'
import { checkInvariants } from './invariants.ts'
import { type E2eStage, setMadeStage } from './session.ts'
import { until } from './until.ts'

export const QUICK = { FIXWRIGHT_WORKER_HEARTBEAT_TIMEOUT_SECONDS: '2' }

export type Victim = 'worker' | 'Temporal'

export function kill({ home }: E2eStage, victims: readonly Victim[]): void {
  const instance = findLiveInstance(home)
  assert.ok(instance, 'an instance runs')
  const server = findRunningServers(home.temporalDatabase)[0]
  if (victims.includes('worker')) process.kill(instance.identity.pid, 'SIGKILL')
  if (!victims.includes('Temporal')) return
  assert.ok(server, 'a Temporal server of its own runs')
  process.kill(server.identity.pid, 'SIGKILL')
}

interface Page {
  readonly history?: { readonly events?: readonly unknown[] | null } | null
  readonly nextPageToken?: Uint8Array | null
}

interface Events {
  readonly first: number
  /** Every how many-th one from there on. */
  readonly step: number
  /** With several, each session has an issue for each lane. */
  readonly lanes?: number
}

/** A session for each of these events, until one ends before it has so many. */
export async function killAfterEvents(t: TestContext, { first, step, lanes = 1 }: Events): Promise<void> {
  const stage = await setMadeStage(t, 60 * lanes, { server: 'own', environment: QUICK })
  // One issue of each file: lanes share none.
  const apart = [...Map.groupBy(stage.made.findings.issues, ({ file }) => file).values()].flatMap(
    ([issue]) => issue ?? [],
  )
  const args = lanes > 1 ? ['--lanes', `${lanes}`, '--set', 'limits.max_issues_per_cli_call=1'] : []
  // Keeps the Temporal server for all rounds; the workers are the victims.
  const up = stage.command('up')
  t.after(() => up.child.kill('SIGINT'))
  await until('the instance is up', () => findLiveInstance(stage.home) !== undefined)
  let survived = false
  for (let [k, round] = [first, 0]; !survived; k += step, round++) {
    const issues = apart.slice(round * lanes, (round + 1) * lanes)
    assert.equal(issues.length, lanes, `a session of ${lanes} issue(s) has fewer than ${k} events`)
    const fix = stage.start({ issues }, ['--task', `after-${k}`, ...args])
    survived = (await killAfterEvent(stage, k)) === 'ended'
    const { status, stderr, result } = await fix.ended
    assert.equal(status, 0, `killed after event ${k}:\n${stderr}`)
    assert.equal(result?.commits.length, lanes, `killed after event ${k}`)
  }
  up.child.kill('SIGINT')
  await up.ended
  await checkInvariants(stage)
}

/** Kills the worker as soon as the history of the session at work has so many events, unless that ends before. */
export async function killAfterEvent(stage: E2eStage, count: number): Promise<'killed' | 'ended'> {
  const workflowId = await runningWorkflow(stage)
  const { workflowService } = await stage.client()
  let events = 0
  let nextPageToken: Uint8Array | null = null
  // The server answers as soon as there are more: nothing is asked again and again, and none is missed.
  while (events < count) {
    const asked = { namespace: 'fixwright', execution: { workflowId }, waitNewEvent: true, nextPageToken }
    const page: Page = await workflowService.getWorkflowExecutionHistory(asked)
    events += page.history?.events?.length ?? 0
    nextPageToken = page.nextPageToken ?? null
    if (!nextPageToken?.length && events < count) return 'ended'
  }
  await until('a worker runs', () => findLiveInstance(stage.home) !== undefined)
  kill(stage, ['worker'])
  return 'killed'
}

async function runningWorkflow(stage: E2eStage): Promise<string> {
  let id: string | undefined
  await stage.read(async (store) => {
    await until('a session works', async () => {
      const [session] = await store.sessions.list({ running: true, limit: 1 })
      if (session?.run_id) id = session.workflow_id
      return id !== undefined
    })
  })
  return id ?? ''
}

/** By the model, in all that it answered to the end: what it wrote is little beside that. */
export function tokensRead({ model }: E2eStage): number {
  const answered = model.calls().filter(({ outcome }) => outcome?.ended === 'whole' && outcome.said !== 'auxiliary')
  return answered.reduce((sum, { provider, body }) => sum + readIn(provider, body), 0)
}

function readIn(provider: string, body: unknown): number {
  const { messages, system, tools } = body as { messages?: unknown; system?: unknown; tools?: unknown }
  return provider === 'gemini' ? tokens(body) : tokens(messages) + tokens([system, tools])
}

/** The call in flight is made again; no call is made a third time, and none that was finished. */
export function assertCallsAtMostTwice({ model }: E2eStage): void {
  const starts = new Map<string, number>()
  for (const { role, call, codes, step, path } of model.calls()) {
    if (role === 'auxiliary' || step > 0 || !/messages|streamGenerateContent/.test(path)) continue
    const key = `${role} ${call} ${codes}`
    starts.set(key, (starts.get(key) ?? 0) + 1)
  }
  const again = [...starts].filter(([, count]) => count > 1)
  assert.ok(again.length <= 1 && again.every(([, count]) => count === 2), `called again: ${again.join('; ')}`)
}
