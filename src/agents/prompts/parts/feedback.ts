// Renders the challenger's last verdict on each issue. Scores and the ids of open blockers always stay: a fixer can't settle a blocker
// that it is not shown.

import { openBlockers } from '../../../domain/stage/gating-score.ts'
import type { ChallengeVerdict } from '../../../domain/stage/reply-schemas.ts'
import { cutField, cutJsonText, type FitLevel, listPart } from '../fit-list.ts'
import { type PromptPart, SHRINK_ORDER } from '../render-prompt.ts'

export type VerdictsByIssue = Readonly<Record<string, Partial<ChallengeVerdict>>>

type FeedbackEntry = Partial<ChallengeVerdict> & { readonly issue_code: string; readonly feedback: string }

/** A shorter piece of feedback is not worth its room. */
const MIN_FEEDBACK = 300
/** The least room for the whole list, small enough not to crowd out anything else. */
const MIN_FEEDBACK_LIST = 4000

/** First the words are cut, then single steps and settled points go, then everything that holds nothing up. */
const LEVELS: readonly FitLevel<FeedbackEntry>[] = [
  (entry, room) => cutField(entry, 'feedback', room, MIN_FEEDBACK),
  ({ improvements_needed = [], points = [], ...entry }, room) => {
    const steps = improvements_needed.slice(0, 5).map((step) => cutJsonText(step, 200))
    const open = points.filter(({ settled }) => !settled)
    const short = { ...entry, improvements_needed: steps, points: cutPoints(open, 300) }
    return cutField(short, 'feedback', room, MIN_FEEDBACK)
  },
  ({ improvements_needed: _, points = [], ...entry }, room) =>
    cutField({ ...entry, points: cutPoints(openBlockers(points), 150) }, 'feedback', room, MIN_FEEDBACK),
  ({ issue_code, score, points = [], feedback }, room) => {
    const bare = { issue_code, score, points: cutPoints(openBlockers(points).slice(0, 5), 40) }
    return cutField({ ...bare, feedback }, 'feedback', room, 0) ?? { ...bare, feedback: '' }
  },
]

function cutPoints(points: NonNullable<FeedbackEntry['points']>, most: number) {
  return points.map((point) => ({ ...point, text: cutJsonText(point.text, most) }))
}

export function feedbackPart(verdicts: VerdictsByIssue | undefined, most: number): PromptPart | undefined {
  if (verdicts === undefined) return undefined
  const entries = Object.entries(verdicts).map(([issue_code, { feedback = '', ...verdict }]) => ({
    issue_code,
    ...verdict,
    feedback,
  }))
  return listPart('feedback', entries, most, {
    levels: LEVELS,
    rank: SHRINK_ORDER.feedback,
    least: MIN_FEEDBACK_LIST,
    describeCuts: (cut) =>
      `Of the feedback for ${cut().join(', ')} only a part fits and is shown: the score and the first open blockers in any case.`,
  })
}
