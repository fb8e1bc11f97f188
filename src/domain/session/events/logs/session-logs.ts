// Log entries about opening, planning and closing a session.
import { z } from 'zod'
import type { AnsweredQuestion } from '../../../people/validate-messages.ts'
import { shellQuote } from '../../../text/shell-quote.ts'
import { truncateText } from '../../../text/truncate.ts'
import { atIssue, atStep, type EventSubject } from '../define-event.ts'
import { Texts } from '../limit-lists.ts'
import { defineLog } from './define-log.ts'

const MAX_WORDS_CHARACTERS = 500

export const logIssueReopened = defineLog(
  'issue_reopened',
  'warning',
  z.object({ commit: z.string() }),
  ({ commit }) => `its commit ${commit.slice(0, 10)} is on no branch any more: it is worked on again`,
  atIssue('reopened'),
)

/** A budget in dollars that can't see everything is still one; it says what it does not see. */
export const logPriceUnknown = defineLog(
  'price_unknown',
  'warning',
  z.object({ models: Texts }),
  ({ models }) =>
    `the budget in dollars does not see what ${models.join(' and ')} cost: there is no price of theirs (prices, or limit the tokens)`,
  (create) => (models: readonly string[]) => create('budget/unseen', { models }),
)

export const logLanesRefused = defineLog(
  'lanes_refused',
  'note',
  z.object({ profile: z.string() }),
  ({ profile }) =>
    `the profile ${profile} commits all batches together, so they share one lane whatever limits.lanes says`,
  (create) => (profile: string) => create('lanes', { profile }),
)

export const logClarified = defineLog(
  'clarified',
  'note',
  z.object({ round: z.number(), ready: z.boolean(), questions: z.number(), /** The agent's. */ words: z.string() }),
  ({ ready, questions, words }) =>
    `${ready ? 'nothing is unclear' : `${questions} question(s)`}${words ? `: ${words}` : ''}`,
  atStep('clarified'),
)

export const logAnswerReused = defineLog(
  'answer_reused',
  'note',
  z.object({ id: z.string(), question: z.string(), answer: z.string(), by: z.string(), from: z.string() }),
  ({ id, answer, by, from }) => `${id} was answered before, by ${by} (${from}): ${answer}`,
  (create) =>
    ({ id, question, answer, by, from }: AnsweredQuestion, subject: EventSubject) => {
      const words = truncateText(answer, MAX_WORDS_CHARACTERS)
      return create(`answer/${id}`, { id, question, answer: words, by, from }, subject)
    },
)

export const logPlanMissing = defineLog(
  'plan_missing',
  'warning',
  z.object({ detail: z.string() }),
  ({ detail }) => `there is no plan of an agent, the rules of order have to do: ${detail}`,
  atStep('unplanned'),
)

export const logPlanRemarks = defineLog(
  'plan_remark',
  'warning',
  z.object({ remark: z.string() }),
  ({ remark }) => remark,
  (create) => (stepId: string, remarks: readonly string[]) =>
    remarks.map((remark, index) => create(`${stepId}/remark${index + 1}`, { remark })),
)

/** `stepId`: the step that applied the plan, or `plan`. */
export const logCallSplit = defineLog(
  'call_split',
  'note',
  z.object({ points: z.number(), max_points: z.number(), calls: z.number() }),
  ({ points, max_points, calls }) =>
    `${points} points of work are more than the ${max_points} that one call gets: they are sliced into ${calls} calls, one after the other`,
  atStep('sliced'),
)

export const logFolderLeft = defineLog(
  'folder_left',
  'warning',
  z.object({ path: z.string(), reason: z.string() }),
  describeUnremovedFolder,
  (create) => (left: { readonly path: string; readonly reason: string }) =>
    create('session/left', { path: left.path, reason: left.reason }),
)

/** For its owner, with what to do. */
export function describeUnremovedFolder({ path, reason }: { readonly path: string; readonly reason: string }): string {
  return `${path} could not be removed (${reason}). It may hold files of another user, left by checks in a container. To remove it: sudo rm -rf ${shellQuote(path)}`
}

/** A fact about the repository or the settings that is worth knowing before the work begins. */
export const logStartNotes = defineLog(
  'start_note',
  'note',
  z.object({ note: z.string() }),
  ({ note }) => note,
  (create) => (notes: readonly string[]) => notes.map((note, index) => create(`start/note${index + 1}`, { note })),
)

export const logBranchNamed = defineLog(
  'branch_named',
  'note',
  z.object({ branch: z.string() }),
  ({ branch }) => `the branch is ${branch}`,
  atStep('named'),
)
