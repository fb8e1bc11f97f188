// Why a session's work ended early, from what was thrown. Only failures of Temporal's own kinds are explained: a mistake in the workflow's
// code fails its task, which waits for a fixed worker.
import { ActivityFailure, type CancellationScope, isCancellation, rootCause } from '@temporalio/workflow'
import { truncateText } from '../domain/text/truncate.ts'
import type { Ending } from '../domain/workflow-types/index.ts'
import type { Cancellation } from './people/message-handlers.ts'

export function explainEnding(error: unknown, work: CancellationScope, cancelled: Cancellation | undefined): Ending {
  // A worker that died while the step was being cancelled leaves a timeout behind; the person's cancel stands all the same.
  if (isCancellation(error) || (work.consideredCancelled && error instanceof ActivityFailure))
    return describeCancellation(cancelled)
  if (error instanceof ActivityFailure) return { class: 'infrastructure', detail: describeFailure(error) }
  throw error
}

export function describeFailure(error: ActivityFailure): string {
  return truncateReason(rootCause(error) ?? error.message)
}

function describeCancellation(cancelled: Cancellation | undefined): Ending {
  if (!cancelled) return { class: 'cancelled', detail: 'cancelled by a person' }
  return {
    class: 'cancelled',
    detail: `cancelled by ${cancelled.by}${cancelled.reason ? `: ${cancelled.reason}` : ''}`,
  }
}

/** The history repeats the reason for each issue; the store and the artifacts hold the full text. */
export function truncateReason(text: string): string {
  return truncateText(text, 300)
}
