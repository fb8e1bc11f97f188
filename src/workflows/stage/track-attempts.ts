// Keeps the tracker of a stage whose issues have a limited number of attempts (profile review-fix). A fixer's report is a claim: it counts
// as far as the gates bear it out. Only the tracker says what is blocked, and what is blocked gets no further round.
import { listStageCodes } from '../../domain/plan/plan.ts'
import {
  block,
  dismiss,
  type FixAttempt,
  isExhausted,
  recordOutcome,
  startTracker,
  type Tracker,
} from '../../domain/review-fix/tracker.ts'
import { isSolved } from '../../domain/stage/attempt.ts'
import type { FixOutcome, IssueWork } from '../../domain/workflow-types/index.ts'
import type { StageState, StageTask } from './stage-state.ts'

export interface FixerReport {
  /** The issues that the call was about. */
  readonly codes: readonly string[]
  readonly outcome: FixOutcome
}

export function startStageTracker({ stage, rules }: StageTask): Tracker | undefined {
  const { maxAttemptsPerIssue } = rules
  return maxAttemptsPerIssue === undefined ? undefined : startTracker(listStageCodes(stage), maxAttemptsPerIssue)
}

/** A call that crashed, met a limit or could not be read is no attempt: nobody has taken a stand. */
export function trackRound(state: StageState, reports: readonly FixerReport[]): void {
  if (!state.tracker) return
  let tracker = state.tracker
  const at = state.ports.now()
  for (const { codes, outcome } of reports) {
    for (const code of outcome.failure ? [] : codes) {
      const own = outcome.work.issues[code]
      const agreement = state.falsePositives.get(code)
      if (own?.isGone) tracker = block(tracker, code, own.message ?? 'its file is not there any more')
      else if (agreement) tracker = dismiss(tracker, code, agreement.reason)
      else tracker = recordOutcome(tracker, code, { at, ...classifyReport(state, code, own) })
    }
  }
  // What a person turned down, or what touched what nobody may, is not tried again either.
  for (const [code, { class: kind, reason }] of state.endedIssues)
    if (kind === 'verdict') tracker = block(tracker, code, reason)
  state.tracker = tracker
  state.ports.track?.(tracker.tracked)
  for (const known of tracker.tracked) {
    if (!isExhausted(known, tracker) || state.endedIssues.has(known.id) || known.status === 'dismissed') continue
    // What has passed by now still counts: it only gets no further round.
    const reason = known.reason ?? `had all its ${tracker.maxAttempts} attempts`
    state.endedIssues.set(known.id, { class: 'verdict', reason })
  }
}

function classifyReport(state: StageState, code: string, own: IssueWork | undefined): Omit<FixAttempt, 'at'> {
  if (own?.isBlocked) return { outcome: 'blocked', explanation: own.message ?? 'no reason given' }
  if (!own?.files) return { outcome: 'deferred', explanation: own?.message ?? 'not reported' }
  const { rules } = state.task
  const attempt = state.gatedTrees.at(-1)?.attempt
  if (!attempt) return { outcome: 'deferred', explanation: 'no gate has looked at it' }
  if (isSolved(code, attempt, rules)) return { outcome: 'fixed', explanation: 'passed the gates' }
  if (attempt.verification === 'failed') return { outcome: 'deferred', explanation: 'the checks fail' }
  const verdict = attempt.issues[code]
  if (!verdict) return { outcome: 'deferred', explanation: 'a change that did not pass' }
  const { score, blockers } = verdict
  const open = blockers > 0 ? ` and names ${blockers} blocker(s)` : ''
  return { outcome: 'deferred', explanation: `the challenger gives it ${score}${open}` }
}
