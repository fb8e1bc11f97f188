// Compacts a conversation before a call goes on with it (S2-28): `/compact` in a run of its own, in which the CLI asks the model for a
// summary and puts it in the place of everything before. The CLI calls that a success however it went; only its status lines say
// what came of it, and it says nothing of the provider's refusals meanwhile. So it gets a part of the call's time and no more,
// and the call goes on with the conversation as it was if nothing came of it.
import type { AgentCall, CallResult, CliCallReport } from '../agent-call.ts'
import { remainingBudget, sumCallUsage } from '../model-fallback.ts'
import { summarizeOnOneLine } from '../provider/refusals.ts'
import { type ClaudeRunResult, runClaudeProcess } from './run-process.ts'

// Not through escapeSlashCommand, which would take the command for a text.
const COMPACT_PROMPT =
  '/compact Keep word for word what the next steps need: each issue with its code, file and what is wrong; each question with its answer; ' +
  'the plan for each issue and what was noted on it; conventions and notes; what was changed for which issue, in which files, and why; ' +
  'what reviewers and checks said about it. Leave out what files held that can be read again.'
const MAX_COMPACT_MS = 300_000

export interface CompactedCall {
  /** What is left to do: the same call, in the conversation as it is now. */
  readonly call: AgentCall
  /** The call with what the compaction added to it. */
  readonly addCompaction: (result: CallResult) => CallResult
}

/** A result where the call is over with it: there is no such conversation, or no such CLI. */
export async function compactConversation(call: AgentCall): Promise<CompactedCall | CallResult> {
  const { conversation, models, deadlineMs } = call
  const [model] = models
  if (conversation === undefined || 'id' in conversation || model === undefined)
    return { call, addCompaction: (result) => result }
  const started = performance.now()
  const ran = await runClaudeProcess(
    { ...call, schema: undefined, onProgress: () => undefined },
    {
      name: 'compact',
      model,
      session: conversation,
      input: COMPACT_PROMPT,
      deadlineMs: Math.min(deadlineMs / 2, MAX_COMPACT_MS),
      hasNextModel: false,
      costBefore: call.conversationCostUsd,
    },
  )
  const { result, run } = ran
  if (run.ended === 'not_found' || (result.kind === 'failed' && result.conversationGone)) return result
  reportUsage(call, result.report)
  const left = { ...remainingBudget(call, result.report), deadlineMs: deadlineMs - (performance.now() - started) }
  const done = describeCompaction(ran)
  const { conversationId = conversation.resume, conversationCostUsd = call.conversationCostUsd } = result.report
  return {
    // A fork in which nothing came of it is left; without one, what was tried is part of the conversation all the same.
    call:
      done || !conversation.fork
        ? { ...left, conversation: { ...conversation, resume: conversationId }, conversationCostUsd }
        : left,
    addCompaction: (rest) => ({
      ...rest,
      report: mergeCompaction(result.report, rest.report, done ?? describeCompactFailure(ran)),
    }),
  }
}

/** The CLI says nothing of it before its end. */
function reportUsage(
  { onProgress }: AgentCall,
  { inputTokens: input = 0, cachedTokens: cached = 0, outputTokens: output = 0, costUsd }: CliCallReport,
): void {
  onProgress({ kind: 'used', usage: { input, cached, output }, costUsd })
}

/** In words; undefined where nothing came of it. */
function describeCompaction({ stream, result }: ClaudeRunResult): string | undefined {
  const compaction = stream.compaction()
  if (compaction?.kind !== 'done' || stream.result() === undefined) return undefined
  const cost = result.report.costUsd === undefined ? '' : `, for $${result.report.costUsd.toFixed(4)}`
  return `the conversation was compacted first, from ${compaction.from} to ${compaction.to} tokens${cost}`
}

function describeCompactFailure({ stream, result }: ClaudeRunResult): string {
  const compaction = stream.compaction()
  const failure = result.kind === 'failed' ? result.failure.detail : result.text
  const why = compaction?.kind === 'failed' ? compaction.why : failure
  return `the conversation could not be compacted and goes on as it was: ${summarizeOnOneLine(why)}`
}

function mergeCompaction(compaction: CliCallReport, call: CliCallReport, note: string): CliCallReport {
  return {
    ...call,
    ...sumCallUsage([compaction, call]),
    durationMs: compaction.durationMs + call.durationMs,
    notes: [note, ...call.notes],
  }
}
