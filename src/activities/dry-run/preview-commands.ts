// The commands that a session would run, with their arguments; only conversation ids are gaps.
import { buildClaudeArguments } from '../../agents/claude/call-claude.ts'
import { buildGeminiArguments } from '../../agents/gemini/call-gemini.ts'
import type { DryCommand } from '../../domain/session/dry-run.ts'
import { buildClaudeCall } from '../agent-call/run-with-cli.ts'
import type { ActivityContext, Session } from '../context.ts'
import { type FirstCall, formatGap } from './first-prompts.ts'

export async function previewCommands(
  context: ActivityContext,
  session: Session,
  calls: readonly FirstCall[],
): Promise<DryCommand[]> {
  if (calls.length === 0) return []
  const { setup, setup_timeout_seconds, commands, timeout_seconds } = session.settings.verification
  return await context.masking.maskValues([
    ...setup.map((command) => ({ purpose: 'setup' as const, command, timeout_seconds: setup_timeout_seconds })),
    ...commands.map((command) => ({ purpose: 'verification' as const, command, timeout_seconds })),
    ...(await Promise.all(calls.map((call) => previewAgentCommand(context, session, call)))),
  ])
}

async function previewAgentCommand(
  context: ActivityContext,
  session: Session,
  { role, resumes, ...options }: FirstCall,
): Promise<DryCommand> {
  const { claude, gemini, fix_challenger } = session.settings
  const { cli, model } = context.agents.loadAgent(role)
  const about = { purpose: 'agent', role } as const
  const readableTree = fix_challenger.sees === 'tree' ? formatGap('the folder with the judged tree') : undefined
  if (cli === 'gemini') {
    const { command, timeout_seconds } = gemini
    return {
      ...about,
      command,
      arguments: buildGeminiArguments(gemini.models[0] ?? model, readableTree),
      timeout_seconds,
    }
  }
  const isNaming = role === 'git-branch-creator' || role === 'git-committer'
  const timeout_seconds = isNaming ? claude.small_timeout_seconds : claude.timeout_seconds
  const signal = new AbortController().signal
  const place = {
    role,
    isRepair: false,
    deadlineMs: timeout_seconds * 1000,
    marker: '',
    scratch: '',
    signal,
    prices: [],
  }
  const call = buildClaudeCall(context, session, { ...place, onProgress: () => undefined }, options)
  const args = await buildClaudeArguments(call, {
    model: call.models[0] ?? model,
    session: resumes
      ? { resume: formatGap('the conversation so far'), fork: true }
      : { id: formatGap('a new conversation') },
    agentsFile: '',
  })
  return { ...about, command: claude.command, arguments: args, timeout_seconds }
}
