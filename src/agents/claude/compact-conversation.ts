// Compacts a conversation before a call resumes it (S2-28): `/compact`, in a run of its own, replaces everything before by a summary. If
// that fails, the call goes on with the conversation as it was.

import { remainingBudget, sumCallUsage } from '../model-fallback.ts'
import { summarizeOnOneLine } from '../provider/classify-api-error.ts'
import type { AgentCall, CallResult, CliCallReport } from '../provider-contract.ts'
import { type ClaudeRunResult, callClaude, runClaudeProcess } from './call-claude.ts'

// Not passed through escapeSlashCommand, which would turn the command into a text.
const COMPACT_PROMPT =
  '/compact Keep word for word what the next steps need: each issue with its code, file and what is wrong; each question with its answer; ' +
  'the plan for each issue and what was noted on it; conventions and notes; what was changed for which issue, in which files, and why; ' +
  'what reviewers and checks said about it. Leave out what files held that can be read again.'
// The CLI reports no errors of the provider's API while it compacts, so compaction gets only a part of the call's time.
const MAX_COMPACT_MS = 300_000

interface CompactedCall {
  /** The rest of the call, in the conversation as it is now. */
  readonly call: AgentCall
  /** Adds the compaction's use to the result of the call. */
  readonly addCompaction: (result: CallResult) => CallResult
}

/** Compacts the conversation that the call resumes, once, then makes the call. A failure of that is noted and costs nothing else. */
export async function compactAndCallClaude(call: AgentCall): Promise<CallResult> {
  const compacted = await compactConversation(call)
  return 'call' in compacted ? compacted.addCompaction(await callClaude(compacted.call)) : compacted
}

/** Returns a result if that ends the call: there is no such conversation, or no such CLI. */
async function compactConversation(call: AgentCall): Promise<CompactedCall | CallResult> {
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
    // A fork that could not be compacted is dropped. Without a fork, the attempt is part of the conversation all the same.
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

/** The CLI does not report the use of a compaction before its end. */
function reportUsage(
  { onProgress }: AgentCall,
  { inputTokens: input = 0, cachedTokens: cached = 0, outputTokens: output = 0, costUsd }: CliCallReport,
): void {
  onProgress({ kind: 'used', usage: { input, cached, output }, costUsd })
}

/** Undefined if nothing was compacted. The CLI always reports success; only its status lines say what happened. */
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
