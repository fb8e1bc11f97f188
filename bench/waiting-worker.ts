// The worker's side of bench/waiting.ts: the real workflow, and activities that do nothing but ask one question. It tells its
// parent when the activity begins that comes after an answer.
import { NativeConnection, Worker } from '@temporalio/worker'
import { longWorkQueue, type OpenedSession, type SessionActivities } from '../src/domain/workflow-types/index.ts'
import { MAX_CACHED_SESSIONS } from '../src/runtime/worker/worker.ts'
import { loadWorkflowBundle } from '../src/runtime/worker/workflow-bundle.ts'

const [address = '', namespace = '', queue = ''] = process.argv.slice(2)

const opened: OpenedSession = {
  queue,
  repository: '/somewhere/a-repository',
  branch: 'fix/something-and-2-more',
  base: 'base',
  stages: [{ batches: [{ kind: 'backend', label: 'BE 1/1', workload: 9, steps: [['BE-001', 'BE-002', 'BE-003']] }] }],
  rules: {
    maxIterations: 2,
    solvedThreshold: 90,
    satisfactionThreshold: 95,
    challenge: true,
    verify: false,
    requiresWholeDiffScore: false,
    verifiesFreshCheckout: false,
    provesFixes: false,
  },
  timeouts: {
    fixSeconds: 960,
    challengeSeconds: 360,
    verifySeconds: 600,
    heartbeatSeconds: 6,
    backoffMinSeconds: 60,
    backoffMaxSeconds: 3600,
    giveUpAfterSeconds: 86_400,
    clarifySeconds: 604_800,
    planSeconds: 604_800,
    scopeSeconds: 604_800,
  },
  planning: { clarify: true, planner: 'rules', approvePlan: false, maxClarifyRounds: 1, maxPlanRejections: 0 },
  attributes: [],
  continueAfterEvents: 4000,
}
const question =
  'Should an address with a plus sign be accepted, or is the stricter rule of the old form what is meant?'
const stubs: Partial<SessionActivities> = {
  openSession: async () => opened,
  clarify: async () => ({
    ready: false,
    questions: [{ id: 'BE-001-q1', code: 'BE-001', question, context: question }],
    reused: [],
    message: '',
  }),
  recordWait: async ({ sessionId, open, resolved }) =>
    void process.send?.({ sessionId, is: open ? 'asked' : resolved && 'on' }),
  recordMessages: async () => undefined,
  applyPlan: async () => ({ brief: 'brief', stages: [], dropped: [] }),
  closeSession: async ({ sessionId }) => ({
    sessionId,
    status: 'completed',
    requested: 3,
    fixed: 0,
    failed: 0,
    skipped: 3,
  }),
}

const connection = await NativeConnection.connect({ address })
const common = { connection, namespace, activities: stubs }
const workers = await Promise.all([
  Worker.create({
    ...common,
    taskQueue: queue,
    workflowBundle: await loadWorkflowBundle(),
    maxCachedWorkflows: MAX_CACHED_SESSIONS,
    stickyQueueScheduleToStartTimeout: '1s',
  }),
  Worker.create({ ...common, taskQueue: longWorkQueue(queue) }),
])
// Memory that is free, and only not yet collected, is no session's.
process.on('message', () => {
  gc?.()
  process.send?.({ is: 'collected', heapKb: process.memoryUsage().heapUsed / 1024 })
})
process.send?.({ is: 'ready' })
await Promise.all(workers.map((worker) => worker.run()))
