// A command that a comment on a pull request gives, as workflow and activities exchange it.
import type { Order } from '../session/parse-order.ts'
import type { ForgeOutcome, ForgeWork, PullRequestInput } from './forge.ts'

export interface PullCommandInput extends Omit<ForgeWork, 'sessionId'> {
  readonly number: number
  readonly commentId: number
  /** By which people know the pull request. */
  readonly name: string
}

/** What the comment said when it was read. From then on, whatever becomes of it changes nothing. */
export type ReadCommand =
  /** Nobody is told: it is no command, was done before, or comes from somebody who may not give any. */
  | { readonly kind: 'ignored'; readonly why: string }
  | { readonly kind: 'refused'; readonly by: string; readonly why: string }
  | {
      readonly kind: 'fix'
      readonly by: string
      readonly codes: readonly string[]
      readonly order: Order
      /** The branch and the last commit of the pull request. */
      readonly branch: string
      readonly head: string
      /** To be fetched before its session starts. Absent in histories in which reading the comment fetched them. */
      readonly commits?: readonly string[] | undefined
    }
  | {
      readonly kind: 'answer'
      readonly by: string
      readonly sessionId: string
      readonly message: CommandAnswer
    }

export interface PullCommitsInput extends PullCommandInput {
  readonly repository: string
  readonly commits: readonly string[]
}

export interface CommandAnswer {
  /** By the ids of the questions. */
  readonly answers: Readonly<Record<string, string>>
  readonly skip: boolean
  /** The questions that were open when the comment was read: no later ones are meant. */
  readonly request: string
}

export type CommandReply =
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'started'; readonly codes: readonly string[]; readonly head: string }
  | { readonly kind: 'questions' }
  | {
      readonly kind: 'ended'
      /** With the commits. */
      readonly pull?: number | undefined
      /** Why there is none. */
      readonly problem?: string | undefined
      /** Another session was at this work already. */
      readonly isOthers?: true | undefined
    }

export interface CommandReplyInput extends PullCommandInput {
  readonly reply: CommandReply
  /** The session that it is about. */
  readonly session?: CommandSession | undefined
}

export type CommandSession =
  /** By the workflow that the command has started. */
  { readonly workflowId: string; readonly runId: string } | { readonly sessionId: string }

export interface StandingReply {
  /** It stands there as it should, or there is nothing to say. */
  readonly isCurrent: boolean
  /** Second ones of ours, which go. */
  readonly duplicates: readonly number[]
}

/** One comment or more, by their ids, the oldest first. */
export interface FoundCommands {
  readonly ids: readonly number[]
  /** Where the next look begins. */
  readonly next: CommentMark
}

export interface CommentMark {
  /** What was written before counts no more. */
  readonly since: string
  /** The last comment that was seen. */
  readonly after: number
}

export interface CommandOutcome {
  readonly kind: ReadCommand['kind'] | 'failed'
  readonly detail: string
}

export interface CommandActivities {
  readCommand(input: PullCommandInput): Promise<ForgeOutcome<ReadCommand>>
  fetchPullCommits(input: PullCommitsInput): Promise<ForgeOutcome<readonly string[]>>
  /** Whoever asks for the same again gets the same. */
  answerSession(
    input: PullCommandInput & { readonly by: string; readonly sessionId: string; readonly message: CommandAnswer },
  ): Promise<ForgeOutcome<{ readonly refusal?: string | undefined }>>
  acknowledgeCommand(input: PullCommandInput): Promise<ForgeOutcome<number>>
  findCommandReply(input: CommandReplyInput): Promise<ForgeOutcome<StandingReply>>
  postCommandReply(input: CommandReplyInput): Promise<ForgeOutcome<StandingReply>>
  withdrawCommandReply(input: PullCommandInput & { readonly id: number }): Promise<ForgeOutcome<number>>
  /** Undefined if it has made no commit. */
  describeCommandPull(
    input: PullCommandInput & { readonly session: CommandSession; readonly branch: string },
  ): Promise<ForgeOutcome<Omit<PullRequestInput, 'homeQueue'> | undefined>>
}
