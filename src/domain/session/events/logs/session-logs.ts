// Log entries about opening, planning and closing a session.
import { z } from 'zod'
import type { AnsweredQuestion } from '../../../people/validate-messages.ts'
import { shellQuote } from '../../../text/shell-quote.ts'
import { truncateText } from '../../../text/truncate.ts'
import type { EventSubject } from '../define-event.ts'
import { Texts } from '../limit-lists.ts'
import { defineLog } from './define-log.ts'

const MAX_WORDS_CHARACTERS = 500

const ISSUE_REOPENED = defineLog(
  'issue_reopened',
  'warning',
  z.object({ commit: z.string() }),
  ({ commit }) => `its commit ${commit.slice(0, 10)} is on no branch any more: it is worked on again`,
)

const PRICE_UNKNOWN = defineLog(
  'price_unknown',
  'warning',
  z.object({ models: Texts }),
  ({ models }) =>
    `the budget in dollars does not see what ${models.join(' and ')} cost: there is no price of theirs (prices, or limit the tokens)`,
)

const LANES_REFUSED = defineLog(
  'lanes_refused',
  'note',
  z.object({ profile: z.string() }),
  ({ profile }) =>
    `the profile ${profile} commits all batches together, so they share one lane whatever limits.lanes says`,
)

const CLARIFIED = defineLog(
  'clarified',
  'note',
  z.object({ round: z.number(), ready: z.boolean(), questions: z.number(), words: z.string() }),
  ({ ready, questions, words }) =>
    `${ready ? 'nothing is unclear' : `${questions} question(s)`}${words ? `: ${words}` : ''}`,
)

const ANSWER_REUSED = defineLog(
  'answer_reused',
  'note',
  z.object({ id: z.string(), question: z.string(), answer: z.string(), by: z.string(), from: z.string() }),
  ({ id, answer, by, from }) => `${id} was answered before, by ${by} (${from}): ${answer}`,
)

const PLAN_MISSING = defineLog(
  'plan_missing',
  'warning',
  z.object({ detail: z.string() }),
  ({ detail }) => `there is no plan of an agent, the rules of order have to do: ${detail}`,
)

const PLAN_REMARK = defineLog('plan_remark', 'warning', z.object({ remark: z.string() }), ({ remark }) => remark)

const CALL_SPLIT = defineLog(
  'call_split',
  'note',
  z.object({ points: z.number(), max_points: z.number(), calls: z.number() }),
  ({ points, max_points, calls }) =>
    `${points} points of work are more than the ${max_points} that one call gets: they are sliced into ${calls} calls, one after the other`,
)

const FOLDER_LEFT = defineLog(
  'folder_left',
  'warning',
  z.object({ path: z.string(), reason: z.string() }),
  describeLeftoverFolder,
)

/** For its owner, with what to do. */
export function describeLeftoverFolder({ path, reason }: { readonly path: string; readonly reason: string }): string {
  return `${path} could not be removed (${reason}). It may hold files of another user, left by checks in a container. To remove it: sudo rm -rf ${shellQuote(path)}`
}

const START_NOTE = defineLog('start_note', 'note', z.object({ note: z.string() }), ({ note }) => note)

const BRANCH_NAMED = defineLog(
  'branch_named',
  'note',
  z.object({ branch: z.string() }),
  ({ branch }) => `the branch is ${branch}`,
)

export const SESSION_LOGS = [
  ISSUE_REOPENED,
  PRICE_UNKNOWN,
  LANES_REFUSED,
  CLARIFIED,
  ANSWER_REUSED,
  PLAN_MISSING,
  PLAN_REMARK,
  CALL_SPLIT,
  FOLDER_LEFT,
  START_NOTE,
  BRANCH_NAMED,
] as const

export function logBranchNamed(stepId: string, branch: string) {
  return BRANCH_NAMED.create(`${stepId}/named`, { branch })
}

export function logIssueReopened(commit: string, issue: EventSubject) {
  return ISSUE_REOPENED.create(`${issue.issue_code}/reopened`, { commit }, issue)
}

/** A budget in dollars that can't see everything is still one; it says what it does not see. */
export function logPriceUnknown(models: readonly string[]) {
  return PRICE_UNKNOWN.create('budget/unseen', { models })
}

export interface ClarifiedFacts {
  readonly round: number
  readonly ready: boolean
  readonly questions: number
  /** The agent's. */
  readonly words: string
}

export function logClarified(stepId: string, facts: ClarifiedFacts) {
  return CLARIFIED.create(`${stepId}/clarified`, facts)
}

export function logAnswerReused({ id, question, answer, by, from }: AnsweredQuestion, subject: EventSubject) {
  const words = truncateText(answer, MAX_WORDS_CHARACTERS)
  return ANSWER_REUSED.create(`answer/${id}`, { id, question, answer: words, by, from }, subject)
}

export function logPlanMissing(stepId: string, detail: string) {
  return PLAN_MISSING.create(`${stepId}/unplanned`, { detail })
}

export function logPlanRemarks(stepId: string, remarks: readonly string[]) {
  return remarks.map((remark, index) => PLAN_REMARK.create(`${stepId}/remark${index + 1}`, { remark }))
}

export interface CallSplitFacts {
  readonly points: number
  readonly maxPoints: number
  readonly calls: number
}

/** `stepId`: the step that applied the plan, or `plan`. */
export function logCallSplit(stepId: string, { points, maxPoints, calls }: CallSplitFacts) {
  return CALL_SPLIT.create(`${stepId}/sliced`, { points, max_points: maxPoints, calls })
}

export function logFolderLeft(left: { readonly path: string; readonly reason: string }) {
  return FOLDER_LEFT.create('session/left', { path: left.path, reason: left.reason })
}

/** A fact about the repository or the settings that is worth knowing before the work begins. */
export function logStartNotes(notes: readonly string[]) {
  return notes.map((note, index) => START_NOTE.create(`start/note${index + 1}`, { note }))
}

export function logLanesRefused(profile: string) {
  return LANES_REFUSED.create('lanes', { profile })
}
