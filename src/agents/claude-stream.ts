// Reads what `claude --output-format stream-json` prints, line by line, into what the adapter needs at the end: the last result,
// the whole text of an answer that was written in pieces, the conversation's id, and whether the provider is refusing just now.
// Unknown lines are passed over: each version of the CLI adds some.
import { z } from 'zod'
import type { LineVerdict } from '../processes/run.ts'
import type { Progress } from './call.ts'
import { type Refusal, type RetryWatch, refusalOf } from './provider.ts'

const Block = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  name: z.string().optional(),
  input: z.record(z.string(), z.unknown()).optional(),
})
const Content = z.union([z.string(), z.array(Block)])
const Line = z.looseObject({
  type: z.string(),
  subtype: z.string().optional(),
  session_id: z.string().optional(),
  parent_tool_use_id: z.string().nullish(),
  isSynthetic: z.boolean().optional(),
  message: z.looseObject({ model: z.string().optional(), content: Content }).optional(),
  /** Of an answer that the CLI wrote itself because the provider refused. */
  is_api_error_message: z.boolean().optional(),
  error: z.string().nullish(),
  error_status: z.number().nullish(),
  retry_delay_ms: z.number().nullish(),
  rate_limit_info: z.looseObject({ status: z.string().optional(), resetsAt: z.number().nullish() }).optional(),
})

export const ClaudeResult = z.looseObject({
  subtype: z.string(),
  is_error: z.boolean().default(false),
  result: z.string().default(''),
  structured_output: z.unknown().optional(),
  errors: z.array(z.string()).default([]),
  session_id: z.string().optional(),
  total_cost_usd: z.number().optional(),
  num_turns: z.number().optional(),
  usage: z
    .looseObject({
      input_tokens: z.number().default(0),
      cache_creation_input_tokens: z.number().default(0),
      cache_read_input_tokens: z.number().default(0),
      output_tokens: z.number().default(0),
    })
    .optional(),
  api_error_status: z.number().nullish(),
  api_error: z.string().nullish(),
  terminal_reason: z.string().nullish(),
  queued_turn_count: z.number().default(0),
})
export type ClaudeResult = z.infer<typeof ClaudeResult>

export interface ClaudeStream {
  readonly onLine: (line: string) => LineVerdict
  /** The last one: sub-agents in the background make the CLI print several. */
  readonly result: () => ClaudeResult | undefined
  readonly tokens: () => { readonly input: number; readonly output: number } | undefined
  /** The answer, put together where the model wrote it in several pieces. */
  readonly text: () => string
  readonly sessionId: () => string | undefined
  /** Why the adapter ended the process before it was done. */
  readonly stopped: () => Refusal | undefined
  /** The model answered at least once. */
  readonly begun: () => boolean
  readonly limitedUntil: () => number | undefined
  readonly notes: () => readonly string[]
}

// The CLI asks the model to go on when an answer reached the longest length, and then calls the last piece the result.
const WENT_ON = /^Output token limit hit/

