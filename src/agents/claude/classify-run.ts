// Classifies how a run of the Claude CLI ended. Its exit status says little (an interrupted tool: 0; out of credit: a "success" that is
// an error), so the result line decides if there is one.
import { countTokens } from '../../domain/budget/prices.ts'
import type { RunResult } from '../../platform/processes/run-process.ts'
import { installHint } from '../cli-version.ts'
import type { ModelOutcome } from '../model-fallback.ts'
import { type RetryWatch, summarizeOnOneLine } from '../provider/classify-api-error.ts'
import {
  describeExit,
  failedOutcome,
  formatSeconds,
  unusableOutcome,
  wasKilledExternally,
} from '../provider/process-failure.ts'
import type { AgentCall } from '../provider-contract.ts'
import { type ClaudeStream, classifyResultError } from './read-stream.ts'
import type { ClaudeResult } from './stream-schema.ts'

export function classifyClaudeRun(
  run: RunResult,
  stream: ClaudeStream,
  watch: RetryWatch,
  call: AgentCall,
): ModelOutcome {
  if (run.ended === 'not_found')
    return failedOutcome({ class: 'infrastructure', lasting: true, detail: installHint(call.command, 'claude') })
  const stopped = stream.stopError()
  if (stopped) return failedOutcome(stopped.failure, stopped.tryNextModel)
  const result = stream.result()
  // A CLI that is asked to end reports its cost, and calls the end an error of its own.
  const isCut = result?.is_error !== false && (stream.isOverBudget() || run.ended === 'deadline')
  if (result && !isCut) return classifyResult(result, stream)
  if (stream.isOverBudget())
    return budgetOutcome(`it had used ${countTokens(stream.usage())} tokens of ${call.maxTokens} it might`, stream)
  if (run.ended === 'deadline') {
    const apiError = watch.currentError()
    // A CLI that was still retrying when its time ran out was not slow: it was refused.
    if (apiError) return failedOutcome(apiError.failure, apiError.tryNextModel)
    return failedOutcome({
      class: 'no_usable_work',
      reason: 'timeout',
      detail: `no answer within ${formatSeconds(call.deadlineMs)}`,
    })
  }
  return classifyMissingResult(run)
}

function classifyResult(result: ClaudeResult, stream: ClaudeStream): ModelOutcome {
  const text = summarizeOnOneLine([result.result, ...result.errors].filter(Boolean).join(' ')) || result.subtype
  if (result.subtype === 'error_max_budget_usd') return budgetOutcome(text, stream)
  if (result.subtype === 'error_max_structured_output_retries') return unusableOutcome('unreadable', text)
  if (/No conversation found/i.test(text)) {
    const failure = { class: 'infrastructure', detail: text } as const
    return { outcome: { kind: 'failed', failure, conversationGone: true }, tryNextModel: false }
  }
  if (!result.is_error && result.subtype === 'success') return answeredOutcome(result, stream)
  if (result.api_error === 'max_output_tokens') return unusableOutcome('unreadable', text)
  if (result.terminal_reason === 'prompt_too_long') return unusableOutcome('crash', text)
  const apiError = classifyResultError(result, stream.limitedUntil())
  if (apiError) return failedOutcome(apiError.failure, apiError.tryNextModel)
  return unusableOutcome('crash', text)
}

/** An answer in the turn that passed the limit counts: it is paid for. */
function budgetOutcome(detail: string, stream: ClaudeStream): ModelOutcome {
  const text = stream.finalAnswer()
  if (text === undefined) return failedOutcome({ class: 'budget', detail })
  return { outcome: { kind: 'answered', ...text }, tryNextModel: false }
}

function answeredOutcome(result: ClaudeResult, stream: ClaudeStream): ModelOutcome {
  const text = stream.text()
  const structured = result.structured_output ?? undefined
  if (structured !== undefined) return { outcome: { kind: 'answered', text, structured }, tryNextModel: false }
  if (text.trim() === '') return unusableOutcome('empty', 'the answer was empty, asked twice')
  // A model that was given a schema may still answer in prose. The text is read as leniently as any other.
  return { outcome: { kind: 'answered', text }, tryNextModel: false }
}

function classifyMissingResult(run: RunResult): ModelOutcome {
  const how = describeExit(run)
  if (wasKilledExternally(run))
    return failedOutcome({ class: 'infrastructure', killed: true, detail: `claude was ended from outside: ${how}` })
  if (/unknown option|invalid.*argument|argument .* is invalid/i.test(run.stderr))
    return failedOutcome({
      class: 'infrastructure',
      lasting: true,
      detail: `this version of claude does not know our options: ${how}`,
    })
  return unusableOutcome('crash', `claude ended without a result: ${how}`)
}
