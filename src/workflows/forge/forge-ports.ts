// How a workflow that posts to a forge runs its activities: reads are tried again, a write once; limits are durable waits that its memo shows.
import { type RetryPolicy, rootCause } from '@temporalio/common'
import { ActivityFailure, isCancellation, sleep, upsertMemo } from '@temporalio/workflow'
import { truncateText } from '../../domain/text/truncate.ts'
import type { ForgeOutcome, ForgeWork, SessionActivities } from '../../domain/workflow-types/index.ts'
import { FORGE_WAIT_MEMO } from '../../domain/workflow-types/temporal-names.ts'
import { proxyHomeActivities } from '../temporal/session-activities.ts'
import type { CreatePorts } from './create-once.ts'

/** The clocks of two machines differ a little. */
const MARGIN_MS = 500
const MAX_WAIT_MS = 24 * 3_600_000
const MAX_DETAIL = 300
const ONCE = { maximumAttempts: 1 }

export interface ForgePorts extends Pick<CreatePorts<unknown>, 'pause' | 'waitOutLimit' | 'lookAgainMs'> {
  /** Failures that pass are tried again, by default for two minutes; one that does not is refused. */
  read<T>(
    summary: string,
    work: (activities: SessionActivities) => Promise<ForgeOutcome<T>>,
    retry?: RetryPolicy,
  ): Promise<ForgeOutcome<T>>
  /** A worker that dies takes the answer with it. */
  write<T>(summary: string, work: (activities: SessionActivities) => Promise<ForgeOutcome<T>>): Promise<ForgeOutcome<T>>
}

export function createForgePorts({ homeQueue, github }: Pick<ForgeWork, 'homeQueue' | 'github'>): ForgePorts {
  let waited = 0
  return {
    lookAgainMs: github.look_again_seconds * 1000,
    pause: async (milliseconds) => {
      if (milliseconds > 0) await sleep(milliseconds)
    },
    waitOutLimit: async (until, detail) => {
      const left = Math.max(until - Date.now(), 0) + MARGIN_MS
      waited += left
      if (waited > MAX_WAIT_MS) return false
      upsertMemo({ [FORGE_WAIT_MEMO]: `until ${new Date(until).toISOString()}: ${truncateText(detail, MAX_DETAIL)}` })
      await sleep(left)
      upsertMemo({ [FORGE_WAIT_MEMO]: '' })
      return true
    },
    read: async (summary, work, retry) => {
      try {
        return await work(proxyHomeActivities(homeQueue, summary, retry))
      } catch (error) {
        return { kind: 'refused', code: 'forge_unreachable', detail: explain(error) }
      }
    },
    write: async (summary, work) => {
      try {
        return await work(proxyHomeActivities(homeQueue, summary, ONCE))
      } catch (error) {
        return { kind: 'lost', detail: explain(error) }
      }
    },
  }
}

function explain(error: unknown): string {
  if (!(error instanceof ActivityFailure) || isCancellation(error)) throw error
  return truncateText(rootCause(error) ?? error.message, MAX_DETAIL)
}
