// One call of the Claude CLI over its chain of models, in a conversation that begins, goes on, or forks from another one. The next model
// goes on with what the one before it had begun.
import { randomUUID } from 'node:crypto'
import type { AgentCall, CallResult } from '../agent-call.ts'
import { type Attempt, type AttemptResult, alongChain, lessSpent } from '../model-fallback.ts'
import { asPlainText } from '../prompts/escape-slash-command.ts'
import type { Conversation } from './arguments.ts'
import { compactFirst } from './compact.ts'
import { runClaude } from './run-process.ts'

const GO_ON =
  'The model that worked on this was interrupted. Go on from where it stopped, finish what is left of the task above, and give the whole answer in the form that was asked for.'

export async function callClaude(call: AgentCall): Promise<CallResult> {
  if (!call.compactFirst) return await converse(call)
  const compacted = await compactFirst(call)
  return 'call' in compacted ? compacted.withIt(await converse(compacted.call)) : compacted
}

async function converse(call: AgentCall): Promise<CallResult> {
  return await alongChain(call, async (attempt) => {
    const started = await start(call, attempt, conversation(call, attempt))
    if (!started.idInUse) return started
    // The id was used by an attempt that nobody remembers: its conversation is not believed, a new one begins.
    const id = randomUUID()
    const again = await start(call, { ...attempt, nth: attempt.nth + 0.5 }, { id })
    const note = `the session id was in use already; the conversation has the new id ${id}`
    return {
      ...again,
      result: { ...again.result, record: { ...again.result.record, notes: [note, ...again.result.record.notes] } },
    }
  })
}

/** Where the conversation of an attempt begins. */
function conversation(call: AgentCall, { previous }: Attempt): Conversation {
  const session = call.session ?? { id: randomUUID() }
  const begunAs = previous?.begun ? previous.result.record.sessionId : undefined
  if (begunAs !== undefined) return { resume: begunAs, fork: false }
  return previous && 'id' in session ? { id: randomUUID() } : session
}

async function start(
  call: AgentCall,
  { model, nth, deadlineMs, hasNextModel, previous, spent }: Attempt,
  session: Conversation,
): Promise<AttemptResult & { readonly idInUse: boolean }> {
  const goesOn = previous?.begun === true
  const { result, tryNextModel, stream, run } = await runClaude(lessSpent(call, spent), {
    name: `${nth}`,
    model,
    session,
    input: goesOn ? GO_ON : asPlainText(call.prompt),
    deadlineMs,
    hasNextModel,
    costBefore: goesOn ? previous.result.record.sessionCostUsd : call.costSoFarUsd,
  })
  return {
    result,
    tryNextModel,
    begun: stream.begun(),
    idInUse: 'id' in session && /already in use/i.test(run.stderr) && stream.result() === undefined,
  }
}
