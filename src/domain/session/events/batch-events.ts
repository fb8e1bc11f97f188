// The fixer's calls: their stage, their batch, what they changed, and which checks that may silence.
import { z } from 'zod'
import { describeTampering, TamperingFlag } from '../../tampering/tampering-flag.ts'
import { joinList } from '../../text/join-list.ts'
import { defineEvent, eventData } from './define-event.ts'
import { joinLimited, limitLists, Texts, Unlisted } from './limit-lists.ts'

const STAGE_STARTED = defineEvent(
  'fix_stage_started',
  eventData({ stage: z.number() }),
  ({ stage }) => `stage ${stage}`,
)

const BATCH_STARTED = defineEvent(
  'fix_batch_started',
  eventData({ label: z.string(), workload: z.number(), codes: Texts, iteration: z.number() }),
  ({ label, workload, codes, iteration }) =>
    `${formatBatchTitle(label)} · workload ${workload} · ${codes.join(', ')} · attempt ${iteration}`,
)

/** `BE Batch 2/3` */
function formatBatchTitle(label: string): string {
  return label.replace(' ', ' Batch ')
}

const BatchCompleted = eventData({
  label: z.string(),
  codes: Texts,
  files: Texts,
  /** The changed files that no finding names. */
  outside: Texts,
  /** Issues that are called fixed, and none of whose files changed. */
  unchanged: Texts,
  unlisted: Unlisted,
  /** How the call failed, where it did. */
  failure_detail: z.string().optional(),
})

const BATCH_COMPLETED = defineEvent('fix_batch_completed', BatchCompleted, describeBatchCompleted)

function describeBatchCompleted(data: z.infer<typeof BatchCompleted>): string {
  const { label, files, outside, unchanged, unlisted, failure_detail } = data
  const parts = [
    files.length === 0 ? 'no changes applied' : `changed ${joinLimited(files, unlisted?.files)}`,
    ...(outside.length > 0 ? [`no finding names ${joinLimited(outside, unlisted?.outside)}`] : []),
    ...(unchanged.length > 0 && files.length > 0
      ? [`${joinList(unchanged)}: called fixed, and no changes applied`]
      : []),
  ]
  const failed = failure_detail === undefined ? '' : `: ${failure_detail}`
  return `${formatBatchTitle(label)} · ${parts.join('; ')}${failed}`
}

const CHECKS_SILENCED = defineEvent(
  'fix_checks_silenced',
  eventData({ call: z.string(), codes: Texts, silenced: z.array(TamperingFlag).readonly() }),
  ({ silenced }) => `may silence a check: ${joinList(silenced.map(describeTampering), '; ')}`,
)

export const BATCH_EVENTS = [STAGE_STARTED, BATCH_STARTED, BATCH_COMPLETED, CHECKS_SILENCED] as const

export function fixStageStarted(stage: number) {
  return STAGE_STARTED.create(`stage/${stage}`, { stage })
}

export interface BatchStartedFacts {
  readonly stepId: string
  readonly label: string
  readonly workload: number
  readonly codes: readonly string[]
  readonly iteration: number
}

export function fixBatchStarted({ stepId, ...facts }: BatchStartedFacts) {
  return BATCH_STARTED.create(`${stepId}/batch`, facts)
}

export interface BatchCompletedFacts extends Pick<BatchStartedFacts, 'stepId' | 'label' | 'codes'> {
  readonly files: readonly string[]
  readonly outside: readonly string[]
  readonly unchanged: readonly string[]
  readonly failureDetail?: string | undefined
}

export function fixBatchCompleted(facts: BatchCompletedFacts) {
  const { stepId, label, codes, files, outside, unchanged, failureDetail } = facts
  return BATCH_COMPLETED.create(`${stepId}/batch-completed`, {
    label,
    codes,
    unchanged,
    failure_detail: failureDetail,
    ...limitLists({ files, outside }),
  })
}

export function fixChecksSilenced(stepId: string, codes: readonly string[], silenced: readonly TamperingFlag[]) {
  return CHECKS_SILENCED.create(`${stepId}/silenced`, { call: stepId, codes, silenced })
}
