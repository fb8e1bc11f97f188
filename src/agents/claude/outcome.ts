// From how the Claude CLI ended, and what it had said by then, to the outcome of the call. Its exit status says little (an
// interrupted tool: 0; out of credit: a "success" that is an error), so the result line decides where there is one.
import { tokensIn } from '../../domain/budget/prices.ts'
import type { RunResult } from '../../platform/processes/run-process.ts'
import type { AgentCall } from '../agent-call.ts'
import { howToInstall } from '../cli-version.ts'
import type { Judged } from '../model-fallback.ts'
import { endedFromOutside, failed, howItEnded, seconds, unusable } from '../provider/process-failure.ts'
import { oneLine, type RetryWatch } from '../provider/refusals.ts'
import { type ClaudeStream, refusalIn } from './stream.ts'
import type { ClaudeResult } from './stream-schema.ts'

export function claudeOutcome(run: RunResult, stream: ClaudeStream, watch: RetryWatch, call: AgentCall): Judged {
  if (run.ended === 'not_found')
    return failed({ class: 'infrastructure', lasting: true, detail: howToInstall(call.command, 'claude') })
  const stopped = stream.stopped()
  if (stopped) return failed(stopped.failure, stopped.tryNextModel)
  const result = stream.result()
  // Told to end it says what it cost, and calls that an error of its own.
  const isCut = result?.is_error !== false && (stream.isOver() || run.ended === 'deadline')
  if (result && !isCut) return fromResult(result, stream)
  if (stream.isOver())
    return overBudget(`it had used ${tokensIn(stream.used())} tokens of ${call.maxTokens} it might`, stream)
  if (run.ended === 'deadline') {
    const trouble = watch.trouble()
    // A CLI that was asking a provider again and again when its time ran out was not slow: it was refused.
    if (trouble) return failed(trouble.failure, trouble.tryNextModel)
    return failed({
      class: 'no_usable_work',
      reason: 'timeout',
      detail: `no answer within ${seconds(call.deadlineMs)}`,
    })
  }
  return withoutResult(run)
}

function fromResult(result: ClaudeResult, stream: ClaudeStream): Judged {
  const said = oneLine([result.result, ...result.errors].filter(Boolean).join(' ')) || result.subtype
  if (result.subtype === 'error_max_budget_usd') return overBudget(said, stream)
  if (result.subtype === 'error_max_structured_output_retries') return unusable('unreadable', said)
  if (/No conversation found/i.test(said)) {
    const failure = { class: 'infrastructure', detail: said } as const
    return { outcome: { kind: 'failed', failure, sessionGone: true }, tryNextModel: false }
  }
  if (!result.is_error && result.subtype === 'success') return answered(result, stream)
  if (result.api_error === 'max_output_tokens') return unusable('unreadable', said)
  if (result.terminal_reason === 'prompt_too_long') return unusable('crash', said)
  const refusal = refusalIn(result, stream.limitedUntil())
  if (refusal) return failed(refusal.failure, refusal.tryNextModel)
  return unusable('crash', said)
}

/** What came with the turn that passed the limit is paid for. */
function overBudget(detail: string, stream: ClaudeStream): Judged {
  const said = stream.lastWord()
  if (said === undefined) return failed({ class: 'budget', detail })
  return { outcome: { kind: 'answered', ...said }, tryNextModel: false }
}

function answered(result: ClaudeResult, stream: ClaudeStream): Judged {
  const text = stream.text()
  const structured = result.structured_output ?? undefined
  if (structured !== undefined) return { outcome: { kind: 'answered', text, structured }, tryNextModel: false }
  if (text.trim() === '') return unusable('empty', 'the answer was empty, asked twice')
  // Asked for a form, the model may still just talk; the text is read as leniently as any other.
  return { outcome: { kind: 'answered', text }, tryNextModel: false }
}

function withoutResult(run: RunResult): Judged {
  const how = howItEnded(run)
  if (endedFromOutside(run))
    return failed({ class: 'infrastructure', killed: true, detail: `claude was ended from outside: ${how}` })
  if (/unknown option|invalid.*argument|argument .* is invalid/i.test(run.stderr))
    return failed({
      class: 'infrastructure',
      lasting: true,
      detail: `this version of claude does not know our options: ${how}`,
    })
  return unusable('crash', `claude ended without a result: ${how}`)
}
