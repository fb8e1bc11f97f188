// Turns a session's settings and an agent's definition into a run of its CLI.
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
import { assertSandboxAvailable, buildAgentSandbox } from './build-agent-sandbox.ts'

interface CliCall {
  readonly role: AgentName
  readonly prompt: string
  readonly place: CliRunContext
  readonly deadlineMs: number
}

interface ClaudeCall extends CliCall {
  readonly cwd: string
  /** Adds sub-agents for issues of this kind. */
  readonly kind?: BatchKind | undefined
  /** The run goes on in a fork: other calls that resume the same conversation see nothing of it. */
  readonly resume?: Conversation | undefined
  readonly readableFolders?: readonly string[] | undefined
}

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

/** A conversation that is too long is compacted first; the prompt then repeats what a summary leaves out. */
export function needsCompaction({ tokens = 0 }: Conversation, { claude }: Session['settings']): boolean {
  return tokens > claude.max_session_tokens
}

/** The models that may challenge; their CLI reports no cost. */
export function challengerModels({ agents }: ActivityContext, { gemini }: Session['settings']): readonly string[] {
  return gemini.models.length > 0 ? gemini.models : [agents.loadAgent('fix_challenger').model]
}

/** The challenger runs in an empty folder and has nothing to write to; its prompt is all that it gets. */
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
