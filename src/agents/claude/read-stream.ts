// Reads the lines of `claude --output-format stream-json`: the last result, the whole answer, the conversation's id, and errors of the
// API. A result is not the end while sub-agents work: their reports make the model answer again, and the last answer counts.
import { computeCost, countTokens, type Price, type TokenUsage } from '../../domain/budget/prices.ts'
import type { LineVerdict } from '../../platform/processes/supervise-process.ts'
import {
  type ClassifiedApiError,
  classifyApiError,
  NOT_REACHED,
  type RetryWatch,
  summarizeOnOneLine,
} from '../provider/classify-api-error.ts'
import { type Progress, toToolUse } from '../provider-contract.ts'
import { type ClaudeLine, ClaudeResult, getContentBlocks, getMessage, parseClaudeLine } from './stream-schema.ts'
import { type Compaction, createTokenCounter } from './token-usage.ts'

export interface ClaudeStream {
  readonly onLine: (line: string) => LineVerdict
  /** The last result: sub-agents in the background make the CLI print several. */
  readonly result: () => ClaudeResult | undefined
  readonly usage: () => TokenUsage
  /** The run was ended because it exceeded its token limit. */
  readonly isOverBudget: () => boolean
  readonly contextTokens: () => number | undefined
  readonly compaction: () => Compaction | undefined
  /** The answer, put together if the model wrote it in several pieces. */
  readonly text: () => string
  /** The newest answer, if no further step follows it: when the CLI hits its budget it drops the answer of that turn. */
  readonly finalAnswer: () => { readonly text: string; readonly structured?: unknown } | undefined
  /** The newest id of a conversation that exists. The CLI also reports an id for one that can't be resumed. */
  readonly conversationId: () => string | undefined
  /** The API's error for which the adapter ended the process early. */
  readonly stopError: () => ClassifiedApiError | undefined
  readonly hasBegun: () => boolean
  readonly limitedUntil: () => number | undefined
  readonly notes: () => readonly string[]
}

// When an answer reaches the greatest length, the CLI asks the model to go on, and calls the last piece the result.
const CONTINUED = /^Output token limit hit/
const LONG_ANSWER_NOTE = 'the answer reached the longest length and was put together from its pieces'
const MAX_REFUSAL_NOTES = 5
/** The tool by which the CLI hands over a structured answer. */
export const ANSWER_TOOL = 'StructuredOutput'

