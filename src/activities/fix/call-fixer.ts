import type { Conversation } from '../../domain/protocol/index.ts'
import type { CallFailure } from '../../domain/session/failure.ts'
import type { FixReply } from '../../domain/stage/agent-replies.ts'
import type { Workspace } from '../../platform/git/workspace/object-store.ts'
import { resetWorkTree } from '../../platform/git/workspace/snapshot-and-reset.ts'
import { findLastConversation } from '../agent-call/agent-call.ts'
import { callWithRepair, listCallKeys } from '../agent-call/call-with-repair.ts'
import { callClaudeForSession } from '../agent-call/cli-call.ts'
import type { ActivityContext, Session } from '../context.ts'
import type { Heartbeat } from '../heartbeat.ts'
import { ensureTodoFiles } from '../plan/todo-files.ts'
import { buildFixPrompts, type FixPromptInput, remainingSteps } from './fixer-prompt-input.ts'

export interface FixerAnswer {
  readonly reply?: FixReply | undefined
  readonly failure?: CallFailure | undefined
}

export async function callFixer(
  context: ActivityContext,
  session: Session,
  workspace: Workspace,
  { input, start }: Omit<FixPromptInput, 'todo'>,
  heartbeat: Heartbeat,
): Promise<FixerAnswer> {
  const { stepId, batch, iteration, codes } = input
  const role = iteration === 1 ? 'fixer' : 're_fixer'
  const todo = batch.delegates ? await ensureTodoFiles(context, session, input.brief, remainingSteps(input)) : undefined
  const answer = await callWithRepair(
    context,
    session,
    {
      ...(await buildFixPrompts(context, session, workspace, { input, start, todo })),
      key: stepId,
      role,
      reply: 'fix',
      iteration,
      codes,
      deadlineMs: session.settings.claude.timeout_seconds * 1000,
      // A second go at the work is another round, with its own step id.
      startsOver: false,
      isWork: true,
      beforeCall: () => resetWorkTree(workspace, start.tree, { head: input.head, signal: heartbeat.signal }),
      run: (place, { isRepair, ...asked }) =>
        callClaudeForSession(context, session, {
          ...asked,
          role,
          place,
          cwd: workspace.tree,
          ...(isRepair ? {} : { kind: batch.kind, readableFolders: todo ? [todo.folder] : undefined }),
        }),
    },
    heartbeat,
  )
  return answer.kind === 'read' ? { reply: answer.value } : { failure: answer.failure }
}

/** The conversation as this step's fixer call left it; undefined if the call did not finish. */
export async function findFixConversation(
  context: ActivityContext,
  session: Session,
  stepId: string,
): Promise<Conversation | undefined> {
  return await findLastConversation(context, session.id, listCallKeys(stepId))
}
