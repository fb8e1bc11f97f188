// What a conversation fills and what it used, counted along the lines that the CLI prints. The newest answer says what was sent to
// the model; how long that answer itself became is told only as a sum over the whole call, so its part is an estimate.
import { addUsage, NOTHING_USED, tokensIn, type Usage } from '../../domain/budget/prices.ts'
import { blocksOf, type ClaudeResult, type ClaudeUsage, type Line, messageOf } from './stream-schema.ts'

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
  /** Any answer, also of a sub-agent. What it wrote is told late, so until then that part is an estimate. */
  readonly heard: (line: Line) => void
  /** So far, in all models. Exact where a result has told it. */
  readonly used: () => Usage
}

export function startTally(): Tally {
  let context: number | undefined
  let compaction: Compaction | undefined
  let told = NOTHING_USED
  /** Since then. */
  const heard = new Map<string, { readonly usage: ClaudeUsage; readonly characters: number }>()
  let answer: Answer | undefined

  return {
    answered(line) {
      const { id, usage } = messageOf(line) ?? {}
      if (usage === undefined) return
      if (answer === undefined || id === undefined || answer.id !== id) answer = { id, characters: 0 }
      answer.characters += charactersIn(line)
      context = tokensIn(usageOf(usage, answer.characters))
    },
    heard(line) {
      const { id = '', usage } = messageOf(line) ?? {}
      if (usage === undefined) return
      heard.set(id, { usage, characters: (heard.get(id)?.characters ?? 0) + charactersIn(line) })
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
      told = addUsage(told, usedFor(result))
      heard.clear()
    },
    contextTokens: () => context,
    compaction: () => compaction,
    used: () => [...heard.values()].map((each) => usageOf(each.usage, each.characters)).reduce(addUsage, told),
  }
}

interface Answer {
  readonly id: string | undefined
  characters: number
}

function charactersIn(line: Line): number {
  return blocksOf(line).reduce(
    (sum, { text = '', input }) => sum + text.length + (input === undefined ? 0 : JSON.stringify(input).length),
    0,
  )
}

function usageOf(usage: ClaudeUsage, characters: number): Usage {
  const { input_tokens, cache_creation_input_tokens, cache_read_input_tokens: cached, output_tokens } = usage
  const output = Math.max(output_tokens, Math.ceil(characters / CHARACTERS_A_TOKEN))
  return { input: input_tokens + cache_creation_input_tokens + cached, cached, output }
}

function usedFor({ usage, model_usage_since_last_result: byModel }: ClaudeResult): Usage {
  const models = Object.values(byModel ?? {})
  if (models.length === 0) return usage ? usageOf(usage, 0) : NOTHING_USED
  return models
    .map(({ inputTokens, cacheReadInputTokens: cached, cacheCreationInputTokens, outputTokens: output }) => ({
      input: inputTokens + cached + cacheCreationInputTokens,
      cached,
      output,
    }))
    .reduce(addUsage)
}
