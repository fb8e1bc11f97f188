// The words of Anthropic's Messages API: an answer as server-sent events or as one message, and its errors.

import type { Answer } from './answer.ts'
import type { Misbehaviour } from './faults.ts'
import { type HttpError, pieces, tokens } from './wire.ts'

export function anthropicStream(answer: Answer, model: string, body: unknown, id: string): string[] {
  const message = anthropicMessage(answer, model, body, id)
  const events: Record<string, unknown>[] = [
    {
      type: 'message_start',
      message: { ...message, content: [], stop_reason: null, usage: { ...message.usage, output_tokens: 1 } },
    },
    { type: 'ping' },
  ]
  for (const [index, block] of message.content.entries()) {
    const { start, deltas } = streamed(block)
    events.push({ type: 'content_block_start', index, content_block: start })
    for (const delta of deltas) events.push({ type: 'content_block_delta', index, delta })
    events.push({ type: 'content_block_stop', index })
  }
  const { output_tokens } = message.usage
  events.push({
    type: 'message_delta',
    delta: { stop_reason: message.stop_reason, stop_sequence: null },
    usage: { output_tokens },
  })
  events.push({ type: 'message_stop' })
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
}

type Block =
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'text'; text: string }
  | { type: 'tool_use'; id: string; name: string; input: unknown }

export function anthropicMessage(answer: Answer, model: string, body: unknown, id: string) {
  const { system, tools, messages } = body as { system?: unknown; tools?: unknown; messages?: unknown }
  const content: Block[] = []
  if (answer.thinking) content.push({ type: 'thinking', thinking: answer.thinking, signature: 'rehearsal' })
  if (answer.text || answer.tools.length === 0) content.push({ type: 'text', text: answer.text })
  for (const [index, tool] of answer.tools.entries()) {
    content.push({ type: 'tool_use', id: `toolu_${id}_${index}`, name: tool.name, input: tool.input })
  }
  return {
    id: `msg_${id}`,
    type: 'message',
    role: 'assistant',
    model,
    content,
    stop_reason: answer.cutShort ? 'max_tokens' : answer.tools.length > 0 ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: {
      input_tokens: tokens(messages),
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: tokens([system, tools]),
      output_tokens: tokens(content),
    },
  }
}

export function anthropicError(fault: Misbehaviour & { kind: 'http' }, model: string): HttpError {
  const headers: Record<string, string> = {}
  if (fault.retryAfterSeconds !== undefined) headers['retry-after'] = String(fault.retryAfterSeconds)
  if (fault.resetAt !== undefined) {
    headers['anthropic-ratelimit-unified-status'] = 'rejected'
    headers['anthropic-ratelimit-unified-reset'] = String(fault.resetAt)
    headers['anthropic-ratelimit-unified-representative-claim'] = 'five_hour'
  }
  const [status, type, message] = known(fault, model)
  const error = { type, message: fault.message ?? message }
  return { status: fault.status ?? status, headers, body: { type: 'error', error, request_id: 'req_rehearsal' } }
}

function known(fault: Misbehaviour & { kind: 'http' }, model: string): [status: number, type: string, message: string] {
  switch (fault.preset) {
    case 'out-of-credit':
      return [
        400,
        'invalid_request_error',
        'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.',
      ]
    case 'unauthorized':
      return [401, 'authentication_error', 'invalid x-api-key']
    case 'forbidden':
      return [403, 'permission_error', 'Your API key does not have permission to use the specified resource.']
    case 'model-not-found':
      return [404, 'not_found_error', `model: ${model}`]
    case 'rate-limit':
    case 'daily-quota':
    case 'minute-quota':
      return [
        429,
        'rate_limit_error',
        'This request would exceed your organization’s rate limit. Please try again later.',
      ]
    case 'usage-limit':
      return [429, 'rate_limit_error', `Claude AI usage limit reached|${fault.resetAt ?? 0}`]
    case 'overloaded':
      return [529, 'overloaded_error', 'Overloaded']
    case 'prompt-too-long':
      return [400, 'invalid_request_error', 'prompt is too long: 212345 tokens > 200000 maximum']
    case 'server-error':
    case undefined:
      return [500, 'api_error', 'Internal server error']
  }
}

function streamed(block: Block): { start: Record<string, unknown>; deltas: Record<string, unknown>[] } {
  switch (block.type) {
    case 'thinking':
      return {
        start: { type: 'thinking', thinking: '', signature: '' },
        deltas: [
          ...pieces(block.thinking).map((thinking) => ({ type: 'thinking_delta', thinking })),
          { type: 'signature_delta', signature: block.signature },
        ],
      }
    case 'text':
      return {
        start: { type: 'text', text: '' },
        deltas: pieces(block.text).map((text) => ({ type: 'text_delta', text })),
      }
    case 'tool_use':
      return {
        start: { ...block, input: {} },
        deltas: pieces(JSON.stringify(block.input)).map((partial_json) => ({ type: 'input_json_delta', partial_json })),
      }
  }
}