export function readClaudeStream(options: {
  readonly watch: RetryWatch
  readonly onProgress: (progress: Progress) => void
  readonly model: string
  /** Signed in without a key: the CLI may answer one 401 by renewing its token. */
  readonly mayRenewToken: boolean
  readonly maxTokens?: number | undefined
  readonly price?: Price | undefined
}): ClaudeStream {
  const { watch, onProgress, maxTokens = Number.POSITIVE_INFINITY, price } = options
  const notes = new Set<string>()
  const tally = createTokenCounter()
  const subAgents = new Set<string>()
  let result: ClaudeResult | undefined
  let pieces: string[] = []
  let goesOn = false
  let sessionId: string | undefined
  let stopped: ClassifiedApiError | undefined
  let begun = false
  let limitedUntil: number | undefined
  let refusedKeys = 0
  let lastWord: { readonly text: string; readonly structured?: unknown } | undefined
  let lastMessageId: string | undefined
  /** The id of the answer that passed the limit. */
  let passedIn: string | undefined
  let isOver = false

  function onLine(text: string): LineVerdict {
    const read = parseClaudeLine(text)
    if (!read) return undefined
    const { line, json } = read
    if (line.type !== 'result') sessionId = line.session_id ?? sessionId
    switch (line.type) {
      case 'system':
        return onSystem(line)
      case 'rate_limit_event':
        if (line.rate_limit_info?.status === 'rejected' && line.rate_limit_info.resetsAt)
          limitedUntil = line.rate_limit_info.resetsAt * 1_000
        return undefined
      case 'assistant':
        onAnswer(line)
        return line.is_api_error_message ? undefined : onUse(line)
      case 'user':
        onUserTurn(line)
        return undefined
      case 'result':
        return onResult(json)
      default:
        return undefined
    }
  }

  function onSystem(line: ClaudeLine): LineVerdict {
    switch (line.subtype) {
      case 'init':
        // Every turn begins with one, even a turn that nobody asked for: a sub-agent has reported.
        goesOn = false
        onProgress({ kind: 'started', model: options.model, sessionId })
        return undefined
      case 'api_retry':
        return onRetry(line)
      case 'task_started':
        if (line.task_type === 'local_agent' && line.task_id !== undefined) subAgents.add(line.task_id)
        return undefined
      case 'task_notification':
        if (line.task_id !== undefined) subAgents.delete(line.task_id)
        return undefined
      case 'permission_denied':
        if (typeof line.message === 'string' && notes.size < MAX_REFUSAL_NOTES)
          notes.add(`refused: ${summarizeOnOneLine(line.message)}`)
        return undefined
      default:
        tally.recordCompaction(line)
        return undefined
    }
  }

  function onRetry(line: ClaudeLine): LineVerdict {
    const status = line.error_status ?? undefined
    const delayMs = line.retry_delay_ms ?? undefined
    // The CLI says no more than `unknown` about a failed connection.
    const error = status === undefined && line.error === 'unknown' ? undefined : line.error
    const detail = `${error ?? NOT_REACHED}${status === undefined ? '' : ` (${status})`}`
    onProgress({ kind: 'retry', status, delayMs, detail })
    const giveUp = watch.recordRetry({ status, delayMs, detail })
    if (status === 401) refusedKeys += 1
    if (!giveUp || (status === 401 && options.mayRenewToken && refusedKeys < 2)) return undefined
    stopped = watch.currentError()
    return 'stop'
  }

  function onAnswer(line: ClaudeLine): void {
    if (line.is_api_error_message || line.parent_tool_use_id) {
      if (!line.is_api_error_message) showBlocks(line)
      return
    }
    watch.recordProgress()
    begun = true
    tally.recordAnswer(line)
    if (!goesOn) pieces = []
    goesOn = true
    showBlocks(line)
    pieces.push(...getContentBlocks(line).flatMap((block) => (block.type === 'text' ? [block.text ?? ''] : [])))
    noteLastWord(line)
  }

  function noteLastWord(line: ClaudeLine): void {
    const uses = getContentBlocks(line).filter(({ type }) => type === 'tool_use')
    const answer = uses.find(({ name }) => name === ANSWER_TOOL)
    if (answer) lastWord = { text: pieces.join(''), structured: answer.input }
    else if (uses.length > 0) lastWord = undefined
    else if (pieces.join('').trim() !== '') lastWord = { text: pieces.join('') }
  }

  /** Reports the use, and ends a run that would go on beyond its limit. A last answer without further steps may still come. */
  function onUse(line: ClaudeLine): LineVerdict {
    tally.recordUsage(line)
    const usage = tally.usage()
    const id = getMessage(line)?.id
    if (id !== lastMessageId) onProgress({ kind: 'used', usage, costUsd: computeCost(usage, price) })
    lastMessageId = id
    if (countTokens(usage) <= maxTokens) return undefined
    passedIn ??= id ?? ''
    const goesOn = getContentBlocks(line).some(({ type, name }) => type === 'tool_use' && name !== ANSWER_TOOL)
    if (!goesOn && passedIn === (id ?? '')) return undefined
    isOver = true
    return 'end'
  }

  function showBlocks(line: ClaudeLine): void {
    for (const block of getContentBlocks(line)) {
      if (block.type === 'text' && block.text && !line.parent_tool_use_id)
        onProgress({ kind: 'text', text: block.text })
      if (block.type !== 'tool_use' || block.name === undefined) continue
      onProgress(toToolUse(block.name, block.input))
    }
  }

  function onUserTurn(line: ClaudeLine): void {
    if (line.parent_tool_use_id) return
    goesOn = line.isSynthetic === true && getContentBlocks(line).some((block) => CONTINUED.test(block.text ?? ''))
    if (goesOn) notes.add(LONG_ANSWER_NOTE)
  }

  function onResult(json: unknown): LineVerdict {
    const parsed = ClaudeResult.safeParse(json)
    if (!parsed.success) return undefined
    result = parsed.data
    tally.recordResult(result)
    return result.queued_turn_count > 0 || subAgents.size > 0 ? undefined : 'finish'
  }

  return {
    onLine,
    result: () => result,
    usage: tally.usage,
    isOverBudget: () => isOver,
    finalAnswer: () => lastWord,
    contextTokens: tally.contextTokens,
    compaction: tally.compaction,
    text: () => (pieces.length > 1 ? pieces.join('') : (result?.result ?? pieces.join(''))),
    conversationId: () => sessionId,
    stopError: () => stopped,
    hasBegun: () => begun,
    limitedUntil: () => limitedUntil,
    notes: () => [...notes],
  }
}

/** Undefined if the error is not the provider's doing. */
export function classifyResultError(
  result: ClaudeResult,
  limitedUntil: number | undefined,
): ClassifiedApiError | undefined {
  const text = [result.result, ...result.errors].join(' ')
  const apiError = classifyApiError(result.api_error_status ?? undefined, text)
  if (apiError?.failure.class !== 'limit' || limitedUntil === undefined) return apiError
  return { ...apiError, failure: { ...apiError.failure, reason: 'usage_limit', until: limitedUntil } }
}
