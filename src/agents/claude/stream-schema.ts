// The lines of `claude --output-format stream-json`, as far as we read them. Each version of the CLI adds lines and fields, so unknown
// ones are ignored, and a line of another form is skipped.

import { z } from 'zod'
import { parseJsonIfValid } from '../../domain/text/parse-json.ts'

const ContentBlock = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  thinking: z.string().optional(),
  name: z.string().optional(),
  input: z.record(z.string(), z.unknown()).optional(),
})

const Usage = z.looseObject({
  input_tokens: z.number().default(0),
  cache_creation_input_tokens: z.number().default(0),
  cache_read_input_tokens: z.number().default(0),
  output_tokens: z.number().default(0),
})
export type ClaudeUsage = z.infer<typeof Usage>

const Message = z.looseObject({
  id: z.string().optional(),
  model: z.string().optional(),
  content: z.union([z.string(), z.array(ContentBlock)]).default([]),
  usage: Usage.optional().catch(undefined),
})

const ClaudeLine = z.looseObject({
  type: z.string(),
  subtype: z.string().optional(),
  session_id: z.string().optional(),
  parent_tool_use_id: z.string().nullish(),
  isSynthetic: z.boolean().optional(),
  /** A plain text if the CLI itself speaks. */
  message: z.union([z.string(), Message]).optional(),
  /** The CLI wrote this answer itself because the provider refused. */
  is_api_error_message: z.boolean().optional(),
  error: z.string().nullish(),
  error_status: z.number().nullish(),
  retry_delay_ms: z.number().nullish(),
  rate_limit_info: z.looseObject({ status: z.string().optional(), resetsAt: z.number().nullish() }).optional(),
  /** Present at a sub-agent's start and end. */
  task_id: z.string().optional(),
  task_type: z.string().optional(),
  compact_result: z.string().nullish(),
  compact_error: z.string().nullish(),
  compact_metadata: z.looseObject({ pre_tokens: z.number().optional(), post_tokens: z.number().optional() }).optional(),
})
export type ClaudeLine = z.infer<typeof ClaudeLine>

const ModelUsage = z.looseObject({
  inputTokens: z.number().default(0),
  cacheReadInputTokens: z.number().default(0),
  cacheCreationInputTokens: z.number().default(0),
  outputTokens: z.number().default(0),
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
  usage: Usage.optional(),
  /** Sub-agents and summaries included, which `usage` is not. */
  model_usage_since_last_result: z.record(z.string(), ModelUsage).optional().catch(undefined),
  api_error_status: z.number().nullish(),
  api_error: z.string().nullish(),
  terminal_reason: z.string().nullish(),
  queued_turn_count: z.number().default(0),
})
export type ClaudeResult = z.infer<typeof ClaudeResult>

export function parseClaudeLine(text: string): { readonly line: ClaudeLine; readonly json: unknown } | undefined {
  if (!text.startsWith('{')) return undefined
  const json = parseJsonIfValid(text)
  const parsed = ClaudeLine.safeParse(json)
  return parsed.success ? { line: parsed.data, json } : undefined
}

export function getMessage({ message }: ClaudeLine): z.infer<typeof Message> | undefined {
  return typeof message === 'string' ? undefined : message
}

export function getContentBlocks(line: ClaudeLine): readonly z.infer<typeof ContentBlock>[] {
  const content = getMessage(line)?.content ?? []
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content
}
