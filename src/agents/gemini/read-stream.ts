// Reads the lines of `gemini --output-format stream-json`, and the notices of retries on standard error. In this form an answer of any
// length comes whole through a pipe; `json` is cut at 64 KB, with status 0.

import { z } from 'zod'
import { computeCost, type Price, type TokenUsage } from '../../domain/budget/prices.ts'
import { parseJsonIfValid } from '../../domain/text/parse-json.ts'
import type { LineVerdict } from '../../platform/processes/supervise-process.ts'
import {
  type ClassifiedApiError,
  isNetworkError,
  NOT_REACHED,
  type RetryWatch,
} from '../provider/classify-api-error.ts'
import { type Progress, toToolUse } from '../provider-contract.ts'

const GeminiLine = z.looseObject({
  type: z.string(),
  session_id: z.string().optional(),
  role: z.string().optional(),
  content: z.string().optional(),
  tool_name: z.string().optional(),
  parameters: z.record(z.string(), z.unknown()).optional(),
  message: z.string().optional(),
})

const Stats = z.looseObject({
  total_tokens: z.number().optional(),
  input_tokens: z.number().optional(),
  output_tokens: z.number().optional(),
  cached: z.number().optional(),
})
type Stats = z.infer<typeof Stats>

export const GeminiResult = z.looseObject({
  status: z.string(),
  error: z.looseObject({ type: z.string().optional(), message: z.string().default('') }).optional(),
  stats: z
    .looseObject({
      ...Stats.shape,
      models: z.record(z.string(), Stats.catch({})).default({}),
    })
    .optional(),
})
export type GeminiResult = z.infer<typeof GeminiResult>

const FIRST_WAIT_MS = 5_000
const CHARACTERS_A_TOKEN = 4
/** The CLI's own words with each request. A test compares this with the use that the CLI reports for a whole call. */
const CLI_PROMPT_TOKENS = 4_500

export interface GeminiStream {
  readonly onLine: (line: string) => LineVerdict
  readonly onErrorLine: (line: string) => LineVerdict
  readonly result: () => GeminiResult | undefined
  /** The text after the last use of a tool; if that is empty, the text before it. */
  readonly text: () => string
  /** Warnings and errors that the CLI reports before it calls its end a success. */
  readonly complaints: () => readonly string[]
  readonly conversationId: () => string | undefined
  readonly stopError: () => ClassifiedApiError | undefined
  readonly turns: () => number
  /** The run was ended because it exceeded its limit, as far as that can be known. */
  readonly isOverBudget: () => boolean
  /** An estimate: the CLI reports its use only with its result. */
  readonly usage: () => TokenUsage
}

