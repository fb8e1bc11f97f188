// The fixer's calls: their stage, their batch, what they changed, and which checks that may silence.
import { z } from 'zod'
import { describeTampering, TamperingFlag } from '../../tampering/tampering-flag.ts'
import { joinList } from '../../text/join-list.ts'
import { type AtStep, defineEvent, type EventFacts, eventData } from './define-event.ts'
import { joinLimited, limitLists, Texts, Unlisted } from './limit-lists.ts'

export const fixStageStarted = defineEvent(
  'fix_stage_started',
  eventData({ stage: z.number() }),
  ({ stage }) => `stage ${stage}`,
  (create) => (stage: number) => create(`stage/${stage}`, { stage }),
)

export const fixBatchStarted = defineEvent(
  'fix_batch_started',
  eventData({ label: z.string(), workload: z.number(), codes: Texts, iteration: z.number() }),
  ({ label, workload, codes, iteration }) =>
    `${formatBatchTitle(label)} · workload ${workload} · ${codes.join(', ')} · attempt ${iteration}`,
  (create) =>
    ({ stepId, ...facts }: AtStep & EventFacts<typeof create>) =>
      create(`${stepId}/batch`, facts),
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

export const fixBatchCompleted = defineEvent(
  'fix_batch_completed',
  BatchCompleted,
  describeBatchCompleted,
  (create) =>
    ({ stepId, files, outside, ...facts }: AtStep & EventFacts<typeof create>) =>
      create(`${stepId}/batch-completed`, { ...facts, ...limitLists({ files, outside }) }),
)

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

export const fixChecksSilenced = defineEvent(
  'fix_checks_silenced',
  eventData({ call: z.string(), codes: Texts, silenced: z.array(TamperingFlag).readonly() }),
  ({ silenced }) => `may silence a check: ${joinList(silenced.map(describeTampering), '; ')}`,
  (create) => (facts: EventFacts<typeof create>) => create(`${facts.call}/silenced`, facts),
)
