// What clarifier and planner are told: all of it at the beginning of their conversation, later only what is new.
import { clarifyPrompt, planPrompt } from '../../agents/prompts/prompts.ts'
import type { Code } from '../../agents/prompts/render.ts'
import type { Answered } from '../../domain/people/validate-messages.ts'
import type { Clarification } from '../../domain/plan/brief.ts'
import { stagesOf } from '../../domain/plan/plan-stages.ts'
import type { Workspace } from '../../platform/git/workspace/object-store.ts'
import { blockId } from '../agent-call/agent-call.ts'
import { type Background, backgroundOf, frameOf } from '../agent-call/prompt-background.ts'
import { codeOf } from '../agent-call/source-excerpts.ts'
import { type Session, todoOf, type Workshop } from '../context.ts'

/** What a conversation holds from its first prompt on. */
export type Context = Background & Code

export async function wholeContext(
  shop: Workshop,
  session: Session,
  workspace: Pick<Workspace, 'gitDir' | 'base'>,
): Promise<Context> {
  const [background, code] = await Promise.all([
    backgroundOf(shop, session, workspace),
    codeOf(shop, session, workspace, workspace.base, todoOf(session)),
  ])
  return { ...background, ...code }
}

interface Talking {
  readonly call: string
  readonly iteration: number
  /** Absent where the conversation goes on. */
  readonly context?: Context | undefined
}

export function clarifierPrompt(
  { agents }: Pick<Workshop, 'agents'>,
  session: Session,
  { known, ...talking }: Talking & { readonly known: readonly Answered[] },
): string {
  return clarifyPrompt(agents, {
    ...common(session, talking),
    known: known.map(({ id, code, question, answer }) => ({ id, issue_code: code, question, answer })),
  })
}

export function plannerPrompt(
  { agents }: Pick<Workshop, 'agents'>,
  session: Session,
  {
    clarifications,
    rejected,
    ...talking
  }: Talking & { readonly clarifications: readonly Clarification[]; readonly rejected?: string | undefined },
): string {
  const stages = stagesOf(session.settings, todoOf(session))
  return planPrompt(agents, {
    ...common(session, talking),
    steps: stages.flatMap(({ batches }) => batches.flatMap(({ steps }) => steps)),
    clarifications,
    rejected,
  })
}

function common(session: Session, { call, iteration, context }: Talking) {
  return {
    blockId: blockId(),
    call,
    iteration,
    ...frameOf(session),
    issues: todoOf(session),
    notes: session.record.user_notes,
    ...(context ?? { resuming: true }),
  }
}
