// The words of Gemini's generateContent API: an answer as server-sent events or as one response, and its errors.

import type { Answer } from './answer.ts'
import type { Misbehaviour } from './faults.ts'
import { type HttpError, pieces, tokens } from './wire.ts'

type Part = Record<string, unknown>

export function geminiStream(answer: Answer, model: string, body: unknown, id: string): string[] {
  const parts = partsOf(answer, id)
  const usage = usageOf(answer, body)
  const chunks = parts.map((part, index) => ({
    candidates: [
      {
        content: { role: 'model', parts: [part] },
        index: 0,
        ...(index === parts.length - 1 ? { finishReason: finishReason(answer) } : {}),
      },
    ],
    usageMetadata: usage,
    modelVersion: model,
    responseId: id,
  }))
  return chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\r\n\r\n`)
}

export function geminiResponse(answer: Answer, model: string, body: unknown, id: string) {
  return {
    candidates: [
      { content: { role: 'model', parts: partsOf(answer, id) }, finishReason: finishReason(answer), index: 0 },
    ],
    usageMetadata: usageOf(answer, body),
    modelVersion: model,
    responseId: id,
  }
}

export function geminiError(fault: Misbehaviour & { kind: 'http' }, model: string): HttpError {
  const [status, name, message, details] = known(fault, model)
  const code = fault.status ?? status
  const headers: Record<string, string> = {}
  if (fault.retryAfterSeconds !== undefined) headers['retry-after'] = String(fault.retryAfterSeconds)
  return { status: code, headers, body: { error: { code, message: fault.message ?? message, status: name, details } } }
}

function known(
  fault: Misbehaviour & { kind: 'http' },
  model: string,
): [status: number, name: string, message: string, details: unknown[]] {
  const exhausted = 'You exceeded your current quota, please check your plan and billing details.'
  switch (fault.preset) {
    case 'out-of-credit':
      return [
        429,
        'RESOURCE_EXHAUSTED',
        'Your prepayment credits are depleted. Please go to AI Studio to manage your project and billing.',
        [],
      ]
    case 'unauthorized':
      return [400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.', [reason('API_KEY_INVALID')]]
    case 'forbidden':
      return [403, 'PERMISSION_DENIED', 'Permission denied on this project.', [reason('SERVICE_DISABLED')]]
    case 'model-not-found':
      return [
        404,
        'NOT_FOUND',
        `models/${model} is not found for API version v1beta, or is not supported for generateContent.`,
        [],
      ]
    case 'rate-limit':
    case 'usage-limit':
      return [429, 'RESOURCE_EXHAUSTED', 'Resource exhausted. Please try again later.', retryInfo(fault)]
    case 'minute-quota':
      return [
        429,
        'RESOURCE_EXHAUSTED',
        exhausted,
        [quota('GenerateRequestsPerMinutePerProjectPerModel', model), ...retryInfo(fault)],
      ]
    case 'daily-quota':
      return [
        429,
        'RESOURCE_EXHAUSTED',
        exhausted,
        [quota('GenerateRequestsPerDayPerProjectPerModel-FreeTier', model), ...retryInfo(fault)],
      ]
    case 'overloaded':
      return [503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.', []]
    case 'prompt-too-long':
      return [
        400,
        'INVALID_ARGUMENT',
        'The input token count (1212345) exceeds the maximum number of tokens allowed (1048576).',
        [],
      ]
    case 'server-error':
    case undefined:
      return [500, 'INTERNAL', 'An internal error has occurred.', []]
  }
}

function quota(quotaId: string, model: string): unknown {
  const violation = {
    quotaMetric: 'generativelanguage.googleapis.com/generate_requests',
    quotaId,
    quotaDimensions: { model },
  }
  return { '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations: [violation] }
}

function retryInfo(fault: Misbehaviour & { kind: 'http' }): unknown[] {
  if (fault.retryAfterSeconds === undefined) return []
  return [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${fault.retryAfterSeconds}s` }]
}

function reason(name: string): unknown {
  return { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: name, domain: 'googleapis.com' }
}

function partsOf(answer: Answer, id: string): Part[] {
  const parts: Part[] = []
  if (answer.thinking) parts.push({ text: answer.thinking, thought: true })
  if (answer.text || answer.tools.length === 0) parts.push(...pieces(answer.text).map((text) => ({ text })))
  for (const [index, tool] of answer.tools.entries()) {
    parts.push({ functionCall: { id: `${id}-${index}`, name: tool.name, args: tool.input } })
  }
  return parts.length > 0 ? parts : [{ text: '' }]
}

function usageOf(answer: Answer, body: unknown) {
  const promptTokenCount = tokens(body)
  const candidatesTokenCount = tokens([answer.text, answer.tools])
  const thoughtsTokenCount = answer.thinking ? tokens(answer.thinking) : 0
  const totalTokenCount = promptTokenCount + candidatesTokenCount + thoughtsTokenCount
  return { promptTokenCount, candidatesTokenCount, thoughtsTokenCount, totalTokenCount }
}

function finishReason(answer: Answer): string {
  return answer.cutShort ? 'MAX_TOKENS' : 'STOP'
}
