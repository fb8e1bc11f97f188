// The fixer's call itself: from which tree it starts, what it may read besides, and what it says it did.

import type { Conversation } from '../../domain/protocol/index.ts'
import type { CallFailure } from '../../domain/session/failure.ts'
import type { FixReply } from '../../domain/stage/agent-replies.ts'
import type { Workspace } from '../../platform/git/workspace/object-store.ts'
import { resetTo } from '../../platform/git/workspace/snapshot-and-reset.ts'
import { conversationAfter } from '../agent-call/agent-call.ts'
import { askReadably, callsOf } from '../agent-call/call-with-repair.ts'
import { runClaude } from '../agent-call/cli-call.ts'
import type { Session, Workshop } from '../context.ts'
import type { Beat } from '../heartbeat.ts'
import { ensureTodo } from '../plan/todo-files.ts'
import { type Fixing, fixPrompts, stepsOf } from './fixer-prompt-input.ts'

export interface Fixed {
  readonly reply?: FixReply | undefined
  readonly failure?: CallFailure | undefined
}

export async function askFixer(
  shop: Workshop,
  session: Session,
  workspace: Workspace,
  { input, start }: Omit<Fixing, 'todo'>,
  beat: Beat,
): Promise<Fixed> {
  const { call, batch, iteration, codes } = input
  const role = iteration === 1 ? 'fixer' : 're_fixer'
  const todo = batch.delegates ? await ensureTodo(shop, session, input.brief, stepsOf(input)) : undefined
  const answer = await askReadably(
    shop,
    session,
    {
      ...(await fixPrompts(shop, session, workspace, { input, start, todo })),
      key: call,
      role,
      reply: 'fix',
      iteration,
      codes,
      deadlineMs: session.settings.claude.timeout_seconds * 1000,
      // Another go at the work itself is another attempt, with its own place in the session.
      twice: false,
      about: codes.join(', '),
      isWork: true,
      before: () => resetTo(workspace, start.tree, { head: input.head, signal: beat.signal }),
      run: (place, { isRepair, ...asked }) =>
        runClaude(shop, session, {
          ...asked,
          role,
          place,
          cwd: workspace.tree,
          ...(isRepair ? {} : { kind: batch.kind, readableFolders: todo ? [todo.folder] : undefined }),
        }),
    },
    beat,
  )
  return answer.kind === 'read' ? { reply: answer.value } : { failure: answer.failure }
}

/** As the fixer's call of that name left it; undefined where that call was not completed. */
export async function conversationOfFix(
  shop: Workshop,
  session: Session,
  call: string,
): Promise<Conversation | undefined> {
  return await conversationAfter(shop, session.id, callsOf(call))
}
