// One call of an agent's CLI, as the rest of the house sees it. Both adapters (`callClaude`, `callGemini`) take an `AgentCall` and
// promise a `CallResult`; nobody else knows a flag, an event or an error text of either CLI. A call always has an outcome: an answer,
// or a failure with its class. It throws only what is neither: the reason of its own signal when it was cancelled, and a broken disk.

import type { Price, TokenUsage } from '../domain/budget/prices.ts'
import type { CallFailure } from '../domain/session/failure.ts'
import type { Sandbox } from '../domain/settings/sandbox-level.ts'
import type { SandboxRules } from '../platform/sandbox/enter-sandbox.ts'

export interface SubAgent {
  readonly description: string
  readonly prompt: string
  readonly model?: string | undefined
  readonly tools?: readonly string[] | undefined
}

export interface CallSandbox extends SandboxRules {
  /** Of the session. */
  readonly readable: readonly string[]
  readonly writable: readonly string[]
  /** Where Claude keeps what it was asked and said, for all calls of the session. */
  readonly conversations: string
  /** Where builds that agents start keep what they made, for all calls of the session. */
  readonly cache?: string | undefined
}

export interface AgentCall {
  readonly command: string
  readonly prompt: string
  /** Where the agent works. Gemini never sees it: it gets an empty folder (`workingFolder`). */
  readonly cwd: string
  /** Tried in order: the next when one is overloaded, limited or unknown. */
  readonly models: readonly string[]
  /** For the whole call, all its models together. */
  readonly deadlineMs: number
  /** What every process of the call carries in its environment: `<session>/<call>/<attempt>/<nonce>`. */
  readonly marker: string
  /** A folder of this call alone: what the CLI prints and its temporary files are kept below it. */
  readonly scratch: string
  readonly schema?: object | undefined
  /** The operator's environment; the CLI gets an allow-list of it. */
  readonly environment: NodeJS.ProcessEnv
  readonly signal: AbortSignal
  readonly onProgress: (progress: Progress) => void
  readonly thinkingBudget?: number | undefined
  readonly pidNamespace?: 'auto' | 'off' | undefined
  /** Around every process of the call; without it they see what their operator sees. */
  readonly sandbox?: CallSandbox | undefined
  /** Between TERM and KILL. */
  readonly graceMs?: number | undefined
  /** How long the CLI may go on asking a provider that answers 429 or 5xx, when there is no other model to try. */
  readonly maxRetryWaitMs?: number | undefined

  /** Claude only: continue a conversation (`fork`: in a new one that begins with it), or begin one with this id. */
  readonly conversation?: { readonly resume: string; readonly fork: boolean } | { readonly id: string } | undefined
  /** Claude only: `conversationCostUsd` of the report of the call that is resumed or forked; the CLI counts on from there. */
  readonly conversationCostUsd?: number | undefined
  readonly subagents?: Readonly<Record<string, SubAgent>> | undefined
  /** Claude only. `only`: there are no others, whatever a later version of the CLI adds. */
  readonly tools?:
    | {
        readonly only?: readonly string[]
        readonly allowed?: readonly string[]
        readonly disallowed?: readonly string[]
      }
    | undefined
  /** Claude only: folders outside of `cwd` that the agent is told of. */
  readonly readableFolders?: readonly string[] | undefined
  /** Claude only: the conversation that is resumed is compacted before the prompt, once. What fails at that is noted and costs no more. */
  readonly compactFirst?: boolean | undefined
  readonly effort?: string | undefined
  /** Passed by one turn at most; an answer that comes with that turn still counts. For Gemini as far as its tokens have a price. */
  readonly maxBudgetUsd?: number | undefined
  /** Read and written, of all its models together. Passed by one turn at most, as far as the CLI tells while it works. */
  readonly maxTokens?: number | undefined
  /** For what the CLI tells no cost of. */
  readonly prices?: readonly Price[] | undefined

  /** Gemini only: a folder that is the same for every call, because the CLI keeps a list of all folders it ever ran in. */
  readonly workingFolder?: string | undefined
  /** Gemini only: where its compiled code is kept, for the calls of all sessions. */
  readonly compileCache?: string | undefined
}

/** What can be seen of a call while it runs. `path` is as the agent wrote it. */
export type Progress =
  | { readonly kind: 'started'; readonly model: string; readonly sessionId?: string | undefined }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'tool'; readonly name: string; readonly path?: string | undefined }
  | {
      readonly kind: 'retry'
      readonly status?: number | undefined
      readonly delayMs?: number | undefined
      readonly detail: string
    }
  /** What it has used so far, and what that costs as far as it is known; at its end the record says it better. */
  | { readonly kind: 'used'; readonly usage: TokenUsage; readonly costUsd?: number | undefined }
  | { readonly kind: 'model_switched'; readonly from: string; readonly to: string; readonly because: string }

export interface CliCallReport {
  /** The model that was asked last. */
  readonly model: string
  readonly modelsTried: readonly string[]
  /** The newest id of the conversation: may differ from the one asked for. */
  readonly conversationId?: string | undefined
  /** Of this call alone, as far as it is known. Gemini tells none: it comes from the prices. */
  readonly costUsd?: number | undefined
  /** Something that it used has a cost that nobody knows. */
  readonly costPartial?: true | undefined
  /** Of the conversation up to here: what a call that resumes or forks it gives as `conversationCostUsd`. */
  readonly conversationCostUsd?: number | undefined
  readonly inputTokens?: number | undefined
  /** Those of the input that came from a cache. */
  readonly cachedTokens?: number | undefined
  readonly outputTokens?: number | undefined
  /** How much of the model's context the conversation fills at the end. Claude only, and its last answer's part is an estimate. */
  readonly contextTokens?: number | undefined
  readonly durationMs: number
  readonly turns?: number | undefined
  readonly stdoutFile: string
  readonly stderrFile: string
  /** What stood around it. */
  readonly sandbox?: Sandbox | undefined
  /** What a person who reads the record should know besides. */
  readonly notes: readonly string[]
}

export type CallOutcome =
  | { readonly kind: 'answered'; readonly text: string; readonly structured?: unknown }
  | {
      readonly kind: 'failed'
      readonly failure: CallFailure
      /** The conversation to resume is not on this host: call again without it, with the whole context in the prompt. */
      readonly conversationGone?: true
    }

export type CallResult = { readonly report: CliCallReport } & CallOutcome
