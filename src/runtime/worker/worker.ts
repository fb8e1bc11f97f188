// The worker serves three task queues: one for workflows, which may be other homes', and the home's own two for activities. Agent calls and
// checks have a queue of their own, so a commit never waits for another session's fixer.
import { join } from 'node:path'
import { Client } from '@temporalio/client'
import { Runtime, Worker, type WorkerOptions } from '@temporalio/worker'
import type { ActivityContext, OrderPorts } from '../../activities/context.ts'
import { createSessionActivities } from '../../activities/index.ts'
import { createWebhookActivities } from '../../activities/webhook/send-webhook.ts'
import { loadAgentDefinitions } from '../../agents/definitions.ts'
import { openArtifactStore } from '../../artifacts/open-artifact-store.ts'
import { sendSessionMessage } from '../../client/session-messages.ts'
import { describeUnremovedFolder } from '../../domain/session/events/logs/session-logs.ts'
import type { SessionActivities } from '../../domain/workflow-types/index.ts'
import { longWorkQueue } from '../../domain/workflow-types/index.ts'
import { useGitHelperProcess } from '../../platform/git/use-helper-process.ts'
import { createMasking } from '../../platform/masking/mask-secrets.ts'
import { reapOrphans } from '../../platform/processes/reap-orphans.ts'
import { createSpanExporter, type SpanExporter } from '../../platform/tracing/export-spans.ts'
import { findSpanReceiver } from '../../platform/tracing/find-receiver.ts'
import { checkOrder } from '../../preflight/check-order.ts'
import { openStore } from '../../store/open-store.ts'
import type { Store } from '../../store/store.ts'
import { openMarkerSecret } from '../home/marker-secret.ts'
import { packageRoot, readPackageVersion } from '../home/package-root.ts'
import { openSenderKey } from '../home/sender-key.ts'
import type { RunningWorker, WorkerContext } from '../instance/connect-worker.ts'
import { openDoor } from '../instance/door.ts'
import { closeOrphanedSessions } from './close-orphaned-sessions.ts'
import { dispatchWebhooks } from './dispatch-webhooks.ts'
import { createDoorKeeper } from './door-keeper.ts'
import { hasForgeWork } from './forge-work.ts'
import { createAnnouncer } from './run-notify-command.ts'
import { logSessionFields } from './session-log-fields.ts'
import { startWaitingSessions } from './start-sessions.ts'
import { sweepHome } from './sweep-home.ts'
import { traceActivities } from './trace-activities.ts'
import { loadWorkflowBundle } from './workflow-bundle.ts'

const MAX_HEARTBEAT_THROTTLE = '1s'
const SHUTDOWN_GRACE = '5s'
const SWEEP_EVERY_MS = 6 * 60 * 60 * 1000
/** What the last step of a session stored has no later step that would send it. */
const SEND_EVERY_MS = 30_000
/** Cached sessions, most of which wait for a person. Beyond this, a session is replayed from its history when somebody answers. */
export const MAX_CACHED_SESSIONS = 200

/** The steps that call an agent or run commands: they have a queue of their own, so that no short one waits behind them. */
const LONG_STEPS: ReadonlySet<string> = new Set<keyof SessionActivities>([
  'fixBatch',
  'clarify',
  'planFixes',
  'verifyBaseline',
  'nameBranch',
  'verifyTree',
  'challengeTree',
  'verifyOldTests',
  'proveFix',
  'castVote',
  'reviewChange',
  'verifyFindings',
])

