// How a session's settings and an agent's own file become a run of its CLI.
import { join } from 'node:path'
import type { AgentCall, CallResult } from '../../agents/agent-call.ts'
import { callClaude } from '../../agents/claude/call-claude.ts'
import { type AgentName, subAgents } from '../../agents/definitions.ts'
import { callGemini } from '../../agents/gemini/call-gemini.ts'
import { replyJsonSchema } from '../../agents/replies/reply-format.ts'
import type { BatchKind } from '../../domain/issue/code-kind.ts'
import type { Conversation } from '../../domain/protocol/index.ts'
import type { Session, Workshop } from '../context.ts'
import type { Place } from './agent-call.ts'
import { callSandbox, demandSandbox } from './sandbox.ts'

interface Run {
  readonly role: AgentName
  readonly prompt: string
  readonly place: Place
  readonly deadlineMs: number
}

interface ClaudeRun extends Run {
  readonly cwd: string
  /** With sub-agents for issues of this kind. */
  readonly kind?: BatchKind | undefined
  /** Goes on in a fork of its own: whoever else goes on from there hears nothing of it. */
  readonly resume?: Conversation | undefined
  /** Outside of where it works. */
  readonly readableFolders?: readonly string[] | undefined
}

/** The fixer's side: it works in the tree, and may hand single issues to sub-agents. */
export async function runClaude(shop: Workshop, session: Session, run: ClaudeRun): Promise<CallResult> {
  await demandSandbox(shop, session)
  const call: AgentCall = { ...claudeCall(shop, session, run), sandbox: callSandbox(shop, session) }
  if (run.resume === undefined) return await callClaude(call)
  const { id, costUsd } = run.resume
  const compactFirst = hasGrownLong(run.resume, session.settings)
  return await callClaude({ ...call, session: { resume: id, fork: true }, costSoFarUsd: costUsd, compactFirst })
}

/** How the CLI would be called, in a conversation that is still to be named. */
export function claudeCall(
  shop: Pick<Workshop, 'agents' | 'environment'>,
  { settings }: Session,
  run: ClaudeRun,
): AgentCall {
  const agent = shop.agents.loadAgent(run.role)
  const { models, small_models, effort, thinking_budget, command } = settings.claude
  const chain = agent.model === 'haiku' ? small_models : models
  return {
    ...run.place,
    command,
    prompt: run.prompt,
    cwd: run.cwd,
    models: chain.length > 0 ? chain : [agent.model],
    deadlineMs: Math.min(run.deadlineMs, run.place.leftMs ?? run.deadlineMs),
    schema: replyJsonSchema(agent.reply),
    environment: shop.environment,
    pidNamespace: settings.sandbox.pid_namespace,
    tools: { only: agent.tools, disallowed: agent.disallowed_tools },
    thinkingBudget: Math.min(agent.thinking_budget, thinking_budget),
    ...(run.kind === undefined ? {} : { subagents: subAgents(shop.agents, run.kind) }),
    readableFolders: run.readableFolders,
    effort: effort ?? agent.effort,
  }
}

/** It is compacted before it goes on, and what a summary leaves out has to be said again. */
export function hasGrownLong({ tokens = 0 }: Conversation, { claude }: Session['settings']): boolean {
  return tokens > claude.max_session_tokens
}

/** The models that may challenge: their CLI tells no cost. */
export function challengersOf({ agents }: Workshop, { gemini }: Session['settings']): readonly string[] {
  return gemini.models.length > 0 ? gemini.models : [agents.loadAgent('fix_challenger').model]
}

/** The challenger's side: it stands in an empty folder and has nothing to write to; all it gets is its prompt. */
export async function runGemini(shop: Workshop, session: Session, run: Run): Promise<CallResult> {
  await demandSandbox(shop, session)
  const { settings } = session
  const { thinking_budget, command } = settings.gemini
  return await callGemini({
    ...run.place,
    command,
    prompt: run.prompt,
    cwd: run.place.scratch,
    emptyFolder: join(shop.sessions, '.empty'),
    compiled: shop.compiled,
    models: challengersOf(shop, settings),
    deadlineMs: Math.min(run.deadlineMs, run.place.leftMs ?? run.deadlineMs),
    environment: shop.environment,
    pidNamespace: settings.sandbox.pid_namespace,
    sandbox: callSandbox(shop, session),
    thinkingBudget: thinking_budget,
  })
}