export function readClaudeStream(options: {
  readonly watch: RetryWatch
  readonly onProgress: (progress: Progress) => void
  readonly model: string
  /** Signed in rather than with a key: the CLI may answer one 401 by renewing its token. */
  readonly mayRenewToken: boolean
}): ClaudeStream {
  const { watch, onProgress } = options
  const notes: string[] = []
  let result: ClaudeResult | undefined
  let input = 0
  let output = 0
  let pieces: string[] = []
  let goesOn = false
  let sessionId: string | undefined
  let stopped: Refusal | undefined
  let begun = false
  let limitedUntil: number | undefined
  let refusedKeys = 0

  function onLine(text: string): LineVerdict {
    if (!text.startsWith('{')) return undefined
    const json = parseJson(text)
    const parsed = Line.safeParse(json)
    if (!parsed.success) return undefined
    const line = parsed.data
    sessionId = line.session_id ?? sessionId
    switch (line.type) {
      case 'system':
        if (line.subtype === 'init') onProgress({ kind: 'started', model: options.model, sessionId })
        return line.subtype === 'api_retry' ? onRetry(line) : undefined
      case 'rate_limit_event':
        if (line.rate_limit_info?.status === 'rejected' && line.rate_limit_info.resetsAt)
          limitedUntil = line.rate_limit_info.resetsAt * 1_000
        return undefined
      case 'assistant':
        onAnswer(line)
        return undefined
      case 'user':
        onUserTurn(line)
        return undefined
      case 'result':
        return onResult(json)
      default:
        return undefined
    }
  }

  function onRetry(line: z.infer<typeof Line>): LineVerdict {
    const status = line.error_status ?? undefined
    const delayMs = line.retry_delay_ms ?? undefined
    const detail = `${line.error ?? 'the provider did not answer'}${status === undefined ? '' : ` (${status})`}`
    onProgress({ kind: 'retry', status, delayMs, detail })
    const giveUp = watch.retry({ status, delayMs, detail })
    if (status === 401) refusedKeys += 1
    if (!giveUp || (status === 401 && options.mayRenewToken && refusedKeys < 2)) return undefined
    stopped = watch.trouble()
    return 'stop'
  }

  function onAnswer(line: z.infer<typeof Line>): void {
    if (line.is_api_error_message || line.parent_tool_use_id) {
      if (!line.is_api_error_message) showBlocks(line)
      return
    }
    watch.progress()
    begun = true
    if (!goesOn) pieces = []
    goesOn = true
    showBlocks(line)
    pieces.push(...blocksOf(line).flatMap((block) => (block.type === 'text' ? [block.text ?? ''] : [])))
  }

  function showBlocks(line: z.infer<typeof Line>): void {
    for (const block of blocksOf(line)) {
      if (block.type === 'text' && block.text && !line.parent_tool_use_id)
        onProgress({ kind: 'text', text: block.text })
      if (block.type !== 'tool_use' || block.name === undefined) continue
      const { file_path: path, notebook_path, isolation } = block.input ?? {}
      if (isolation !== undefined)
        notes.push('a sub-agent asked for a worktree of its own: its changes are not in this tree')
      const named = path ?? notebook_path
      onProgress({ kind: 'tool', name: block.name, path: typeof named === 'string' ? named : undefined })
    }
  }

  function onUserTurn(line: z.infer<typeof Line>): void {
    if (line.parent_tool_use_id) return
    const said = blocksOf(line)
    goesOn = line.isSynthetic === true && said.some((block) => WENT_ON.test(block.text ?? ''))
    if (goesOn && !notes.includes(LONG)) notes.push(LONG)
  }

  function onResult(json: unknown): LineVerdict {
    const parsed = ClaudeResult.safeParse(json)
    if (!parsed.success) return undefined
    result = parsed.data
    const { usage } = result
    input +=
      (usage?.input_tokens ?? 0) + (usage?.cache_creation_input_tokens ?? 0) + (usage?.cache_read_input_tokens ?? 0)
    output += usage?.output_tokens ?? 0
    return result.queued_turn_count > 0 ? undefined : 'finish'
  }

  return {
    onLine,
    result: () => result,
    tokens: () => (result ? { input, output } : undefined),
    text: () => (pieces.length > 1 ? pieces.join('') : (result?.result ?? pieces.join(''))),
    sessionId: () => sessionId,
    stopped: () => stopped,
    begun: () => begun,
    limitedUntil: () => limitedUntil,
    notes: () => notes,
  }
}

const LONG = 'the answer reached the longest length and was put together from its pieces'

/** What an error result says about the provider; undefined when it is not the provider's doing. */
export function refusalIn(result: ClaudeResult, limitedUntil: number | undefined): Refusal | undefined {
  const said = [result.result, ...result.errors].join(' ')
  const refusal = refusalOf(result.api_error_status ?? undefined, said)
  if (refusal?.failure.class !== 'limit' || limitedUntil === undefined) return refusal
  return { ...refusal, failure: { ...refusal.failure, reason: 'usage_limit', until: limitedUntil } }
}

function blocksOf(line: z.infer<typeof Line>): readonly z.infer<typeof Block>[] {
  const content = line.message?.content ?? []
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