export async function startWorker(context: WorkerContext): Promise<RunningWorker> {
  const { home, settings, env, namespace, taskQueue, hostQueue, identity, attributes, log } = context
  const markers = join(home.sessions, '.markers')
  const stopGitHelper = useGitHelperProcess()
  const [store, bundle] = await Promise.all([
    openStore(home.database),
    loadWorkflowBundle({ logger: Runtime.instance().logger }),
    reapOrphans(markers),
  ])
  const announcer = createAnnouncer({ store, env, log })
  const activityContext: ActivityContext = {
    announce: announcer.announce,
    store,
    artifacts: openArtifactStore(home.artifacts, settings, env),
    agents: loadAgentDefinitions(join(packageRoot(), 'agents')),
    masking: createMasking(env),
    sessionsFolder: home.sessions,
    markersFolder: markers,
    compileCacheFolder: join(home.cache, 'gemini'),
    environment: env,
    hostQueue,
    senderKey: openSenderKey(home).publicKey,
    markerSecret: openMarkerSecret(home, env),
    searchAttributes: attributes,
    temporalUi: context.uiUrl === null ? undefined : { ui: context.uiUrl, namespace },
    orders: createOrderPorts(context, store),
  }
  const exporter = openExporter(context)
  const made = createSessionActivities(activityContext)
  const activities = exporter === undefined ? made : traceActivities(made, { store, exporter })
  const { createSession, openSession, openReview, openVote, closeSession, recordMessages } = activities
  const steps = Object.entries(activities).filter(([name]) => name !== 'createSession')
  const isLong = ([name]: (typeof steps)[number]) => LONG_STEPS.has(name)
  const long = Object.fromEntries(steps.filter(isLong))
  const short = Object.fromEntries(steps.filter((step) => !isLong(step)))
  const common = {
    connection: context.connection,
    namespace,
    identity,
    // An activity learns of its cancellation or time-out with the next heartbeat: with the default throttle, after up to half a minute.
    maxHeartbeatThrottleInterval: MAX_HEARTBEAT_THROTTLE,
    shutdownGraceTime: SHUTDOWN_GRACE,
    // The time that the server keeps a workflow task for a worker that may have died; 10 s by default.
    stickyQueueScheduleToStartTimeout: '1s',
    interceptors: { activity: [logSessionFields(store)] },
  } satisfies Partial<WorkerOptions>
  const { max_parallel_calls, max_parallel_sessions } = settings.worker
  const workers = await Promise.all([
    Worker.create({
      ...common,
      taskQueue,
      workflowBundle: bundle,
      // These serve orders, and sessions that are started by their id without the queue of their home.
      activities: { createSession, openSession, openReview, openVote, closeSession, recordMessages },
      maxCachedWorkflows: MAX_CACHED_SESSIONS,
      // Temporal's own minimum is two.
      maxConcurrentWorkflowTaskExecutions: Math.max(max_parallel_sessions, 2),
    }),
    Worker.create({
      ...common,
      taskQueue: hostQueue,
      activities: { ...short, ...createWebhookActivities(store, settings.webhooks) },
    }),
    Worker.create({
      ...common,
      taskQueue: longWorkQueue(hostQueue),
      activities: long,
      maxConcurrentActivityTaskExecutions: max_parallel_calls,
    }),
  ])
  // With one dead poller, the process would still look healthy from outside, so the first failure counts for all.
  const runs = workers.map((worker) => worker.run())
  const failed = Promise.race(runs).then(
    () => new Error('the worker stopped by itself'),
    (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
  )
  const sweep = () =>
    void sweepHome(activityContext, settings, home).then(
      (left) => {
        for (const one of left)
          log.warn('a folder of an ended session stays', { folder: one.path, reason: describeUnremovedFolder(one) })
      },
      (error: unknown) => log.error('sweeping the home failed', { error }),
    )
  sweep()
  const client = new Client({ connection: context.connection, namespace })
  const starting = startWaitingSessions({ home, store, client, taskQueue, hostQueue, attributes, log })
  const closeDoor = await openDoor(home, createDoorKeeper({ home, store, client, starting }), (error) =>
    log.warn("the instance's door can't be opened: commands go to Temporal themselves", { door: home.door, error }),
  )
  const endDispatch = dispatchWebhooks({
    store,
    client,
    settings: settings.webhooks,
    taskQueue,
    hostQueue,
    log,
  })
  const { bucket } = activityContext.artifacts
  void bucket
    ?.setExpiry(settings.artifacts.retention_days)
    .catch((error: Error) => log.warn('the bucket got no rule that deletes artifacts', { reason: error.message }))
  const sweeping = setInterval(sweep, SWEEP_EVERY_MS).unref()
  const sending = bucket && setInterval(() => void bucket.sendWaiting().catch(() => undefined), SEND_EVERY_MS).unref()
  return {
    failed,
    stop: async () => {
      clearInterval(sweeping)
      closeDoor()
      await starting.end()
      await endDispatch()
      clearInterval(sending)
      for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown()
      await Promise.allSettled(runs)
      await announcer.finish()
      await exporter?.close()
      stopGitHelper()
      await store.close()
    },
  }
}

/** Undefined where nobody receives spans. */
function openExporter({ settings, env, log }: WorkerContext): SpanExporter | undefined {
  const receiver = findSpanReceiver(settings.tracing.endpoint, env)
  if (receiver === undefined) return undefined
  const onDropped = (reason: string, spans: number) => log.warn('spans could not be sent', { reason, spans })
  return createSpanExporter({ ...receiver, version: readPackageVersion(), onDropped })
}

/** Orders need the worker's home and settings, and a client of its Temporal. */
function createOrderPorts(context: WorkerContext, store: Store): OrderPorts {
  const { home, env, settings, connection, namespace } = context
  const client = new Client({ connection, namespace })
  return {
    check: (ordered) => checkOrder(ordered, { home, env, settings, store }),
    closeOrphans: () => closeOrphanedSessions(home, store, client),
    answer: async ({ session_id: sessionId, workflow_id }, answer, { by, from }) => {
      const message = { ...answer, answers: { ...answer.answers }, by, from }
      const { sign } = openSenderKey(home)
      const result = await sendSessionMessage(client, workflow_id, 'answerClarification', message, { sessionId, sign })
      if (result.kind === 'refused') return result.reason
      return result.kind === 'ended' ? `session ${sessionId} has ended` : undefined
    },
    cancel: async ({ session_id: sessionId, workflow_id }, by) => {
      const message = { reason: 'another order of this work was forced', by: `session ${by}`, from: 'an order' }
      await sendSessionMessage(client, workflow_id, 'cancel', message, { sessionId })
    },
  }
}

/** A session that waits for a person is not active: it costs nothing, and the command that brings the answer starts an instance. */
export async function hasActiveSession(context: WorkerContext): Promise<boolean> {
  const store = await openStore(context.home.database)
  try {
    if (await store.sessions.hasActiveSession()) return true
    // Who is told of a wait has to be told of it now.
    if ((await store.webhooks.listMessages(1)).length > 0) return true
  } finally {
    await store.close()
  }
  // An instance that looks again in a moment harms less than work that stands still.
  return await hasForgeWork(context).catch(() => true)
}