export function readGeminiStream(options: {
  readonly watch: RetryWatch
  readonly onProgress: (progress: Progress) => void
  readonly model: string
  readonly promptLength: number
  readonly price?: Price | undefined
  /** Whether this use exceeds the limits. */
  readonly isTooMuch?: ((usage: TokenUsage) => boolean) | undefined
}): GeminiStream {
  const { watch, onProgress, promptLength, price, isTooMuch } = options
  const complaints: string[] = []
  let result: GeminiResult | undefined
  let pieces: string[] = []
  let beforeTool = ''
  let sessionId: string | undefined
  let stopped: ClassifiedApiError | undefined
  let turns = 0
  let inTurn = false
  let attempt = ''
  /** In characters. Each turn reads the prompt and everything written before it. */
  let [read, written] = [0, 0]
  let isOver = false

  function onLine(text: string): LineVerdict {
    const json = parseJsonIfValid(text)
    const parsed = GeminiLine.safeParse(json)
    if (!parsed.success) return undefined
    const line = parsed.data
    switch (line.type) {
      case 'init':
        sessionId = line.session_id
        onProgress({ kind: 'started', model: options.model, sessionId })
        return undefined
      case 'message':
        if (line.role === 'assistant' && line.content) onText(line.content)
        return undefined
      case 'tool_use':
        onTool(line)
        // Another turn follows at once and reads everything again. The CLI would still run that turn on TERM.
        isOver = isTooMuch?.(used()) === true
        return isOver ? 'kill' : undefined
      case 'tool_result':
        inTurn = false
        return undefined
      case 'error':
        if (line.message) complaints.push(line.message)
        return undefined
      case 'result':
        result = GeminiResult.safeParse(json).data
        return 'finish'
      default:
        return undefined
    }
  }

  function newTurn(): void {
    watch.recordProgress()
    if (inTurn) return
    turns += 1
    read += promptLength + written
    inTurn = true
    onProgress({ kind: 'used', usage: used(), costUsd: computeCost(used(), price) })
  }

  function used(): TokenUsage {
    const input = turns * CLI_PROMPT_TOKENS + Math.ceil(read / CHARACTERS_A_TOKEN)
    return { input, cached: 0, output: Math.ceil(written / CHARACTERS_A_TOKEN) }
  }

  function onText(text: string): void {
    newTurn()
    pieces.push(text)
    written += text.length
    onProgress({ kind: 'text', text, isPiece: true })
  }

  function onTool(line: z.infer<typeof GeminiLine>): void {
    newTurn()
    beforeTool = pieces.join('') || beforeTool
    pieces = []
    written += JSON.stringify(line.parameters ?? {}).length
    onProgress(toToolUse(line.tool_name ?? '', line.parameters))
  }

  /** Matches "Attempt 1 failed with status 503. Retrying with backoff…" and "Attempt 1 failed: (lines) Retrying after 5926ms...". */
  function onErrorLine(line: string): LineVerdict {
    if (/^Attempt \d+ failed/.test(line)) attempt = ''
    else if (attempt === '') return undefined
    attempt += `${line}\n`
    if (attempt.length > 4_000) attempt = ''
    const [, after, unit] = /Retrying (?:after (\d+)(ms|s)|with backoff)/.exec(attempt) ?? []
    if (!/Retrying (?:after|with backoff)/.test(attempt)) return undefined
    const text = attempt
    attempt = ''
    // If it names no wait, the CLI waits 5 s, 10 s, 20 s …
    const nth = Number(/^Attempt (\d+)/.exec(text)?.[1] ?? 1)
    return onRetry(
      text,
      after === undefined ? FIRST_WAIT_MS * 2 ** (nth - 1) : Number(after) * (unit === 's' ? 1_000 : 1),
    )
  }

  function onRetry(text: string, delayMs: number): LineVerdict {
    const spelled = /with status (\d{3})|"code":\s*(\d{3})/.exec(text)
    // The CLI retries on 429, 499, 5xx and where no answer came. A text without a status is a quota's, or names the network's error.
    const named = spelled?.[1] ?? spelled?.[2]
    const status = named !== undefined ? Number(named) : isNetworkError(text) ? undefined : 429
    const detail = text
      .replace(/^Attempt \d+ failed(?: with status \d+)?[.:]?\s*/, '')
      .replace(/\.? ?Retrying .*/s, '')
      .trim()
    const shownDetail = status === undefined ? NOT_REACHED : detail === '' ? `the provider answered ${status}` : detail
    onProgress({ kind: 'retry', status, delayMs, detail: shownDetail })
    if (!watch.recordRetry({ status, delayMs, detail: text })) return undefined
    stopped = watch.currentError()
    return 'stop'
  }

  return {
    onLine,
    onErrorLine,
    result: () => result,
    text: () => (pieces.join('').trim() === '' ? beforeTool : pieces.join('')),
    complaints: () => complaints,
    conversationId: () => sessionId,
    stopError: () => stopped,
    turns: () => turns,
    isOverBudget: () => isOver,
    usage: used,
  }
}

/** Thinking is in no sum but the total, and costs as much as output. */
export function toGeminiUsage({
  total_tokens = 0,
  input_tokens: input = 0,
  output_tokens = 0,
  cached = 0,
}: Stats): TokenUsage {
  return { input, cached: Math.min(cached, input), output: Math.max(output_tokens, total_tokens - input) }
}
