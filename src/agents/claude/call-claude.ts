// Runs one agent call of Claude over its chain of models, in a new, resumed or forked conversation. The next model goes on with what the
// one before it had begun.
import { randomUUID } from 'node:crypto'
import type { AgentCall, CallResult } from '../agent-call.ts'
import { type ModelAttempt, type ModelAttemptResult, remainingBudget, tryModels } from '../model-fallback.ts'
import { escapeSlashCommand } from '../prompts/escape-slash-command.ts'
import type { ClaudeConversation } from './arguments.ts'
import { compactConversation } from './compact.ts'
import { runClaudeProcess } from './run-claude.ts'

const CONTINUE_PROMPT =
  'The model that worked on this was interrupted. Go on from where it stopped, finish what is left of the task above, and give the whole answer in the form that was asked for.'

export async function callClaude(call: AgentCall): Promise<CallResult> {
  if (!call.compactFirst) return await runModels(call)
  const compacted = await compactConversation(call)
  return 'call' in compacted ? compacted.addCompaction(await runModels(compacted.call)) : compacted
}

async function runModels(call: AgentCall): Promise<CallResult> {
  return await tryModels(call, async (attempt) => {
    const started = await runAttempt(call, attempt, chooseConversation(call, attempt))
    if (!started.idInUse) return started
    // An attempt that nobody remembers used this id. Its conversation can't be trusted, so a new one begins.
    const id = randomUUID()
    const again = await runAttempt(call, { ...attempt, nth: attempt.nth + 0.5 }, { id })
    const note = `the session id was in use already; the conversation has the new id ${id}`
    return {
      ...again,
      result: { ...again.result, report: { ...again.result.report, notes: [note, ...again.result.report.notes] } },
    }
  })
}

function chooseConversation(call: AgentCall, { previous }: ModelAttempt): ClaudeConversation {
  const session = call.conversation ?? { id: randomUUID() }
  const begunAs = previous?.hasBegun ? previous.result.report.conversationId : undefined
  if (begunAs !== undefined) return { resume: begunAs, fork: false }
  return previous && 'id' in session ? { id: randomUUID() } : session
}

async function runAttempt(
  call: AgentCall,
  { model, nth, deadlineMs, hasNextModel, previous, spent }: ModelAttempt,
  session: ClaudeConversation,
): Promise<ModelAttemptResult & { readonly idInUse: boolean }> {
  const goesOn = previous?.hasBegun === true
  const { result, tryNextModel, stream, run } = await runClaudeProcess(remainingBudget(call, spent), {
    name: `${nth}`,
    model,
    session,
    input: goesOn ? CONTINUE_PROMPT : escapeSlashCommand(call.prompt),
    deadlineMs,
    hasNextModel,
    costBefore: goesOn ? previous.result.report.conversationCostUsd : call.conversationCostUsd,
  })
  return {
    result,
    tryNextModel,
    hasBegun: stream.hasBegun(),
    idInUse: 'id' in session && /already in use/i.test(run.stderr) && stream.result() === undefined,
  }
}
