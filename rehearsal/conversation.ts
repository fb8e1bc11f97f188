// A conversation as either provider's request tells it, read into one shape. Everything the model decides is derived from it
// (what was asked last, which tools ran since, what they answered), so a model or CLI that was killed and restarted goes on right.

import { z } from 'zod'
import { type CallBlock, type ListedIssue, readCallBlock, readDataBlocks, readIssues } from './prompt.ts'

export type Provider = 'anthropic' | 'gemini'

export interface ToolUse {
  readonly id: string
  readonly name: string
  readonly input: Readonly<Record<string, unknown>>
}
export interface ToolResult {
  readonly id: string
  readonly text: string
  readonly failed: boolean
}
export interface Turn {
  readonly by: 'model' | 'user'
  readonly text: string
  readonly uses: readonly ToolUse[]
  readonly results: readonly ToolResult[]
}

/** One call of Fixwright as far as it got: its prompt's blocks and the turns since. */
export interface Call {
  readonly call: CallBlock
  readonly blocks: ReadonlyMap<string, string>
  readonly turnsBefore: readonly Turn[]
  readonly turnsSince: readonly Turn[]
}

const Loose = z.looseObject({})
const AnthropicBlock = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  id: z.string().optional(),
  name: z.string().optional(),
  input: Loose.optional(),
  tool_use_id: z.string().optional(),
  is_error: z.boolean().optional(),
  content: z.unknown().optional(),
})
const AnthropicBody = z.looseObject({
  messages: z.array(z.looseObject({ role: z.string(), content: z.union([z.string(), z.array(AnthropicBlock)]) })),
})
const GeminiPart = z.looseObject({
  text: z.string().optional(),
  thought: z.boolean().optional(),
  functionCall: z.looseObject({ id: z.string().optional(), name: z.string(), args: Loose.optional() }).optional(),
  functionResponse: z
    .looseObject({ id: z.string().optional(), name: z.string(), response: Loose.optional() })
    .optional(),
})
const GeminiBody = z.looseObject({
  contents: z.array(z.looseObject({ role: z.string().optional(), parts: z.array(GeminiPart).default([]) })),
})

export function readTurns(provider: Provider, body: unknown): Turn[] {
  return provider === 'anthropic' ? anthropicTurns(body) : geminiTurns(body)
}

/** The last prompt of ours in the conversation. Only what a user turn says counts, never what a tool answered. */
export function findCall(turns: readonly Turn[]): Call | undefined {
  for (let at = turns.length - 1; at >= 0; at--) {
    const turn = turns[at]
    if (turn?.by !== 'user') continue
    const call = readCallBlock(turn.text)
    if (call) {
      return {
        call,
        blocks: readDataBlocks(turn.text),
        turnsBefore: turns.slice(0, at),
        turnsSince: turns.slice(at + 1),
      }
    }
  }
  return undefined
}

/** A block of the prompt, or, when a short prompt resumes a conversation, of the latest prompt that had it. */
export function findBlock(call: Call, name: string): string | undefined {
  const own = call.blocks.get(name)
  if (own !== undefined) return own
  const earlier = call.turnsBefore.findLast((turn) => turn.by === 'user' && readDataBlocks(turn.text).has(name))
  return earlier && readDataBlocks(earlier.text).get(name)
}

/** The issues that a call is about, as its own or an earlier prompt listed them. */
export function issuesOf(call: Call): ListedIssue[] {
  return readIssues(findBlock(call, 'issues'))
}

/** Each text of a user is a turn: after a call that failed, the CLI sends its prompt and the next one in one message. */
function anthropicTurns(body: unknown): Turn[] {
  const parsed = AnthropicBody.safeParse(body)
  if (!parsed.success) return []
  return parsed.data.messages
    .filter((message) => message.role !== 'system')
    .flatMap((message): Turn[] => {
      const blocks = typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content
      const texts = blocks.flatMap((block) => (block.type === 'text' ? [block.text ?? ''] : []))
      const uses = blocks.flatMap((block) =>
        block.type === 'tool_use' ? [{ id: block.id ?? '', name: block.name ?? '', input: block.input ?? {} }] : [],
      )
      if (message.role === 'assistant') return [{ by: 'model', text: texts.join('\n'), uses, results: [] }]
      const results = blocks.flatMap((block) =>
        block.type === 'tool_result'
          ? [{ id: block.tool_use_id ?? '', text: textOf(block.content), failed: block.is_error === true }]
          : [],
      )
      const answered: Turn[] = results.length > 0 ? [{ by: 'user', text: '', uses: [], results }] : []
      return [...answered, ...texts.map((text): Turn => ({ by: 'user', text, uses: [], results: [] }))]
    })
}

function geminiTurns(body: unknown): Turn[] {
  const parsed = GeminiBody.safeParse(body)
  if (!parsed.success) return []
  return parsed.data.contents.map((content) => ({
    by: content.role === 'model' ? 'model' : 'user',
    text: content.parts.flatMap((part) => (part.text !== undefined && !part.thought ? [part.text] : [])).join('\n'),
    uses: content.parts.flatMap(({ functionCall: use }) =>
      use ? [{ id: use.id ?? use.name, name: use.name, input: use.args ?? {} }] : [],
    ),
    results: content.parts.flatMap(({ functionResponse: answer }) =>
      answer
        ? [
            {
              id: answer.id ?? answer.name,
              text: geminiAnswer(answer.response),
              failed: answer.response?.error !== undefined,
            },
          ]
        : [],
    ),
  }))
}

function geminiAnswer(response: Readonly<Record<string, unknown>> | undefined): string {
  const said = response?.output ?? response?.error ?? response
  return typeof said === 'string' ? said : JSON.stringify(said ?? '')
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map((part: { text?: unknown }) => (typeof part?.text === 'string' ? part.text : '')).join('\n')
}
