// What the GitHub of the test bed holds, as its tests look at it.
export type Fault =
  /** The connection ends, before or after the request took effect. */
  | { readonly kind: 'drop'; readonly after: boolean }
  /** An answer of 500, 502 or 503 to a request that took effect. */
  | { readonly kind: 'status'; readonly status: number }
  /** The primary limit: nothing is left until its reset. */
  | { readonly kind: 'primary'; readonly resetInSeconds: number }
  /** The secondary limit, with or without `retry-after`. */
  | { readonly kind: 'secondary'; readonly status: 403 | 429; readonly retryAfterSeconds?: number }
  | { readonly kind: 'truncated' }
  | { readonly kind: 'unauthorised' }
  /** The token may not do this. */
  | { readonly kind: 'forbidden' }
  /** No answer until the bed is told to release. */
  | { readonly kind: 'hold'; readonly after: boolean }

export interface PlannedFault {
  readonly method: string
  /** A regular expression for the path, without the prefix of the API. */
  readonly path: string
  /** The first request that matches is 1. */
  readonly nth?: number
  readonly fault: Fault
}

export interface Person {
  readonly login: string
  readonly id: number
}

export interface BedToken extends Person {
  readonly token: string
  /** A person's token may create no check runs. */
  readonly kind: 'personal' | 'installation'
  readonly contents?: 'read' | 'write'
  readonly push?: boolean
  /** The GitHub App by which the person writes comments. */
  readonly via?: string
  /** What the person may do in the repository. Default: as `push` says. */
  role?: 'admin' | 'write' | 'read' | 'none'
}

export interface BedComment {
  readonly id: number
  readonly issue: number
  readonly user: Person
  readonly via: string | undefined
  body: string
  readonly created_at: string
  updated_at: string
  edits: number
}

/** A reaction to a comment. */
export interface BedReaction {
  readonly id: number
  readonly comment: number
  readonly user: Person
  readonly content: string
}

/** What the hook was to be told. */
export interface BedDelivery {
  readonly id: string
  readonly event: string
  readonly payload: object
  /** What it has answered, each time. */
  readonly statuses: number[]
}

export interface BedHook {
  readonly url: string
  readonly secret: string
  /** How often each delivery is sent. */
  readonly times?: number
}

export interface BedReviewComment {
  readonly id: number
  readonly pull: number
  readonly review: number
  readonly user: Person
  readonly path: string
  readonly line: number
  readonly start_line: number | null
  readonly side: string
  readonly commit_id: string
  readonly body: string
}

export interface BedItem {
  readonly number: number
  readonly user: Person
  title: string
  body: string
  state: 'open' | 'closed'
  state_reason: string | null
  labels: readonly string[]
  readonly created_at: string
  updated_at: string
  edits: number
  readonly pull?: {
    readonly head: string
    /** `owner/name` of the repository that the head is in, if it is another one. */
    fork?: string
    base: string
    draft: boolean
    merged: boolean
    /** The last commit, from when it is no longer open. */
    sha: string
    mergeCommit?: string
  }
}

export interface BedReview {
  readonly id: number
  readonly pull: number
  readonly user: Person
  readonly body: string
  event: string
  readonly commit_id: string
}

export interface BedStatus {
  readonly id: number
  readonly sha: string
  readonly state: string
  readonly context: string
  readonly description: string
  readonly user: Person
}

export interface BedCheckRun {
  readonly id: number
  readonly head_sha: string
  readonly name: string
  readonly conclusion: string
  readonly title: string
  readonly external_id: string
}

export interface BedRequest {
  readonly method: string
  readonly path: string
  readonly login: string | undefined
  readonly status: number
  readonly fault?: string
}

export interface BedState {
  readonly items: BedItem[]
  readonly comments: BedComment[]
  readonly reactions: BedReaction[]
  readonly deliveries: BedDelivery[]
  readonly reviewComments: BedReviewComment[]
  readonly reviews: BedReview[]
  readonly statuses: BedStatus[]
  readonly checkRuns: BedCheckRun[]
  readonly requests: BedRequest[]
  /** What a request or an answer had that the description does not allow. */
  readonly problems: string[]
  /** Each credential that came or was given out: tokens, those of installations, and what an App signs. */
  readonly credentials: string[]
  /** Of code scanning, as a test has put them. */
  readonly alerts: object[]
}

export interface BedSetup {
  readonly owner: string
  readonly name: string
  /** The bare repository. */
  readonly bare: string
  readonly tokens: readonly BedToken[]
  readonly app?: {
    readonly id: number
    readonly slug: string
    readonly installation: number
    readonly publicKey: string
    readonly bot: Person
  }
}
