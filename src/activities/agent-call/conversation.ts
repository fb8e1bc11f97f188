// The conversation of a call, as its record has it: a later call resumes it.
import type { CliCallReport } from '../../agents/provider-contract.ts'
import type { AgentCallRecord } from '../../domain/session/store-records.ts'
import type { Conversation } from '../../domain/workflow-types/index.ts'
import type { ActivityContext } from '../context.ts'

/** The conversation as the last completed of these calls left it. */
export async function findLastConversation(
  { store }: ActivityContext,
  sessionId: string,
  keys: readonly string[],
): Promise<Conversation | undefined> {
  for (const key of keys.toReversed()) {
    const call = await store.agentCalls.findLatest(sessionId, key)
    if (call?.state === 'finished' && call.reply_ref !== undefined) return parseConversation(call)
  }
  return undefined
}

export function parseConversation({
  result,
  cli_session_id: id,
  cost_usd: costUsd,
}: AgentCallRecord): Conversation | undefined {
  const kept = (result as { readonly conversation?: Conversation } | undefined)?.conversation
  return kept ?? (id === undefined ? undefined : { id, costUsd })
}

export function toConversation(
  { conversationId, conversationCostUsd, contextTokens }: CliCallReport,
  codes: readonly string[] | undefined,
): Conversation | undefined {
  if (conversationId === undefined) return undefined
  return { id: conversationId, costUsd: conversationCostUsd, tokens: contextTokens, ...(codes ? { codes } : {}) }
}
