// Agent calls whose reply must be readable. A reply that stays unreadable is a failure, never an answer.

import { renderRepairPrompt } from '../../agents/prompts/repair-and-naming.ts'
import { validateReply } from '../../agents/replies/validate-reply.ts'
import type { CallFailure } from '../../domain/session/failure.ts'
import { formatStepPart } from '../../domain/session/step-id.ts'
import type { ReplyName, ReplyOf } from '../../domain/stage/reply-schemas.ts'
import type { Conversation } from '../../domain/workflow-types/index.ts'
import type { ActivityContext, Heartbeat, Session } from '../context.ts'
import { type AgentRequest, callAgent } from './call-agent.ts'
import { buildPromptFrame, createBlockId } from './prompt-context.ts'

export interface RepairableRequest<Name extends ReplyName> extends Omit<AgentRequest, 'isRepair'> {
  readonly reply: Name
  readonly iteration: number
  /** Whether the question is asked once more from its start, after the repair. */
  readonly startsOver: boolean
  /** Returns the problem of a readable answer, if there is one. */
  readonly findProblem?: ((value: ReplyOf<Name>) => string | undefined) | undefined
}

export type ReplyResult<Name extends ReplyName> =
  | { readonly kind: 'read'; readonly value: ReplyOf<Name>; readonly conversation?: Conversation | undefined }
  | { readonly kind: 'failed'; readonly failure: CallFailure; readonly conversation?: Conversation | undefined }

/** The step ids of the calls that one question may take, in their order. */
export function listCallKeys(stepId: string): readonly [first: string, repair: string, restart: string] {
  return [stepId, formatStepPart(stepId, { kind: 'repair' }), formatStepPart(stepId, { kind: 'restart' })]
}

/** Asks for an unreadable reply once more in the same conversation, then, if `startsOver`, puts the question again. */
export async function callWithRepair<Name extends ReplyName>(
  context: ActivityContext,
  session: Session,
  question: RepairableRequest<Name>,
  heartbeat: Heartbeat,
): Promise<ReplyResult<Name>> {
  const { reply, startsOver, findProblem = () => undefined } = question
  const [first, repair, restart] = listCallKeys(question.key)
  let bad: { readonly problem: string; readonly answer: string } | undefined
  let failure: CallFailure | undefined
  let conversation: Conversation | undefined
  for (const key of startsOver ? [first, repair, restart] : [first, repair]) {
    const isRepair = key === repair
    if (isRepair && !bad) continue
    const asked: AgentRequest =
      isRepair && bad
        ? buildRepairRequest(session, question, { key, ...bad, resume: conversation })
        : { ...question, key }
    const answer = await callAgent(context, session, asked, heartbeat)
    if (answer.kind === 'failed') {
      failure = answer.failure
      if (failure.class !== 'no_usable_work') break
      continue
    }
    conversation = answer.conversation
    const parsed = validateReply(reply, answer)
    const problem = parsed.kind === 'valid' ? findProblem(parsed.value) : parsed.problem
    if (parsed.kind === 'valid' && problem === undefined) return { kind: 'read', value: parsed.value, conversation }
    bad = { problem: problem ?? '', answer: answer.text }
    const detail = `the reply of the ${question.role} can't be used, also when asked again: ${bad.problem}`
    failure = { class: 'no_usable_work', reason: 'unreadable', detail }
  }
  if (!failure) throw new Error(`${question.key} was not asked`)
  return { kind: 'failed', failure, conversation }
}

function buildRepairRequest<Name extends ReplyName>(
  session: Session,
  { role, reply, iteration, codes, isWork, deadlineMs, run }: RepairableRequest<Name>,
  { key, problem, answer, resume }: { key: string; problem: string; answer: string; resume: Conversation | undefined },
): AgentRequest {
  const { limits } = buildPromptFrame(session)
  const prompt = renderRepairPrompt({
    role,
    reply,
    stepId: key,
    iteration,
    blockId: createBlockId(),
    codes,
    problem,
    answer,
    limits,
  })
  const about = 'the same answer, readable'
  return { key, role, prompt, promptIssueCodes: [], resume, codes, isWork, about, isRepair: true, deadlineMs, run }
}
