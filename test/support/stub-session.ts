// A session's real workflow on the run's real Temporal server, with activities that answer what a test says: for what the workflow
// itself does with messages, waits and time.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { TestContext } from 'node:test'
import { Context } from '@temporalio/activity'
import { Client, Connection, type WorkflowUpdateFailedError } from '@temporalio/client'
import { defaultPayloadConverter } from '@temporalio/common'
import { NativeConnection, Worker } from '@temporalio/worker'
import type {
  FixInput,
  FixOutcome,
  FixWork,
  MessageRecord,
  OpenedSession,
  PlanningRules,
  RecordWaitInput,
  SessionActivities,
  SessionView,
} from '../../src/domain/workflow-types/index.ts'
import { longWorkQueue } from '../../src/domain/workflow-types/index.ts'
import { loadWorkflowBundle } from '../../src/runtime/worker/workflow-bundle.ts'
import type { MessageReply } from '../../src/workflows/people/message-handlers.ts'
import { sharedTemporal } from './temporal.ts'
import { until } from './until.ts'

export const CLOCKS = {
  fixSeconds: 60,
  challengeSeconds: 60,
  verifySeconds: 60,
  heartbeatSeconds: 3,
  backoffMinSeconds: 1,
  backoffMaxSeconds: 1,
  giveUpAfterSeconds: 60,
  clarifySeconds: 604_800,
  planSeconds: 604_800,
  scopeSeconds: 604_800,
}

export const OPENED = {
  repository: '/nowhere',
  branch: 'fix/something',
  base: 'base',
  stages: [{ batches: [{ kind: 'backend', label: 'BE 1/1', workload: 3, steps: [['A', 'B']] }] }],
  rules: {
    maxIterations: 1,
    solvedThreshold: 90,
    satisfactionThreshold: 95,
    challenge: true,
    verify: false,
    requiresWholeDiffScore: false,
    verifiesFreshCheckout: false,
    provesFixes: false,
  },
  timeouts: CLOCKS,
  attributes: [],
  continueAfterEvents: 10_000,
} satisfies Omit<OpenedSession, 'queue'>

export type Stubs = Partial<SessionActivities>

export interface StubSession {
  readonly client: Client
  readonly workflowId: string
  readonly said: MessageRecord[]
  readonly notes: RecordWaitInput[]
  signal(name: string, message: unknown): Promise<void>
  /** A signal whose payload nobody can read. */
  signalGarbage(name: string): Promise<void>
  update(name: string, message: unknown): Promise<MessageReply>
  view(): Promise<SessionView>
  /** Waits until it asks for something of this kind, and that is on record. */
  asks(kind: string): Promise<void>
  ended(): Promise<unknown>
}

/** Work that stands still until the test lets it go. */
export function gate(): { readonly passed: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined
  const passed = new Promise<void>((resolve) => {
    open = resolve
  })
  return { passed, open: () => open() }
}

/** One file of its own for each issue. */
export function fixed({ stepId, codes }: FixInput, more: Partial<FixWork> = {}): FixOutcome {
  const issues = Object.fromEntries(codes.map((code) => [code, { files: 1 }]))
  return { work: { snapshot: stepId, tree: 'tree', owners: [], outOfScope: [], violations: [], issues, ...more } }
}

/** An activity that works until it is cancelled. */
export async function untilCancelled(): Promise<never> {
  const context = Context.current()
  const timer = setInterval(() => context.heartbeat(), 200)
  return await context.cancelled.finally(() => clearInterval(timer))
}

/** Where time counts, made when the session is opened: until then there is a server to be started. */
type Opened = Partial<OpenedSession> | (() => Partial<OpenedSession>)

