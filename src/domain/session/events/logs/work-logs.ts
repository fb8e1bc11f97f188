// Log entries about agent calls and the tree that they leave.
import { z } from 'zod'
import { CallFailure } from '../../failure.ts'
import { CallIdentity } from '../agent-call-events.ts'
import { atStep, type EventFacts } from '../define-event.ts'
import { joinLimited, limitLists, Texts, Unlisted } from '../limit-lists.ts'
import { defineLog } from './define-log.ts'

export const logConversationGone = defineLog(
  'conversation_gone',
  'warning',
  z.object({ ...CallIdentity.shape, conversation: z.string() }),
  ({ conversation }) => `conversation ${conversation} is gone from this host: started afresh with the whole context`,
  (create) => (facts: EventFacts<typeof create>) => create(`${facts.call}/${facts.attempt}/gone`, facts),
)

export const logCallRefused = defineLog(
  'call_refused',
  'warning',
  z.object({ call: z.string(), role: z.string(), failure: CallFailure }),
  ({ role, failure }) => `${role} was not asked: ${failure.detail}`,
  (create) => (facts: EventFacts<typeof create>) => create(`${facts.call}/not-asked`, facts),
)

export const logCallLost = defineLog(
  'call_lost',
  'warning',
  z.object({ call: z.string(), attempt: z.number(), processes_ended: z.number() }),
  ({ call, attempt }) => `attempt ${attempt} of ${call} was lost with its worker; it is made again`,
  (create) => (facts: EventFacts<typeof create>) => create(`${facts.call}/${facts.attempt}/lost`, facts),
)

/** `notes`: what an agent did to the git of its tree. */
export const logGitUseUndone = defineLog(
  'git_use_undone',
  'warning',
  z.object({ notes: Texts, unlisted: Unlisted }),
  ({ notes, unlisted }) => `${joinLimited(notes, unlisted?.notes, '; ')}: folded back, git is not the fixer's business`,
  (create) => (stepId: string, notes: readonly string[]) => create(`${stepId}/git`, limitLists({ notes })),
)

/** `remarks`: what of a fixer's report did not fit what it was asked. */
export const logReportsIgnored = defineLog(
  'reports_ignored',
  'warning',
  z.object({ remarks: Texts, unlisted: Unlisted }),
  ({ remarks, unlisted }) => `the fixer's report: ${joinLimited(remarks, unlisted?.remarks, '; ')}`,
  (create) => (stepId: string, remarks: readonly string[]) => create(`${stepId}/reports`, limitLists({ remarks })),
)

/** `onto`: the commit that somebody made on the session's branch. */
export const logBranchMerged = defineLog(
  'branch_merged',
  'note',
  z.object({ branch: z.string(), onto: z.string() }),
  ({ branch, onto }) =>
    `someone committed on ${branch}: the fixes are merged onto ${onto.slice(0, 10)} and judged again`,
  atStep('merged'),
)

export const logLaneMerged = defineLog(
  'lane_merged',
  'note',
  z.object({ lane: z.number(), onto: z.string(), same_diff: z.boolean() }),
  ({ lane, onto, same_diff }) =>
    `the fixes of lane ${lane} are put onto ${onto.slice(0, 10)}, which has landed meanwhile, and ${same_diff ? 'checked' : 'judged'} again`,
  atStep('merged'),
)
