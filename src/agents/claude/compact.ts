// Compacts a conversation before a call goes on with it (S2-28): `/compact` in a run of its own, in which the CLI asks the model for a
// summary and puts it in the place of everything before. The CLI calls that a success however it went; only its status lines say
// what came of it, and it says nothing of the provider's refusals meanwhile. So it gets a part of the call's time and no more,
// and the call goes on with the conversation as it was if nothing came of it.
import type { AgentCall, CallRecord, CallResult } from '../agent-call.ts'
import { lessSpent, spentTogether } from '../model-fallback.ts'
import { oneLine } from '../provider/refusals.ts'
import { type ClaudeRan, runClaude } from './run-process.ts'

// Not through asPlainText, which would take the command for a text.
const COMPACT =
  '/compact Keep word for word what the next steps need: each issue with its code, file and what is wrong; each question with its answer; ' +
  'the plan for each issue and what was noted on it; conventions and notes; what was changed for which issue, in which files, and why; ' +
  'what reviewers and checks said about it. Leave out what files held that can be read again.'
const MOST_MS = 300_000

export interface Compacted {
  /** What is left to do: the same call, in the conversation as it is now. */
  readonly call: AgentCall
  /** The call with what the compaction added to it. */
  readonly withIt: (result: CallResult) => CallResult
}

/** A result where the call is over with it: there is no such conversation, or no such CLI. */
export async function compactFirst(call: AgentCall): Promise<Compacted | CallResult> {
  const { session, models, deadlineMs } = call
  const [model] = models
  if (session === undefined || 'id' in session || model === undefined) return { call, withIt: (result) => result }
  const started = performance.now()
  const ran = await runClaude(
    { ...call, schema: undefined, onProgress: () => undefined },
    {
      name: 'compact',
      model,
      session,
      input: COMPACT,
      deadlineMs: Math.min(deadlineMs / 2, MOST_MS),
      hasNextModel: false,
      costBefore: call.costSoFarUsd,
    },
  )
  const { result, run } = ran
  if (run.ended === 'not_found' || (result.kind === 'failed' && result.sessionGone)) return result
  tellUse(call, result.record)
  const left = { ...lessSpent(call, result.record), deadlineMs: deadlineMs - (performance.now() - started) }
  const done = compactionIn(ran)
  const { sessionId = session.resume, sessionCostUsd = call.costSoFarUsd } = result.record
  return {
    // A fork in which nothing came of it is left; without one, what was tried is part of the conversation all the same.
    call:
      done || !session.fork
        ? { ...left, session: { ...session, resume: sessionId }, costSoFarUsd: sessionCostUsd }
        : left,
    withIt: (rest) => ({ ...rest, record: together(result.record, rest.record, done ?? whyNot(ran)) }),
  }
}

/** The CLI says nothing of it before its end. */
function tellUse(
  { onProgress }: AgentCall,
  { inputTokens: input = 0, cachedTokens: cached = 0, outputTokens: output = 0, costUsd }: CallRecord,
): void {
  onProgress({ kind: 'used', usage: { input, cached, output }, costUsd })
}

/** In words; undefined where nothing came of it. */
function compactionIn({ stream, result }: ClaudeRan): string | undefined {
  const compaction = stream.compaction()
  if (compaction?.kind !== 'done' || stream.result() === undefined) return undefined
  const cost = result.record.costUsd === undefined ? '' : `, for $${result.record.costUsd.toFixed(4)}`
  return `the conversation was compacted first, from ${compaction.from} to ${compaction.to} tokens${cost}`
}

function whyNot({ stream, result }: ClaudeRan): string {
  const compaction = stream.compaction()
  const failure = result.kind === 'failed' ? result.failure.detail : result.text
  const why = compaction?.kind === 'failed' ? compaction.why : failure
  return `the conversation could not be compacted and goes on as it was: ${oneLine(why)}`
}

function together(compaction: CallRecord, call: CallRecord, note: string): CallRecord {
  return {
    ...call,
    ...spentTogether([compaction, call]),
    durationMs: compaction.durationMs + call.durationMs,
    notes: [note, ...call.notes],
  }
}
