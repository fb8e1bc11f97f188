// The names by which Temporal knows a session: whoever has a connection types them. The wire test pins each of them.

export const SESSION_WORKFLOW = 'fixSession'
/** Where orders are taken, unless the setting `temporal.task_queue` says otherwise. */
export const ORDER_QUEUE = 'fixwright'
export const SESSION_QUERY = 'session'
/** The key of the memo that says which session a workflow works on. */
export const SESSION_MEMO = 'sessionId'

export const SEARCH_ATTRIBUTES = {
  FixStatus: 'Keyword',
  FixRepository: 'Keyword',
  FixBranch: 'Keyword',
  FixAwaiting: 'Keyword',
  FixScore: 'Int',
} as const

/** A store's text may be longer than a search attribute; the end of a path tells more than its beginning. */
export function toRepositoryAttribute(repository: string): string {
  return repository.slice(-255)
}

/** Where a host takes what may run for long, a few at a time. What is short has the host's own queue and never waits for it. */
export function longWorkQueue(hostQueue: string): string {
  return `${hostQueue}-long`
}
