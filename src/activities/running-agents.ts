// How a session's settings and an agent's own file become a run of its CLI.
import type { CallResult } from '../agents/call.ts'
import { callClaude } from '../agents/claude.ts'
import { type AgentName, subAgents } from '../agents/definitions.ts'
import { callGemini } from '../agents/gemini.ts'
import { replyJsonSchema } from '../agents/reply-format.ts'
import type { Kind } from '../domain/kind.ts'
import type { Place } from './asking.ts'
import type { Session, Workshop } from './workshop.ts'

interface Run {
  readonly role: AgentName
  readonly prompt: string
  readonly place: Place
  readonly deadlineMs: number
}

/** The fixer's side: it works in the tree, and may hand single issues to sub-agents. */
export async function runClaude(
  shop: Workshop,
  { settings }: Session,
  run: Run & { readonly cwd: string; readonly kind?: Kind; readonly resume?: string | undefined },
): Promise<CallResult> {
  const agent = shop.agents.loadAgent(run.role)
  const { models, small_models, effort, thinking_budget, command } = settings.claude
  const chain = agent.model === 'haiku' ? small_models : models
  return await callClaude({
    ...run.place,
    command,
    prompt: run.prompt,
    cwd: run.cwd,
    models: chain.length > 0 ? chain : [agent.model],
    deadlineMs: run.deadlineMs,
    schema: replyJsonSchema(agent.reply),
    environment: shop.environment,
    pidNamespace: settings.sandbox.pid_namespace,
    tools: { disallowed: agent.disallowed_tools },
    thinkingBudget: Math.min(agent.thinking_budget, thinking_budget),
    ...(run.kind === undefined ? {} : { subagents: subAgents(shop.agents, run.kind) }),
    ...(run.resume === undefined ? {} : { session: { resume: run.resume, fork: true } }),
    ...(effort === null && agent.effort === undefined ? {} : { effort: effort ?? agent.effort }),
  })
}

/** The challenger's side: it stands in an empty folder and has nothing to write to; all it gets is its prompt. */
export async function runGemini(shop: Workshop, { settings }: Session, run: Run): Promise<CallResult> {
  const agent = shop.agents.loadAgent(run.role)
  const { models, thinking_budget, command } = settings.gemini
  return await callGemini({
    ...run.place,
    command,
    prompt: run.prompt,
    cwd: run.place.scratch,
    models: models.length > 0 ? models : [agent.model],
    deadlineMs: run.deadlineMs,
    environment: shop.environment,
    pidNamespace: settings.sandbox.pid_namespace,
    thinkingBudget: thinking_budget,
  })
}
