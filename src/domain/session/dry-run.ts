// The plan of a session that is not run: the shape of `fix --dry-run --json`.
import type { Refusal } from '../errors/fixwright-error.ts'

export interface DryPrompt {
  /** The step id of the agent call. */
  readonly call: string
  readonly role: string
  readonly iteration: number
  readonly codes: readonly string[]
  /** Placeholders for text that only a real session knows: «the diff of the fix». If there are none, this prompt would be sent. */
  readonly gaps: readonly string[]
  readonly prompt: string
}

export interface DryCommand {
  readonly purpose: 'setup' | 'verification' | 'agent'
  /** The agent that runs this command. */
  readonly role?: string
  /** The command as the operator wrote it; for an agent, its program. */
  readonly command: string
  readonly arguments?: readonly string[]
  readonly timeout_seconds: number
}

export interface DryBatch {
  readonly label: string
  readonly workload: number
  readonly steps: readonly (readonly string[])[]
}

export interface DryStage {
  readonly batches: readonly DryBatch[]
  /** The subjects of the commits by the rules, if all issues pass and share no file. */
  readonly commit_subjects: readonly string[]
}

export interface DryPlan {
  readonly dry_run: true
  readonly repository: string
  readonly profile: string
  readonly max_iterations: number
  readonly base: {
    readonly name: string
    readonly commit: string
    readonly reviewed_against: string | null
    /** The head of the branch that the work would continue; null if it would begin at the base itself. */
    readonly goes_on_from: string | null
  }
  /** The name that the rules give, even if an agent is to find a better one; null if nothing is left to do. */
  readonly branch: string | null
  readonly left_out: readonly { readonly issue_code: string; readonly reason: string }[]
  readonly notes: readonly string[]
  readonly stages: readonly DryStage[]
  readonly commands: readonly DryCommand[]
  readonly prompts: readonly DryPrompt[]
}

/** No session would start. */
export interface DryRunSkipped {
  readonly dry_run: true
  readonly skipped: true
  readonly reason: string
}

export type DryRun =
  | Refusal
  | { readonly kind: 'nothing'; readonly nothing: DryRunSkipped }
  | { readonly kind: 'planned'; readonly plan: DryPlan }
