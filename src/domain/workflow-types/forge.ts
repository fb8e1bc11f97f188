// What is brought to a forge after a session, as workflow and activities exchange it: references and numbers, never a credential.

import type { ErrorCode } from '../errors/error-codes.ts'
import type { VotesToPost } from '../forge/compose-votes.ts'
import type { ForgeSettings } from '../settings/forge-settings.ts'

export interface ForgeWork {
  readonly sessionId: string
  readonly homeQueue: string
  /** The address of the remote. */
  readonly remote: string
  readonly github: ForgeSettings
}

export interface PullRequestInput extends ForgeWork {
  readonly branch: string
  /** What is pushed. */
  readonly commit: string
  readonly title: string
  /** The artifact with the body. */
  readonly bodyRef: string
  /** Default: the forge's default branch. */
  readonly base?: string | undefined
  readonly draft: boolean
}

/**
 * `limited`: nothing was done, and nothing will be before `until`. `lost`: the answer to a write is missing, so nobody knows whether it
 * took effect.
 */
export type ForgeOutcome<Value> =
  | { readonly kind: 'done'; readonly value: Value }
  | { readonly kind: 'limited'; readonly until: number; readonly detail: string }
  | { readonly kind: 'lost'; readonly detail: string }
  | ForgeRefusal

export interface ForgeRefusal {
  readonly kind: 'refused'
  readonly code: ErrorCode
  readonly detail: string
}

export interface PostedPull {
  readonly number: number
  readonly url: string
  readonly state: 'open' | 'closed' | 'merged'
  /** Whether it is ours, by its marker and its author. */
  readonly isOurs: boolean
}

export interface PushedBranch {
  readonly branch: string
  readonly commit: string
  /** Whether the forge has pull requests. */
  readonly hasPulls: boolean
  readonly forge: string
  /** Absent in histories from before watches: then none is started. */
  readonly repositoryId?: string | undefined
}

export type PullRequestSummary =
  | { readonly kind: 'pull'; readonly pull: PostedPull; readonly isNew: boolean; readonly pushed: PushedBranch }
  /** The forge has only git. */
  | { readonly kind: 'pushed'; readonly pushed: PushedBranch }
  | ForgeRefusal

export interface LeftoverIssuesInput extends ForgeWork {
  /** The artifact with the issues that are wanted. */
  readonly issuesRef: string
  readonly keys: readonly string[]
  readonly labels: readonly string[]
  /** Before it, no issue of the session can have been made. */
  readonly since: string
}

export interface PostedIssue {
  readonly key: string
  readonly number: number
  readonly url: string
  /** A person may have closed it, which stands. */
  readonly state: 'open' | 'closed'
  /** Labels that the forge did not take. */
  readonly missingLabels: readonly string[]
}

export interface LeftoverIssuesSummary {
  readonly created: readonly PostedIssue[]
  /** Those that were there before. */
  readonly found: readonly PostedIssue[]
  readonly failed: readonly { readonly key: string; readonly code: ErrorCode; readonly detail: string }[]
  /** Second issues of one key, which were closed. */
  readonly duplicates: readonly number[]
}

export interface PostVotesInput extends ForgeWork {
  /** Of the pull request. */
  readonly number: number
  readonly votes: VotesToPost
  /** Whether an approval is posted as one. */
  readonly approve: boolean
}

/** `review`: the comments on lines, and the approval. `verdict`: the check run or status of the commit. */
export type VotePart = 'review' | 'comment' | 'verdict'

/** What stands on a pull request of two votes. */
export interface VotePosts {
  /** The head of the pull request now. */
  readonly head: string
  readonly missing: readonly VotePart[]
  readonly url?: string | undefined
  /** Second comments of ours, which go. */
  readonly duplicates: readonly number[]
  /** Approvals of ours that are about another commit, or not true any more. */
  readonly staleApprovals: readonly number[]
  /** Approvals of ours that count; absent in histories from before it was asked. */
  readonly approvals?: readonly number[] | undefined
}

export interface FailedVotePart {
  readonly part: VotePart
  readonly code: ErrorCode
  readonly detail: string
  /** One of ours that should have gone is still there. */
  readonly isWithdrawal?: true | undefined
  /** It was posted, and nobody could look again. */
  readonly isUnchecked?: true | undefined
}

export type PostVotesSummary =
  | {
      readonly kind: 'posted'
      readonly posted: readonly VotePart[]
      readonly url: string | undefined
      readonly failed: readonly FailedVotePart[]
      /** Set if the pull request has another head by now: then this verdict is about none of its commits that count. */
      readonly movedTo?: string | undefined
    }
  | ForgeRefusal

export interface ForgeActivities {
  findVotePosts(input: PostVotesInput): Promise<ForgeOutcome<VotePosts>>
  postVotePart(input: PostVotesInput & { readonly part: VotePart }): Promise<ForgeOutcome<VotePart>>
  withdrawVotePost(
    input: PostVotesInput & { readonly what: 'comment' | 'approval'; readonly id: number },
  ): Promise<ForgeOutcome<number>>
  /** Of all keys that have one, the lowest number of a key first. */
  findLeftoverIssues(input: LeftoverIssuesInput): Promise<ForgeOutcome<readonly PostedIssue[]>>
  openLeftoverIssue(input: LeftoverIssuesInput & { readonly key: string }): Promise<ForgeOutcome<PostedIssue>>
  closeDuplicateIssue(input: LeftoverIssuesInput & { readonly number: number }): Promise<ForgeOutcome<number>>
  pushBranch(input: PullRequestInput): Promise<ForgeOutcome<PushedBranch>>
  /** Those of the branch, open ones first. */
  findPulls(input: PullRequestInput): Promise<ForgeOutcome<readonly PostedPull[]>>
  openPull(input: PullRequestInput): Promise<ForgeOutcome<PostedPull>>
}
