// How a session's settings and an agent's own file become a run of its CLI.
import { join } from 'node:path'
import type { AgentCall, CallResult } from '../../agents/agent-call.ts'
import { callClaude } from '../../agents/claude/call-claude.ts'
import { type AgentName, buildSubAgents } from '../../agents/definitions.ts'
import { callGemini } from '../../agents/gemini/call-gemini.ts'
import { replyJsonSchema } from '../../agents/replies/reply-format.ts'
import type { BatchKind } from '../../domain/issue/code-kind.ts'
import type { Conversation } from '../../domain/protocol/index.ts'
import type { ActivityContext, Session } from '../context.ts'
import type { CliRunContext } from './agent-call.ts'
import { assertSandboxAvailable, buildAgentSandbox } from './sandbox.ts'

interface CliCall {
  readonly role: AgentName
  readonly prompt: string
  readonly place: CliRunContext
  readonly deadlineMs: number
}

interface ClaudeCall extends CliCall {
  readonly cwd: string
  /** With sub-agents for issues of this kind. */
  readonly kind?: BatchKind | undefined
  /** Goes on in a fork of its own: whoever else goes on from there hears nothing of it. */
  readonly resume?: Conversation | undefined
  /** Outside of where it works. */
  readonly readableFolders?: readonly string[] | undefined
}

/** The fixer's side: it works in the tree, and may hand single issues to sub-agents. */
export async function callClaudeForSession(
  context: ActivityContext,
  session: Session,
  run: ClaudeCall,
): Promise<CallResult> {
  await assertSandboxAvailable(context, session)
  const call: AgentCall = { ...buildClaudeCall(context, session, run), sandbox: buildAgentSandbox(context, session) }
  if (run.resume === undefined) return await callClaude(call)
  const { id, costUsd } = run.resume
  const compactFirst = needsCompaction(run.resume, session.settings)
  return await callClaude({
    ...call,
    conversation: { resume: id, fork: true },
    conversationCostUsd: costUsd,
    compactFirst,
  })
}

/** How the CLI would be called, in a conversation that is still to be named. */
export function buildClaudeCall(
  context: Pick<ActivityContext, 'agents' | 'environment'>,
  { settings }: Session,
  run: ClaudeCall,
): AgentCall {
  const agent = context.agents.loadAgent(run.role)
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
    environment: context.environment,
    pidNamespace: settings.sandbox.pid_namespace,
    tools: { only: agent.tools, disallowed: agent.disallowed_tools },
    thinkingBudget: Math.min(agent.thinking_budget, thinking_budget),
    ...(run.kind === undefined ? {} : { subagents: buildSubAgents(context.agents, run.kind) }),
    readableFolders: run.readableFolders,
    effort: effort ?? agent.effort,
  }
}

/** It is compacted before it goes on, and what a summary leaves out has to be said again. */
export function needsCompaction({ tokens = 0 }: Conversation, { claude }: Session['settings']): boolean {
  return tokens > claude.max_session_tokens
}

/** The models that may challenge: their CLI tells no cost. */
export function challengerModels({ agents }: ActivityContext, { gemini }: Session['settings']): readonly string[] {
  return gemini.models.length > 0 ? gemini.models : [agents.loadAgent('fix_challenger').model]
}

/** The challenger's side: it stands in an empty folder and has nothing to write to; all it gets is its prompt. */
export async function callGeminiForSession(
  context: ActivityContext,
  session: Session,
  run: CliCall,
): Promise<CallResult> {
  await assertSandboxAvailable(context, session)
  const { settings } = session
  const { thinking_budget, command } = settings.gemini
  return await callGemini({
    ...run.place,
    command,
    prompt: run.prompt,
    cwd: run.place.scratch,
    workingFolder: join(context.sessionsFolder, '.empty'),
    compileCache: context.compileCacheFolder,
    models: challengerModels(context, settings),
    deadlineMs: Math.min(run.deadlineMs, run.place.leftMs ?? run.deadlineMs),
    environment: context.environment,
    pidNamespace: settings.sandbox.pid_namespace,
    sandbox: buildAgentSandbox(context, session),
    thinkingBudget: thinking_budget,
  })
}
