// The prompts of clarifier and planner: the whole context at a conversation's start, then only what is new.
import { renderClarifierPrompt, renderPlannerPrompt } from '../../agents/prompts/clarifier-and-planner.ts'
import type { AnsweredQuestion } from '../../domain/people/validate-messages.ts'
import type { Clarification } from '../../domain/plan/brief.ts'
import { planStages } from '../../domain/plan/plan.ts'
import { getProfile } from '../../domain/settings/schema.ts'
import { buildPromptFrame, createBlockId, type PromptContext } from '../agent-call/prompt-context.ts'
import { type ActivityContext, claimedIssues, type Session } from '../context.ts'

interface DialoguePromptInput {
  readonly stepId: string
  readonly iteration: number
  /** Absent if the conversation goes on. */
  readonly context?: PromptContext | undefined
}

export function buildClarifierPrompt(
  { agents }: Pick<ActivityContext, 'agents'>,
  session: Session,
  { known, ...talking }: DialoguePromptInput & { readonly known: readonly AnsweredQuestion[] },
): string {
  return renderClarifierPrompt(agents, {
    ...commonPromptInput(session, talking),
    earlierQuestions: known.map(({ id, code, question, answer }) => ({ id, issue_code: code, question, answer })),
  })
}

export function buildPlannerPrompt(
  { agents }: Pick<ActivityContext, 'agents'>,
  session: Session,
  {
    clarifications,
    rejectedPlan,
    ...talking
  }: DialoguePromptInput & {
    readonly clarifications: readonly Clarification[]
    readonly rejectedPlan?: string | undefined
  },
): string {
  const stages = planStages(claimedIssues(session), getProfile(session.settings), session.settings.limits)
  return renderPlannerPrompt(agents, {
    ...commonPromptInput(session, talking),
    steps: stages.flatMap(({ batches }) => batches.flatMap(({ steps }) => steps)),
    clarifications,
    rejectedPlan,
  })
}

function commonPromptInput(session: Session, { stepId, iteration, context }: DialoguePromptInput) {
  return {
    blockId: createBlockId(),
    stepId,
    iteration,
    ...buildPromptFrame(session),
    issues: claimedIssues(session),
    notes: session.record.user_notes,
    ...(context ?? { isResuming: true }),
  }
}
