// A watch over a pull request, or over a branch where there is only git, as workflow and activities exchange it.
import type { ErrorCode } from '../errors/error-codes.ts'
import type { CommentMark, FoundCommands } from './commands.ts'
import type { ForgeOutcome, ForgeWork } from './forge.ts'

export interface WatchInput extends Omit<ForgeWork, 'sessionId'> {
  /** By which people know it: `acme/shop#12`, or a branch and what it is to be merged into. */
  readonly name: string
  /** Whose issues it is about. */
  readonly repositoryId: string
  /** Absent where there is only git. */
  readonly number?: number | undefined
  readonly branch: string
  /** What the branch is to be merged into, where there is only git. Default: what the remote's HEAD names. */
  readonly base?: string | undefined
  /** A history that is longer is continued as a new one. */
  readonly maxEvents?: number | undefined
  readonly carried?: WatchState | undefined
}

/** What a watch knows from one look to the next. Times are milliseconds since the epoch. */
export interface WatchState {
  readonly since: number
  /** Names what was seen last: it is not sent again while it stays. */
  readonly tag?: string | undefined
  readonly state?: SeenPull['state'] | undefined
  readonly pauseMs: number
  readonly looks: number
  /** Looks that found nothing new. */
  readonly unchanged: number
  readonly closedSince?: number | undefined
  /** Absent where comments give no commands. */
  readonly comments?: CommentMark | undefined
  readonly trouble?: { readonly since: number; readonly code: ErrorCode; readonly detail: string } | undefined
}

export interface SeenPull {
  /** Absent where the forge sends no ETags. */
  readonly tag?: string | undefined
  readonly state: 'open' | 'closed' | 'merged'
  readonly branch: string
  readonly base: string
  /** The last commit of the pull request; absent where there is only git. */
  readonly head?: string | undefined
  readonly mergeCommit?: string | undefined
}

export type PullLook =
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'seen'; readonly pull: SeenPull; readonly labels: WatchLabels }

/** For Temporal's UI. */
export interface WatchLabels {
  /** The search attributes that the server knows. */
  readonly attributes: readonly string[]
  /** The folder. */
  readonly repository: string
}

/** The codes of the issues whose status changed, and how many are left that may still be merged. */
export interface RecordedLanding {
  readonly merged: readonly string[]
  /** Open again, as their pull request was closed without being merged. */
  readonly reopened: readonly string[]
  /** Resolved again, as it was opened again. */
  readonly restored: readonly string[]
  /** Nobody can tell by git alone. */
  readonly unknown: readonly string[]
  readonly left: number
}

/** `given_up`: it could not look for too long. */
export interface WatchSummary extends Pick<WatchState, 'looks' | 'unchanged'> {
  readonly end: 'merged' | 'closed' | 'given_up'
  readonly issues?: RecordedLanding | undefined
  readonly detail?: string | undefined
}

/** What a list of watches shows, from the memo. */
export interface WatchMemo {
  readonly name: string
  readonly repositoryId: string
  readonly branch: string
  readonly state: SeenPull['state'] | 'unknown'
  readonly since: number
  readonly trouble: string
}

export interface WatchActivities {
  lookAtPull(input: WatchInput & { readonly tag?: string | undefined }): Promise<ForgeOutcome<PullLook>>
  /** Comments that are commands, without those that were seen before. */
  findCommands(input: WatchInput & { readonly mark: CommentMark }): Promise<ForgeOutcome<FoundCommands>>
  /** Gives each issue the status that follows. Safe to repeat. */
  recordLanding(input: WatchInput & { readonly pull: SeenPull }): Promise<ForgeOutcome<RecordedLanding>>
}
