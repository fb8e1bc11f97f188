// The id of the workflow that watches: one for a pull request, whoever starts it.
import { parseRemote } from './forge-address.ts'

export interface WatchSubject {
  readonly remote: string
  readonly number?: number | undefined
  readonly repositoryId: string
  readonly branch: string
}

export function formatWatchId({ remote, number, repositoryId, branch }: WatchSubject): string {
  const address = number === undefined ? undefined : parseRemote(remote)
  if (address === undefined) return `watch/${repositoryId}/${branch}`
  return `watch/${address.host}/${address.owner}/${address.name}#${number}`.toLowerCase()
}
