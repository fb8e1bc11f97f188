// The names by which Temporal knows a session; people with a connection type them. The wire test pins each of them.
import type { SessionKind } from '../session/session-kind.ts'

export const SESSION_WORKFLOW = 'fixSession'
/** The workflow type of each kind of session. */
export const SESSION_WORKFLOWS = {
  fix: SESSION_WORKFLOW,
  review: 'reviewSession',
  'review-fix': 'reviewFixSession',
  votes: 'voteSession',
} as const satisfies Readonly<Record<SessionKind, string>>

/** The kind of session that workflows of this type are; an order to any other type is one to fix. */
export function toSessionKind(workflowType: string): SessionKind {
  const kinds = Object.keys(SESSION_WORKFLOWS) as SessionKind[]
  return kinds.find((kind) => SESSION_WORKFLOWS[kind] === workflowType) ?? 'fix'
}

/** The workflow types that bring something to a forge. */
export const FORGE_WORKFLOWS = {
  pull: 'openPullRequest',
  issues: 'createLeftoverIssues',
  votes: 'postVotes',
} as const

/** While it runs, whoever wants the votes of a session posted joins it. */
export function toPostVotesId(sessionId: string): string {
  return `post-votes/${sessionId}`
}
/** The key of the memo that says which limit of a forge such a workflow waits for. */
export const FORGE_WAIT_MEMO = 'forgeWait'
/** Waits for the end of a pull request. No instance is kept for it. */
export const WATCH_WORKFLOW = 'watchPull'
/** Makes a watch look at once. It carries nothing: a watch believes only what it sees. */
export const WATCH_WAKE_SIGNAL = 'wakeWatch'
/** The key of the memo that says what a watch waits for. */
export const WATCH_MEMO = 'watch'
/** Does what a comment on a pull request asks for. */
export const COMMAND_WORKFLOW = 'runPullCommand'
/** Tells such a workflow that its session waits, or goes on. It carries nothing: it looks. */
export const COMMAND_LOOK_SIGNAL = 'lookAtSession'
/** The task queue for orders, unless the setting `temporal.task_queue` names another. */
export const ORDER_QUEUE = 'fixwright'
export const SESSION_QUERY = 'session'
/** By this signal an activity that fails again and again tells its own workflow, whose details show it. */
export const TROUBLE_SIGNAL = 'reportTrouble'
/** The type of the failure of a step that waits for the bucket of the artifacts. */
export const BUCKET_FAILURE = 'ArtifactsUnreachable'
/** The key of the memo that holds the workflow's session id. */
export const SESSION_MEMO = 'sessionId'

export const SEARCH_ATTRIBUTES = {
  FixSession: 'Keyword',
  FixStatus: 'Keyword',
  FixRepository: 'Keyword',
  FixBranch: 'Keyword',
  FixAwaiting: 'Keyword',
  FixScore: 'Int',
} as const

/** A search attribute holds less than the store's text. Sessions of earlier versions have the path, whose end says more. */
export function toRepositoryAttribute(repository: string): string {
  return repository.slice(-255)
}

/** The address of a Temporal UI, and the namespace of our sessions in it. */
export interface TemporalUi {
  readonly ui: string
  readonly namespace: string
}

export function formatWorkflowUrl({ ui, namespace }: TemporalUi, workflowId: string): string {
  return `${ui.replace(/\/+$/, '')}/namespaces/${encodeURIComponent(namespace)}/workflows/${encodeURIComponent(workflowId)}`
}

/** A host's queue for long work, of which few run at a time. Short work has the host's own queue and never waits for it. */
export function longWorkQueue(hostQueue: string): string {
  return `${hostQueue}-long`
}
