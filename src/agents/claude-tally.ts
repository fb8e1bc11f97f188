// What a conversation fills and what it used, counted along the lines that the CLI prints. The newest answer says what was sent to
// the model; how long that answer itself became is told only as a sum over the whole call, so its part is an estimate.
import { blocksOf, type ClaudeResult, type Line, messageOf } from './claude-lines.ts'

const CHARACTERS_A_TOKEN = 4

export type Compaction =
  | { readonly kind: 'done'; readonly from: number; readonly to: number }
  | { readonly kind: 'failed'; readonly why: string }

export interface Tally {
  /** An answer of the conversation itself, not of a sub-agent. It comes in several lines, one for each block. */
  readonly answered: (line: Line) => void
  readonly compacted: (line: Line) => void
  readonly ended: (result: ClaudeResult) => void
  readonly contextTokens: () => number | undefined
  /** The last one, whether it was asked for or came by itself. */
  readonly compaction: () => Compaction | undefined
  readonly tokens: () => { readonly input: number; readonly output: number } | undefined
}

export function startTally(): Tally {
  let context: number | undefined
  let compaction: Compaction | undefined
  let tokens: { readonly input: number; readonly output: number } | undefined
  let answer: { readonly id: string | undefined; characters: number } | undefined

  return {
    answered(line) {
      const { id, usage } = messageOf(line) ?? {}
      if (usage === undefined) return
      const { input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens } = usage
      if (answer === undefined || id === undefined || answer.id !== id) answer = { id, characters: 0 }
      for (const { text = '', input } of blocksOf(line))
        answer.characters += text.length + (input === undefined ? 0 : JSON.stringify(input).length)
      const output = Math.max(output_tokens, Math.ceil(answer.characters / CHARACTERS_A_TOKEN))
      context = input_tokens + cache_creation_input_tokens + cache_read_input_tokens + output
    },
    compacted({ compact_metadata, compact_result, compact_error }) {
      const { pre_tokens: from, post_tokens: to } = compact_metadata ?? {}
      if (from !== undefined && to !== undefined) {
        compaction = { kind: 'done', from, to }
        context = to
      } else if (compact_result === 'failed') {
        compaction = { kind: 'failed', why: compact_error ?? 'the CLI did not say why' }
      }
    },
    ended(result) {
      const used = usedFor(result)
      tokens = { input: (tokens?.input ?? 0) + used.input, output: (tokens?.output ?? 0) + used.output }
    },
    contextTokens: () => context,
    compaction: () => compaction,
    tokens: () => tokens,
  }
}

function usedFor({ usage, model_usage_since_last_result: byModel }: ClaudeResult): { input: number; output: number } {
  const models = Object.values(byModel ?? {})
  if (models.length === 0) {
    const { input_tokens = 0, cache_creation_input_tokens = 0, cache_read_input_tokens = 0 } = usage ?? {}
    const input = input_tokens + cache_creation_input_tokens + cache_read_input_tokens
    return { input, output: usage?.output_tokens ?? 0 }
  }
  return {
    input: total(models.map((each) => each.inputTokens + each.cacheReadInputTokens + each.cacheCreationInputTokens)),
    output: total(models.map((each) => each.outputTokens)),
  }
}

function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0)
}
