// What a session would do, told without doing any of it: the shape of `fix --dry-run --json`.
import type { Refusal } from '../errors/fixwright-error.ts'

export interface DryPrompt {
  /** The call that would be made. */
  readonly call: string
  readonly role: string
  readonly iteration: number
  readonly codes: readonly string[]
  /** What only the session itself can know, as it stands in the prompt: «the diff of the fix». None: this is what would be sent. */
  readonly gaps: readonly string[]
  readonly prompt: string
}

export interface DryCommand {
  readonly purpose: 'setup' | 'verification' | 'agent'
  /** The agents that are called so. */
  readonly roles?: readonly string[]
  /** As the operator wrote it; of an agent, its program. */
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
  /** Of the commit, should all of its issues pass. */
  readonly commit_subject: string
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
    /** The head of the branch that the work would go on with; null where it would begin at the base itself. */
    readonly goes_on_from: string | null
  }
  /** As the rules name it, also where an agent is to find a better name; null where nothing is left to do. */
  readonly branch: string | null
  readonly left_out: readonly { readonly issue_code: string; readonly reason: string }[]
  readonly notes: readonly string[]
  readonly stages: readonly DryStage[]
  readonly commands: readonly DryCommand[]
  readonly prompts: readonly DryPrompt[]
}

/** Nothing would be begun. */
export interface DryRunSkipped {
  readonly dry_run: true
  readonly skipped: true
  readonly reason: string
}

export type DryRun =
  | Refusal
  | { readonly kind: 'nothing'; readonly nothing: DryRunSkipped }
  | { readonly kind: 'planned'; readonly plan: DryPlan }
