// Counts the context that a conversation fills and the tokens that it uses. The newest answer reports what was sent to the model; its own
// length is only reported as a sum over the whole call, so that part is an estimate.
import { addUsage, countTokens, NOTHING_USED, type TokenUsage } from '../../domain/budget/prices.ts'
import { type ClaudeLine, type ClaudeResult, type ClaudeUsage, getContentBlocks, getMessage } from './stream-schema.ts'

const CHARACTERS_A_TOKEN = 4

export type Compaction =
  | { readonly kind: 'done'; readonly from: number; readonly to: number }
  | { readonly kind: 'failed'; readonly why: string }

export interface TokenCounter {
  /** An answer of the conversation itself, not of a sub-agent. An answer comes in several lines, one for each block. */
  readonly recordAnswer: (line: ClaudeLine) => void
  readonly recordCompaction: (line: ClaudeLine) => void
  readonly recordResult: (result: ClaudeResult) => void
  readonly contextTokens: () => number | undefined
  /** The last compaction, requested or automatic. */
  readonly compaction: () => Compaction | undefined
  /** Any answer, including a sub-agent's. Its output tokens are reported late, so until then they are an estimate. */
  readonly recordUsage: (line: ClaudeLine) => void
  /** The use so far, of all models. Exact once a result has reported it. */
  readonly usage: () => TokenUsage
}

export function createTokenCounter(): TokenCounter {
  let context: number | undefined
  let compaction: Compaction | undefined
  let exact = NOTHING_USED
  /** The use since the last result, by message id. */
  const estimates = new Map<string, { readonly usage: ClaudeUsage; readonly characters: number }>()
  let answer: Answer | undefined

  return {
    recordAnswer(line) {
      const { id, usage } = getMessage(line) ?? {}
      if (usage === undefined) return
      if (answer === undefined || id === undefined || answer.id !== id) answer = { id, characters: 0 }
      answer.characters += countCharacters(line)
      context = countTokens(toUsage(usage, answer.characters))
    },
    recordUsage(line) {
      const { id = '', usage } = getMessage(line) ?? {}
      if (usage === undefined) return
      estimates.set(id, { usage, characters: (estimates.get(id)?.characters ?? 0) + countCharacters(line) })
    },
    recordCompaction({ compact_metadata, compact_result, compact_error }) {
      const { pre_tokens: from, post_tokens: to } = compact_metadata ?? {}
      if (from !== undefined && to !== undefined) {
        compaction = { kind: 'done', from, to }
        context = to
      } else if (compact_result === 'failed') {
        compaction = { kind: 'failed', why: compact_error ?? 'the CLI did not say why' }
      }
    },
    recordResult(result) {
      exact = addUsage(exact, toResultUsage(result))
      estimates.clear()
    },
    contextTokens: () => context,
    compaction: () => compaction,
    usage: () => [...estimates.values()].map((each) => toUsage(each.usage, each.characters)).reduce(addUsage, exact),
  }
}

interface Answer {
  readonly id: string | undefined
  characters: number
}

function countCharacters(line: ClaudeLine): number {
  return getContentBlocks(line).reduce(
    (sum, { text = '', input }) => sum + text.length + (input === undefined ? 0 : JSON.stringify(input).length),
    0,
  )
}

function toUsage(usage: ClaudeUsage, characters: number): TokenUsage {
  const { input_tokens, cache_creation_input_tokens, cache_read_input_tokens: cached, output_tokens } = usage
  const output = Math.max(output_tokens, Math.ceil(characters / CHARACTERS_A_TOKEN))
  return { input: input_tokens + cache_creation_input_tokens + cached, cached, output }
}

function toResultUsage({ usage, model_usage_since_last_result: byModel }: ClaudeResult): TokenUsage {
  const models = Object.values(byModel ?? {})
  if (models.length === 0) return usage ? toUsage(usage, 0) : NOTHING_USED
  return models
    .map(({ inputTokens, cacheReadInputTokens: cached, cacheCreationInputTokens, outputTokens: output }) => ({
      input: inputTokens + cached + cacheCreationInputTokens,
      cached,
      output,
    }))
    .reduce(addUsage)
}
