// Requests that the CLIs make for themselves: summaries of a conversation, titles, quota checks, and Gemini's questions with a schema.
// A summary keeps the data of prompts and nothing else, so that what comes after it can go on and is shorter.

import { findBlock, findCall, type Turn } from './conversation.ts'
import { writePrompt } from './prompt.ts'

const LASTING = ['issues', 'steps', 'questions', 'answers', 'plan']
const BULKY = ['conventions', 'diff', 'verification']

export function isAuxiliary(turns: readonly Turn[], body: unknown): boolean {
  return isCompaction(turns) || schemaAskedFor(body) !== undefined || isTitle(body)
}

export function auxiliaryAnswer(turns: readonly Turn[], body: unknown): string {
  const schema = schemaAskedFor(body)
  if (schema !== undefined) return JSON.stringify(fill(schema))
  return isCompaction(turns)
    ? `<analysis>Nothing is lost.</analysis>\n<summary>\n${summary(turns)}\n</summary>`
    : 'Ready'
}

/** The last prompt, so that work under way goes on, and of earlier ones what later prompts count on. */
function summary(turns: readonly Turn[]): string {
  const call = findCall(turns)
  if (!call) return 'Nothing was asked.'
  const lasting = LASTING.flatMap((name) => [[name, findBlock(call, name)] as const])
  const { call: _, ...own } = Object.fromEntries([...call.blocks].filter(([name]) => !BULKY.includes(name)))
  return writePrompt(call.call, { ...Object.fromEntries(lasting.filter(([, text]) => text !== undefined)), ...own })
}

function isCompaction(turns: readonly Turn[]): boolean {
  const last = turns.findLast((turn) => turn.by === 'user')
  return last !== undefined && !findCall([last]) && /detailed summary of (the|this|our) conversation/i.test(last.text)
}

function isTitle(body: unknown): boolean {
  const { system, tools, max_tokens } = body as { system?: unknown; tools?: unknown[]; max_tokens?: number }
  if (max_tokens === 1) return true
  return !tools?.length && /\b(title|topic)\b/i.test(JSON.stringify(system ?? '').slice(0, 2_000))
}

interface AskedSchema {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly properties?: Readonly<Record<string, AskedSchema>>
}

function schemaAskedFor(body: unknown): AskedSchema | undefined {
  const config = (body as { generationConfig?: { responseJsonSchema?: AskedSchema; responseSchema?: AskedSchema } })
    .generationConfig
  const output = (body as { output_config?: { format?: { schema?: AskedSchema } } }).output_config
  return config?.responseJsonSchema ?? config?.responseSchema ?? output?.format?.schema
}

function fill(schema: AskedSchema): unknown {
  if (schema.enum) return schema.enum[0]
  switch (schema.type?.toLowerCase()) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([name, property]) => [name, fill(property)]),
      )
    case 'array':
      return []
    case 'boolean':
      return false
    case 'number':
    case 'integer':
      return 0
    default:
      return 'none'
  }
}
