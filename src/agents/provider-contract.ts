// An agent call as the rest of the code sees it: both adapters (`callClaude`, `callGemini`) take an `AgentCall` and return a
// `CallResult`. Nobody else knows a flag, an event or an error text of either CLI.

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
  /** Folders that the session's calls may read. */
  readonly readable: readonly string[]
  readonly writable: readonly string[]
  /** Folder for Claude's conversations, shared by all calls of the session. */
  readonly conversations: string
  /** Cache folder for builds that agents start, shared by all calls of the session. */
  readonly cache?: string | undefined
}

export interface AgentCall {
  readonly command: string
  readonly prompt: string
  /** The agent's working directory. Gemini never sees it: it runs in an empty folder (`workingFolder`). */
  readonly cwd: string
  /** Tried in order: the next one when a model is overloaded, limited or unknown. */
  readonly models: readonly string[]
  /** For the whole call, all models together. */
  readonly deadlineMs: number
  /** Every process of the call carries it in its environment: `<session>/<step id>/<attempt>/<nonce>`. */
  readonly marker: string
  /** A folder of this call alone, for the CLI's output and temporary files. */
  readonly scratch: string
  readonly schema?: object | undefined
  /** The operator's environment; the CLI gets an allow-list of it. */
  readonly environment: NodeJS.ProcessEnv
  readonly signal: AbortSignal
  readonly onProgress: (progress: Progress) => void
  readonly thinkingBudget?: number | undefined
  readonly pidNamespace?: 'auto' | 'off' | undefined
  /** Encloses every process of the call. Without it they see everything that the operator sees. */
  readonly sandbox?: CallSandbox | undefined
  /** The time between TERM and KILL. */
  readonly graceMs?: number | undefined
  /** How long the CLI may retry a provider that answers 429 or 5xx, when there is no other model to try. */
  readonly maxRetryWaitMs?: number | undefined

  /** Claude only: resume a conversation (`fork`: in a new one that begins with it), or begin one with this id. */
  readonly conversation?: { readonly resume: string; readonly fork: boolean } | { readonly id: string } | undefined
  /** Claude only: `conversationCostUsd` from the report of the call that is resumed or forked. The CLI counts on from there. */
  readonly conversationCostUsd?: number | undefined
  readonly subagents?: Readonly<Record<string, SubAgent>> | undefined
  /** Claude only. `only`: there are no other tools, whatever a later version of the CLI adds. */
  readonly tools?:
    | {
        readonly only?: readonly string[]
        readonly allowed?: readonly string[]
        readonly disallowed?: readonly string[]
      }
    | undefined
  /** Claude only: folders outside `cwd` that the agent learns about. */
  readonly readableFolders?: readonly string[] | undefined
  readonly effort?: string | undefined
  /** Exceeded by one turn at most; an answer in that turn still counts. For Gemini it holds as far as its tokens have a price. */
  readonly maxBudgetUsd?: number | undefined
  /** Input and output of all models together. Exceeded by one turn at most, as far as the CLI reports its use while it works. */
  readonly maxTokens?: number | undefined
  /** Prices for use whose cost the CLI does not report. */
  readonly prices?: readonly Price[] | undefined

  /** Gemini only: the same folder for every call, because the CLI keeps a list of all folders it ever ran in. */
  readonly workingFolder?: string | undefined
  /** Gemini only: a folder that its read-only tools may look into; without one it has no tools. */
  readonly readableTree?: string | undefined
  /** Gemini only: the cache of its compiled code, shared by the calls of all sessions. */
  readonly compileCache?: string | undefined
}

/** Progress of a running call. `path` is as the agent wrote it; `detail`: a tool's command or pattern. */
export type Progress =
  | { readonly kind: 'started'; readonly model: string; readonly sessionId?: string | undefined }
  /** `isPiece`: the stream cuts anywhere, and the line may go on. */
  | { readonly kind: 'text'; readonly text: string; readonly isPiece?: boolean | undefined }
  | ToolUse
  | {
      readonly kind: 'retry'
      readonly status?: number | undefined
      readonly delayMs?: number | undefined
      readonly detail: string
    }
  /** The use so far, and its cost as far as known. The final report is more accurate. */
  | { readonly kind: 'used'; readonly usage: TokenUsage; readonly costUsd?: number | undefined }
  | { readonly kind: 'model_switched'; readonly from: string; readonly to: string; readonly because: string }

export interface ToolUse {
  readonly kind: 'tool'
  readonly name: string
  readonly path?: string | undefined
  readonly detail?: string | undefined
}

/** The CLIs name the same inputs of a tool alike. */
export function toToolUse(name: string, input: Readonly<Record<string, unknown>> = {}): ToolUse {
  const find = (...names: string[]) => names.map((each) => input[each]).find((value) => typeof value === 'string')
  const path = find('file_path', 'notebook_path', 'absolute_path', 'dir_path')
  const detail = find('command', 'pattern', 'description')
  return { kind: 'tool', name, path, detail }
}

export interface CliCallReport {
  /** The model that was asked last. */
  readonly model: string
  readonly modelsTried: readonly string[]
  /** The newest id of the conversation, which may differ from the requested one. */
  readonly conversationId?: string | undefined
  /** The cost of this call alone, as far as known. Gemini reports none, so it is computed from the prices. */
  readonly costUsd?: number | undefined
  /** The cost of some of its use is unknown. */
  readonly costPartial?: true | undefined
  /** The cost of the whole conversation so far: `conversationCostUsd` of a call that resumes or forks it. */
  readonly conversationCostUsd?: number | undefined
  readonly inputTokens?: number | undefined
  /** The part of the input that came from a cache. */
  readonly cachedTokens?: number | undefined
  readonly outputTokens?: number | undefined
  /** How much of the model's context the conversation fills at the end. Claude only; the last answer's share is an estimate. */
  readonly contextTokens?: number | undefined
  readonly durationMs: number
  readonly turns?: number | undefined
  readonly stdoutFile: string
  readonly stderrFile: string
  readonly sandbox?: Sandbox | undefined
  /** Further notes for people who read the report. */
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

/** Every call ends in an answer or a classified failure. Only its own signal's reason, and a broken disk, are thrown. */
export type CallResult = { readonly report: CliCallReport } & CallOutcome
