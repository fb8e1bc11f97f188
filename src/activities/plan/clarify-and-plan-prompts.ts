// The prompts of clarifier and planner: the whole context at a conversation's start, then only what is new.
import { renderClarifierPrompt, renderPlannerPrompt } from '../../agents/prompts/clarifier-and-planner.ts'
import type { PromptCode } from '../../agents/prompts/render.ts'
import type { AnsweredQuestion } from '../../domain/people/validate-messages.ts'
import type { Clarification } from '../../domain/plan/brief.ts'
import { planSessionStages } from '../../domain/plan/plan-stages.ts'
import type { Workspace } from '../../platform/git/workspace/object-store.ts'
import { createBlockId } from '../agent-call/agent-call.ts'
import { buildPromptFrame, loadPromptBackground, type PromptBackground } from '../agent-call/prompt-background.ts'
import { loadCode } from '../agent-call/source-excerpts.ts'
import { type ActivityContext, claimedIssues, type Session } from '../context.ts'

/** The context that a conversation holds from its first prompt on. */
export type PromptContext = PromptBackground & PromptCode

export async function loadPromptContext(
  context: ActivityContext,
  session: Session,
  workspace: Pick<Workspace, 'gitDir' | 'base'>,
): Promise<PromptContext> {
  const [background, code] = await Promise.all([
    loadPromptBackground(context, session, workspace),
    loadCode(context, session, workspace, workspace.base, claimedIssues(session)),
  ])
  return { ...background, ...code }
}

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
  const stages = planSessionStages(session.settings, claimedIssues(session))
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
