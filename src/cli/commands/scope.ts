// `fixwright scope SESSION`: shows changes outside the scope, and sends a person's decision about them.

import { RefusedError } from '../../app/errors.ts'
import type { UnsignedMessage } from '../../app/session/send-message.ts'
import type { SessionState } from '../../domain/session/session-state.ts'
import { type SessionConversation, withSessionConversation } from '../session/message-session.ts'
import { print, printJson } from '../terminal/console.ts'
import { describeScope, describeWait } from '../terminal/describe-decision.ts'
import { isInteractive } from '../terminal/prompt.ts'

export interface ScopeOptions {
  readonly json: boolean
  /** An empty list means all paths. */
  readonly approve?: readonly string[] | undefined
  readonly approveOnce?: readonly string[] | undefined
  readonly forRepository: boolean
  /** `true` rejects without a reason. */
  readonly reject?: string | true | undefined
}

export async function runScopeCommand(typed: string, options: ScopeOptions): Promise<number> {
  const message = parseDecisionFlags(options)
  return withSessionConversation(typed, async (conversation) => {
    const state = await conversation.state()
    if (message === undefined) return await showScope(conversation, state, options.json)
    await conversation.send('decideScope', message)
    return await conversation.finish(options.json)
  })
}

function parseDecisionFlags(options: ScopeOptions): UnsignedMessage<'decideScope'> | undefined {
  const { approve, approveOnce, forRepository, reject } = options
  const ways = [approve, approveOnce, reject].filter((way) => way !== undefined)
  if (ways.length > 1) throw new RefusedError('bad_input', ['give one of --approve, --approve-once and --reject'])
  if (forRepository && approve === undefined)
    throw new RefusedError('bad_input', ['--for-repository says how long --approve holds: give --approve, too'])
  if (reject !== undefined) return { decision: 'reject', ...(reject === true ? {} : { reason: reject }) }
  const paths = approve ?? approveOnce
  if (paths === undefined) return undefined
  const remember = approveOnce ? 'once' : forRepository ? 'repository' : 'session'
  return { decision: 'approve', remember, ...(paths.length > 0 ? { paths: [...paths] } : {}) }
}

/** Starts no instance to show the changes; on a terminal the person can decide right away. */
async function showScope(conversation: SessionConversation, state: SessionState, json: boolean): Promise<number> {
  if (state.scope !== null && !json && isInteractive()) {
    await conversation.askOpenItems(state)
    return await conversation.finish(json)
  }
  if (json) printJson(state)
  else if (state.scope === null) print('no change outside of the scope waits for a decision')
  else print([describeScope(state.scope, process.stdout, true), '', describeWait(state)].join('\n'))
  return 0
}
