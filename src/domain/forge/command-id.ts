// The ids of the workflow that does what a comment asks for, and of the session that it starts: one for a comment, however often and by
// whatever way somebody hears of it.
import { parseRemote } from './forge-address.ts'

export interface CommandSubject {
  readonly remote: string
  readonly number: number
  /** By which the forge names the comment. */
  readonly commentId: number
}

const PREFIX = 'pull-command/'
const SESSION = '/session'

export function formatCommandId(subject: CommandSubject): string {
  return `${formatPullPrefix(subject)}${subject.commentId}`
}

/** With which the ids of all commands on a pull request begin. */
export function formatPullPrefix({ remote, number }: Omit<CommandSubject, 'commentId'>): string {
  const address = parseRemote(remote)
  return `${PREFIX}${address?.host}/${address?.owner}/${address?.name}#${number}/`.toLowerCase()
}

export function toCommandSessionId(commandId: string): string {
  return `${commandId}${SESSION}`
}

/** The command whose session this workflow is; undefined for any other. */
export function findCommandOfSession(workflowId: string): string | undefined {
  return workflowId.startsWith(PREFIX) && workflowId.endsWith(SESSION)
    ? workflowId.slice(0, -SESSION.length)
    : undefined
}
