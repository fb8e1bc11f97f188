// What the challenger said last of each issue. Where that is too much its words are cut; then single steps and settled points go, then all
// that holds nothing up. The score stays, and open blockers by their id: who is not told of one can't settle it.
import type { ChallengeVerdict } from '../../../domain/stage/agent-replies.ts'
import { openBlockers } from '../../../domain/stage/score.ts'
import { jsonBlock } from '../data-block.ts'
import { beginning, type Saying, sizeOf, within } from '../fit-list.ts'
import { type Part, RANK } from '../fit-to-limit.ts'

export type Verdicts = Readonly<Record<string, Partial<ChallengeVerdict>>>

type Entry = Partial<ChallengeVerdict> & { readonly issue_code: string }

/** Less of what it said is worth no more than what it would take the place of. */
const LEAST = 300
/** Of the whole list: what little that is does not crowd out anything else. */
const LEAST_OF_ALL = 4000

const WAYS: readonly Saying<Entry>[] = [
  (entry, room) => saying(entry, room),
  ({ improvements_needed = [], points = [], ...entry }, room) => {
    const steps = improvements_needed.slice(0, 5).map((step) => beginning(step, 200))
    const open = inShort(
      points.filter(({ settled }) => !settled),
      300,
    )
    return saying({ ...entry, improvements_needed: steps, points: open }, room)
  },
  ({ improvements_needed: _, points = [], ...entry }, room) =>
    saying({ ...entry, points: inShort(openBlockers(points), 150) }, room),
  ({ issue_code, score, points = [], feedback = '' }, room) => {
    const bare = { issue_code, score, points: inShort(openBlockers(points).slice(0, 5), 40) }
    return { ...bare, feedback: beginning(feedback, room - sizeOf({ ...bare, feedback: '' })) }
  },
]

function saying(entry: Entry, room: number): Entry | undefined {
  const { feedback = '', ...rest } = entry
  const left = room - sizeOf({ ...rest, feedback: '' })
  return left < Math.min(feedback.length, LEAST) ? undefined : { ...rest, feedback: beginning(feedback, left) }
}

function inShort(points: NonNullable<Entry['points']>, most: number) {
  return points.map((point) => ({ ...point, text: beginning(point.text, most) }))
}

export function feedbackPart(verdicts: Verdicts | undefined, most: number): Part | undefined {
  if (verdicts === undefined) return undefined
  const entries = Object.entries(verdicts).map(([issue_code, { feedback = '', ...verdict }]) => ({
    issue_code,
    ...verdict,
    feedback,
  }))
  const to = (limit: number): Part => {
    const { shown, levels } = within(entries, limit, WAYS)
    const cut = entries.flatMap(({ issue_code }, index) => (levels[index] ? [issue_code] : []))
    const remark = `Of the feedback for ${cut.join(', ')} only a part fits and is shown: the score and the first open blockers in any case.`
    return { block: jsonBlock('feedback', shown), remark: cut.length > 0 ? remark : undefined }
  }
  return { ...to(most), gives: { rank: RANK.feedback, to: (limit) => to(Math.max(limit, LEAST_OF_ALL)) } }
}
