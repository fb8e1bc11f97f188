// Turns a session's settings and an agent's definition into a run of its CLI, in its sandbox.
import { dirname, join } from 'node:path'
import { ApplicationFailure } from '@temporalio/activity'
import { callClaude } from '../../agents/claude/call-claude.ts'
import { compactAndCallClaude } from '../../agents/claude/compact-conversation.ts'
import { buildSubAgents } from '../../agents/definitions.ts'
import { callGemini } from '../../agents/gemini/call-gemini.ts'
import { modelAccessProblem } from '../../agents/provider/model-access.ts'
import type { AgentCall, CallSandbox } from '../../agents/provider-contract.ts'
import { replyJsonSchema } from '../../agents/replies/reply-format.ts'
import type { Conversation } from '../../domain/workflow-types/index.ts'
import { listObjectFolders, type Workspace } from '../../platform/git/workspace/object-store.ts'
import { findWorkspace } from '../../platform/git/workspace/workspace.ts'
import { requiredSandboxProblem, type SandboxRules } from '../../platform/sandbox/enter-sandbox.ts'
import { type ActivityContext, type Session, sessionFolder, workspaceFolder } from '../context.ts'
import type { AgentRequest, CliRunContext } from './call-agent.ts'

interface ClaudeRunOptions {
  /** The workspace that the CLI runs in; without it, the CLI runs in the call's own scratch folder. */
  readonly workspace?: Workspace | undefined
  /** Adds the sub-agent that is told this; without it, the call has no tool for sub-agents either. */
  readonly subAgentPrompt?: string | undefined
  /** Other sub-agents than that one. */
  readonly subagents?: AgentCall['subagents']
  readonly readableFolders?: readonly string[] | undefined
  /** A checkout that it stands in and may only read, in place of the session's work tree. */
  readonly checkout?: Workspace | undefined
  /** In place of those of the settings for all roles. */
  readonly models?: readonly string[] | undefined
}

/** Runs Claude for a request. A resumed conversation goes on in a fork: other calls that resume it see nothing of this one. */
export function runWithClaude(
  context: ActivityContext,
  session: Session,
  options: ClaudeRunOptions = {},
): AgentRequest['run'] {
  return async (place, { prompt, resume }) => {
    await assertSandboxAvailable(context, session)
    const call: AgentCall = {
      ...buildClaudeCall(context, session, place, options),
      prompt,
      sandbox: buildAgentSandbox(context, session, options),
    }
    if (resume === undefined) return await callClaude(call)
    const conversation = { resume: resume.id, fork: true }
    const resumed = { ...call, conversation, conversationCostUsd: resume.costUsd }
    return await (needsCompaction(resume, session.settings) ? compactAndCallClaude(resumed) : callClaude(resumed))
  }
}

export function buildClaudeCall(
  context: Pick<ActivityContext, 'agents' | 'environment'>,
  { settings }: Session,
  place: CliRunContext,
  { checkout, workspace = checkout, ...options }: ClaudeRunOptions,
): Omit<AgentCall, 'prompt'> {
  const agent = context.agents.loadAgent(place.role)
  const { models, small_models, effort, thinking_budget, command } = settings.claude
  const chain = options.models ?? (agent.model === 'haiku' ? small_models : models)
  const { subAgentPrompt, subagents, readableFolders } = place.isRepair ? {} : options
  const tools =
    (options.subAgentPrompt ?? options.subagents) === undefined
      ? agent.tools.filter((tool) => tool !== 'Agent')
      : agent.tools
  return {
    ...place,
    command,
    cwd: workspace?.tree ?? place.scratch,
    models: chain.length > 0 ? chain : [agent.model],
    schema: replyJsonSchema(agent.reply),
    environment: context.environment,
    pidNamespace: settings.sandbox.pid_namespace,
    tools: { only: tools, disallowed: agent.disallowed_tools },
    thinkingBudget: Math.min(agent.thinking_budget, thinking_budget),
    ...(subAgentPrompt === undefined ? {} : { subagents: buildSubAgents(context.agents, subAgentPrompt) }),
    ...(subagents === undefined ? {} : { subagents }),
    readableFolders,
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

interface GeminiRunOptions {
  /** A folder that its tools may read; without one it has no tools. */
  readonly readableTree?: string | undefined
  /** By default those that may challenge. */
  readonly models?: readonly string[] | undefined
}

/** Gemini runs in an empty folder and has nothing to write to; it gets its prompt, and perhaps a tree to read. */
export function runWithGemini(
  context: ActivityContext,
  session: Session,
  { readableTree, models = challengerModels(context, session.settings) }: GeminiRunOptions = {},
): AgentRequest['run'] {
  return async (place, { prompt }) => {
    await assertSandboxAvailable(context, session)
    const { settings } = session
    const { thinking_budget, command } = settings.gemini
    return await callGemini({
      ...place,
      command,
      prompt,
      cwd: place.scratch,
      // Calls that share a folder share the settings in it, and so their tools.
      workingFolder: join(context.sessionsFolder, readableTree === undefined ? '.empty' : '.empty-reading'),
      readableTree,
      compileCache: context.compileCacheFolder,
      models,
      environment: context.environment,
      pidNamespace: settings.sandbox.pid_namespace,
      sandbox: buildAgentSandbox(context, session),
      thinkingBudget: thinking_budget,
    })
  }
}

/**
 * The sandbox shows a session's tree and, read-only, the git objects that its `.git` borrows. The rest of our home is hidden: other
 * sessions, and our own git directory.
 */
export function buildAgentSandbox(
  context: ActivityContext,
  session: Session,
  { checkout, workspace = checkout }: Pick<ClaudeRunOptions, 'checkout' | 'workspace'> = {},
): CallSandbox {
  const at = workspace ?? findWorkspace(workspaceFolder(context, session.id))
  return {
    ...buildSandboxRules(context, session),
    readable: at ? listObjectFolders(at.gitDir) : [],
    writable: at && !checkout ? [at.tree] : [],
    conversations: join(sessionFolder(context, session.id), 'conversations'),
    cache: join(sessionFolder(context, session.id), 'cache'),
  }
}

/** Checks the host that does the work, which may not be the one where the session was started. */
export async function assertSandboxAvailable(
  { environment }: Pick<ActivityContext, 'environment'>,
  { settings }: Pick<Session, 'settings'>,
): Promise<void> {
  const problem = (await requiredSandboxProblem(settings.sandbox)) ?? (await modelAccessProblem(settings, environment))
  if (problem !== undefined) throw ApplicationFailure.nonRetryable(problem)
}

export function buildSandboxRules({ sessionsFolder }: ActivityContext, { settings }: Session): SandboxRules {
  // The sessions folder lies directly in the home.
  return { settings: settings.sandbox, hidden: [dirname(sessionsFolder)] }
}
