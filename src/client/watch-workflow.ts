// Starts a watch over a pull request or joins it, wakes it, ends it, and lists those that wait.
import type { Client } from '@temporalio/client'
import { formatWatchId } from '../domain/forge/watch-id.ts'
import {
  WATCH_MEMO,
  WATCH_WAKE_SIGNAL,
  WATCH_WORKFLOW,
  type WatchInput,
  type WatchMemo,
  type WatchSummary,
} from '../domain/workflow-types/index.ts'
import { describeWorkflow } from './describe-workflow.ts'

/** One that runs looks at once. Returns its id. */
export async function startWatch(client: Client, taskQueue: string, input: WatchInput): Promise<string> {
  const workflowId = formatWatchId(input)
  await client.workflow.signalWithStart(WATCH_WORKFLOW, {
    ...{ workflowId, taskQueue, args: [input], staticSummary: `watch ${input.name}`, workflowTaskTimeout: '3s' },
    ...{ signal: WATCH_WAKE_SIGNAL, signalArgs: [], workflowIdReusePolicy: 'ALLOW_DUPLICATE' },
  })
  return workflowId
}

export type WatchView =
  | { readonly kind: 'running'; readonly workflowId: string; readonly memo: WatchMemo | undefined }
  | {
      readonly kind: 'ended'
      readonly workflowId: string
      readonly memo?: undefined
      /** Absent if it was ended from outside. */
      readonly summary: WatchSummary | undefined
    }

export async function readWatch(client: Client, workflowId: string): Promise<WatchView> {
  const described = await describeWorkflow(client, workflowId)
  if (described?.status.name === 'RUNNING') return { kind: 'running', workflowId, memo: toMemo(described.memo) }
  if (described?.status.name !== 'COMPLETED') return { kind: 'ended', workflowId, summary: undefined }
  return { kind: 'ended', workflowId, summary: (await client.workflow.getHandle(workflowId).result()) as WatchSummary }
}

export async function listRunningWatches(client: Client, taskQueue: string): Promise<readonly WatchView[]> {
  const query = `WorkflowType = '${WATCH_WORKFLOW}' AND TaskQueue = '${taskQueue}' AND ExecutionStatus = 'Running'`
  const found: WatchView[] = []
  for await (const { workflowId, memo } of client.workflow.list({ query })) {
    found.push({ kind: 'running', workflowId, memo: toMemo(memo) })
  }
  return found
}

/** False if it does not run: the server takes a second cancellation without a word. */
export async function cancelWatch(client: Client, workflowId: string): Promise<boolean> {
  if ((await describeWorkflow(client, workflowId))?.status.name !== 'RUNNING') return false
  await client.workflow.getHandle(workflowId).cancel()
  return true
}

function toMemo(memo: Readonly<Record<string, unknown>> | undefined): WatchMemo | undefined {
  return memo?.[WATCH_MEMO] as WatchMemo | undefined
}