/** `input` is what somebody else starts the workflow with; by default it is a session in a store. */
export async function stubSession(
  t: TestContext,
  opened: Opened,
  stubs: Stubs,
  ...input: readonly unknown[]
): Promise<StubSession> {
  const { address, namespace } = await sharedTemporal()
  const name = `stub-${randomUUID().slice(0, 8)}`
  const said: MessageRecord[] = []
  const notes: RecordWaitInput[] = []
  const connection = await NativeConnection.connect({ address })
  const activities: Stubs = {
    openSession: async () => ({ ...OPENED, queue: name, ...(typeof opened === 'function' ? opened() : opened) }),
    recordMessages: async (input) => void said.push(...input.messages),
    recordWait: async (input) => void notes.push(input),
    applyPlan: async ({ edits }) => ({
      brief: 'brief',
      stages: OPENED.stages,
      dropped: edits.flatMap(({ drop }) => drop),
    }),
    fixBatch: async (input) => fixed(input),
    challengeTree: async ({ codes }) => ({
      tree: 'tree',
      issues: Object.fromEntries(codes.map((code) => [code, { score: 97, blockers: 0 }])),
      unchallenged: [],
      feedbackKey: '',
    }),
    commitStage: async ({ codes }) => ({ kind: 'committed', sha: 'sha', codes }),
    closeSession: async ({ sessionId, ending }) => ({
      sessionId,
      status: ending?.class === 'cancelled' ? 'cancelled' : 'completed',
      requested: 2,
      fixed: 0,
      failed: 0,
      skipped: 0,
    }),
    ...stubs,
  }
  const bundle = await loadWorkflowBundle()
  const workers = await Promise.all([
    Worker.create({ connection, namespace, taskQueue: name, workflowBundle: bundle, activities }),
    Worker.create({
      connection,
      namespace,
      taskQueue: longWorkQueue(name),
      activities,
      maxHeartbeatThrottleInterval: '200ms',
    }),
  ])
  const running = workers.map((worker) => worker.run())
  const talking = await Connection.connect({ address })
  const client = new Client({ connection: talking, namespace })
  const handle = await client.workflow.start('fixSession', {
    workflowId: name,
    taskQueue: name,
    ...(input.length > 0 ? { args: [...input] } : { args: [{ sessionId: name }], memo: { sessionId: name } }),
    workflowTaskTimeout: '3s',
  })
  t.after(async () => {
    await handle.terminate('the test is over').catch(() => undefined)
    for (const worker of workers) worker.shutdown()
    await Promise.all(running)
    await connection.close()
    await talking.close()
  })
  const current = client.workflow.getHandle(name)
  return {
    client,
    workflowId: name,
    said,
    notes,
    signal: (signal, message) => current.signal(signal, message),
    async signalGarbage(signal) {
      const payload = {
        ...defaultPayloadConverter.toPayload('x'),
        metadata: { encoding: Buffer.from('binary/unheard-of') },
      }
      await client.workflowService.signalWorkflowExecution({
        namespace,
        workflowExecution: { workflowId: name },
        signalName: signal,
        input: { payloads: [payload] },
        identity: 'a test',
        requestId: randomUUID(),
      })
    },
    update: (update, message) => current.executeUpdate<MessageReply, [unknown]>(update, { args: [message] }),
    view: () => current.query<SessionView>('session'),
    asks: (kind) => until(`it asks for ${kind}`, () => notes.some(({ open }) => open?.kind === kind)),
    ended: () => current.result(),
  }
}

export const TALK: PlanningRules = {
  clarify: true,
  planner: 'rules',
  approvePlan: false,
  maxClarifyRounds: 2,
  maxPlanRejections: 1,
}
export const ASKS = [
  { id: 'A-q1', code: 'A', question: 'strict or not?', context: '' },
  { id: 'general-q1', question: 'which Python?', context: '' },
]

/** Asks two questions in the first round, and is ready in the second. */
export function curious(t: TestContext, stubs: Stubs = {}, opened: Partial<OpenedSession> = {}): Promise<StubSession> {
  return stubSession(
    t,
    { planning: TALK, ...opened },
    {
      clarify: async ({ round }) =>
        round === 1
          ? { ready: false, questions: ASKS, reused: [], message: '' }
          : { ready: true, questions: [], reused: [], message: '' },
      ...stubs,
    },
  )
}

export function heard({ said }: StubSession): string[] {
  return said.map(({ name, outcome }) => `${name} ${outcome}`)
}

export async function refusalOf(update: Promise<unknown>): Promise<string> {
  const error = await update.then(
    () => assert.fail('the update was not refused'),
    (failed: WorkflowUpdateFailedError) => failed,
  )
  return error.cause?.message ?? ''
}
