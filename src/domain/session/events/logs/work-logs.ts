// Log entries about agent calls and the tree that they leave.
import { z } from 'zod'
import { CallFailure } from '../../failure.ts'
import { CallIdentity } from '../agent-call-events.ts'
import { joinLimited, limitLists, Texts, Unlisted } from '../limit-lists.ts'
import { defineLog } from './define-log.ts'

const CONVERSATION_GONE = defineLog(
  'conversation_gone',
  'warning',
  z.object({ ...CallIdentity.shape, conversation: z.string() }),
  ({ conversation }) => `conversation ${conversation} is gone from this host: started afresh with the whole context`,
)

const CALL_REFUSED = defineLog(
  'call_refused',
  'warning',
  z.object({ call: z.string(), role: z.string(), failure: CallFailure }),
  ({ role, failure }) => `${role} was not asked: ${failure.detail}`,
)

const CALL_LOST = defineLog(
  'call_lost',
  'warning',
  z.object({ call: z.string(), attempt: z.number(), processes_ended: z.number() }),
  ({ call, attempt }) => `attempt ${attempt} of ${call} was lost with its worker; it is made again`,
)

const GIT_USE_UNDONE = defineLog(
  'git_use_undone',
  'warning',
  z.object({ notes: Texts, unlisted: Unlisted }),
  ({ notes, unlisted }) => `${joinLimited(notes, unlisted?.notes, '; ')}: folded back, git is not the fixer's business`,
)

const REPORTS_IGNORED = defineLog(
  'reports_ignored',
  'warning',
  z.object({ remarks: Texts, unlisted: Unlisted }),
  ({ remarks, unlisted }) => `the fixer's report: ${joinLimited(remarks, unlisted?.remarks, '; ')}`,
)

const BRANCH_MERGED = defineLog(
  'branch_merged',
  'note',
  z.object({ branch: z.string(), onto: z.string() }),
  ({ branch, onto }) =>
    `someone committed on ${branch}: the fixes are merged onto ${onto.slice(0, 10)} and judged again`,
)

const LANE_MERGED = defineLog(
  'lane_merged',
  'note',
  z.object({ lane: z.number(), onto: z.string(), same_diff: z.boolean() }),
  ({ lane, onto, same_diff }) =>
    `the fixes of lane ${lane} are put onto ${onto.slice(0, 10)}, which has landed meanwhile, and ${same_diff ? 'checked' : 'judged'} again`,
)

export const WORK_LOGS = [
  CONVERSATION_GONE,
  CALL_REFUSED,
  CALL_LOST,
  GIT_USE_UNDONE,
  REPORTS_IGNORED,
  BRANCH_MERGED,
  LANE_MERGED,
] as const

export function logConversationGone(identity: CallIdentity, conversation: string) {
  return CONVERSATION_GONE.create(`${identity.call}/${identity.attempt}/gone`, { ...identity, conversation })
}

export function logCallRefused(facts: { call: string; role: string; failure: CallFailure }) {
  return CALL_REFUSED.create(`${facts.call}/not-asked`, facts)
}

export interface LostCall {
  readonly call: string
  readonly attempt: number
  /** So many processes that it left running were ended. */
  readonly processesEnded: number
}

export function logCallLost({ call, attempt, processesEnded }: LostCall) {
  return CALL_LOST.create(`${call}/${attempt}/lost`, { call, attempt, processes_ended: processesEnded })
}

/** `notes`: what an agent did to the git of its tree. */
export function logGitUseUndone(stepId: string, notes: readonly string[]) {
  return GIT_USE_UNDONE.create(`${stepId}/git`, limitLists({ notes }))
}

/** `remarks`: what of a fixer's report did not fit what it was asked. */
export function logReportsIgnored(stepId: string, remarks: readonly string[]) {
  return REPORTS_IGNORED.create(`${stepId}/reports`, limitLists({ remarks }))
}

/** `onto`: the commit that somebody made on the session's branch. */
export function logBranchMerged(stepId: string, facts: { branch: string; onto: string }) {
  return BRANCH_MERGED.create(`${stepId}/merged`, facts)
}

export function logLaneMerged(stepId: string, facts: { lane: number; onto: string; isSameDiff: boolean }) {
  const { isSameDiff, ...rest } = facts
  return LANE_MERGED.create(`${stepId}/merged`, { ...rest, same_diff: isSameDiff })
}
