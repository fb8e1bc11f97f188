// What Fixwright asks of a forge. A forge without an API, such as a bare repository on a server, takes pushes and nothing else. Each call
// is tried once: who calls decides what a failure means, as an answer that was lost may stand for something that was done.
import type { ForgeAddress } from '../../domain/forge/forge-address.ts'

export interface Forge {
  /** For people. */
  readonly name: string
  /** Where and with which credential git reads and pushes. */
  gitTarget(): Promise<GitTarget>
  /** Absent where there is only git. */
  readonly api?: ForgeApi | undefined
}

export interface GitTarget {
  readonly url: string
  /** Absent for a folder, and for a host that we have no credential for. */
  readonly credential?: { readonly username: string; readonly password: string } | undefined
}

export interface ForgeApi {
  readonly address: ForgeAddress
  identity(): Promise<ForgeIdentity>
  repository(): Promise<ForgeRepository>
  rate(): Promise<ForgeRate>
  /** Open and closed ones of this branch. */
  listPulls(branch: string): Promise<Pull[]>
  /** One request. Undefined if it is as it was when it had this tag. */
  readPull(number: number, tag: string | undefined): Promise<PullReading | undefined>
  openPull(pull: NewPull): Promise<Pull>
  /** Open and closed ones of this author that changed since, by listing: a search may lag. Pull requests are none. */
  listIssues(filter: { readonly author: string; readonly since: string }): Promise<ForgeIssue[]>
  openIssue(issue: NewIssue): Promise<ForgeIssue>
  closeAsDuplicate(number: number): Promise<void>
  /** Open and closed ones with all of these labels, as the forge itself describes them; importers know that form. */
  describeIssues(labels: readonly string[]): Promise<readonly object[]>
  /** What code scanning has found on the default branch, in the forge's own form. */
  describeAlerts(): Promise<readonly object[]>
  getPull(number: number): Promise<Pull>
  /** Of an issue or a pull request, the oldest first; those on lines are apart. */
  listComments(number: number): Promise<ForgeComment[]>
  /** Undefined if it is gone. */
  getComment(id: number): Promise<CommandComment | undefined>
  /** Those that were written or edited since. */
  listCommentsSince(number: number, since: string): Promise<CommandComment[]>
  /** Whether this person may change the repository now: a right may have been taken away. */
  mayWrite(login: string): Promise<boolean>
  /** Shows whoever wrote it that it was read; safe to repeat. */
  acknowledge(commentId: number): Promise<void>
  createComment(number: number, body: string): Promise<void>
  editComment(id: number, body: string): Promise<void>
  deleteComment(id: number): Promise<void>
  listLineComments(pull: number): Promise<Pick<ForgeComment, 'author' | 'body'>[]>
  listApprovals(pull: number): Promise<ForgeApproval[]>
  /** One request, however many comments: they stand together or not at all. */
  postReview(pull: number, review: NewReview): Promise<void>
  dismissApproval(pull: number, id: number, why: string): Promise<void>
  /** The keys of what we have said of a commit. */
  listVerdictKeys(commit: string, context: string): Promise<string[]>
  setVerdict(commit: string, verdict: NewVerdict): Promise<void>
}

export interface ForgeComment {
  readonly id: number
  readonly url: string
  readonly author: string
  readonly body: string
}

/** A comment that may be a command. */
export interface CommandComment extends ForgeComment {
  /** Of the issue or pull request that it stands on. */
  readonly number: number
  readonly createdAt: string
  /** An App or a bot wrote it, or somebody who is gone. */
  readonly isByProgram: boolean
  readonly isEdited: boolean
}

export interface ForgeApproval extends Omit<ForgeComment, 'url'> {
  readonly commit: string
}

export interface NewReview {
  readonly commit: string
  readonly body: string
  readonly approves: boolean
  readonly comments: readonly NewLineComment[]
}

export interface NewLineComment {
  readonly path: string
  readonly side: 'LEFT' | 'RIGHT'
  readonly line: number
  readonly start_line?: number | undefined
  readonly body: string
}

export interface NewVerdict {
  /** Under which name it is required. */
  readonly context: string
  /** By which it is found again. */
  readonly key: string
  readonly verdict: 'approved' | 'not_approved' | 'no_verdict'
  readonly title: string
  readonly summary: string
}

export interface ForgeIdentity {
  readonly login: string
  readonly kind: 'user' | 'app'
  /** Where the credential comes from, as people call it. */
  readonly source: string
}

export interface ForgeRepository {
  readonly defaultBranch: string
  readonly canPush: boolean
}

export interface ForgeRate {
  readonly limit: number
  readonly remaining: number
  /** Milliseconds since the epoch. */
  readonly resetAt: number
}

export interface NewPull {
  readonly title: string
  readonly body: string
  readonly branch: string
  readonly base: string
  readonly draft: boolean
}

export interface NewIssue {
  readonly title: string
  readonly body: string
  readonly labels: readonly string[]
}

export interface ForgeIssue {
  readonly number: number
  readonly url: string
  readonly state: 'open' | 'closed'
  readonly body: string
  readonly author: string
  readonly labels: readonly string[]
}

export interface Pull {
  readonly number: number
  readonly url: string
  readonly title: string
  readonly body: string
  readonly state: 'open' | 'closed' | 'merged'
  readonly author: string
  readonly base: string
  /** The commit that the base is at. */
  readonly baseCommit: string
  readonly head: string
  /** The name of its head. */
  readonly branch: string
  /** Whether its head lies in another repository than its base, or in one that is gone. */
  readonly isFromFork: boolean
}

/** What a watch needs of a pull request. */
export interface PullReading extends Pick<Pull, 'state' | 'base' | 'head'> {
  /** Absent where a proxy takes ETags away. */
  readonly tag: string | undefined
  readonly branch: string
  /** Absent until it is merged. */
  readonly mergeCommit: string | undefined
}

/**
 * `limited`: nothing was done, and nothing will be before `until`. `refused`: nothing was done. `lost`: there was no answer, or one
 * that says nothing about what was done.
 */
export type ForgeFailureKind = 'limited' | 'unauthorised' | 'refused' | 'not_found' | 'lost'

export class ForgeError extends Error {
  override readonly name = 'ForgeError'
  readonly kind: ForgeFailureKind
  readonly status: number | undefined
  /** Milliseconds since the epoch; absent if the forge does not say. */
  readonly until: number | undefined
  /** What the credential would have to be allowed, in the forge's words. */
  readonly needs: string | undefined

  constructor(
    kind: ForgeFailureKind,
    message: string,
    facts: {
      readonly status?: number | undefined
      readonly until?: number | undefined
      readonly needs?: string | undefined
    } = {},
  ) {
    super(message)
    this.kind = kind
    this.status = facts.status
    this.until = facts.until
    this.needs = facts.needs
  }
}
