// Every command that a session would run, with its arguments; only conversation ids are placeholders.
import { buildClaudeArguments } from '../../agents/claude/arguments.ts'
import type { AgentName } from '../../agents/definitions.ts'
import { buildGeminiArguments } from '../../agents/gemini/call-gemini.ts'
import type { BatchKind } from '../../domain/issue/code-kind.ts'
import type { DryCommand, DryPrompt } from '../../domain/session/dry-run.ts'
import { buildClaudeCall } from '../agent-call/cli-call.ts'
import type { ActivityContext, Session } from '../context.ts'
import { NAMING_TIMEOUT_SECONDS } from '../open/name-branch.ts'
import { todoPaths } from '../plan/todo-files.ts'

const NEW_CONVERSATION = { id: '«gap: a new conversation»' }
const RESUMED_CONVERSATION = { resume: '«gap: the conversation so far»', fork: true }

/** `scratch` takes arguments that are too long for a command line. */
export async function previewCommands(
  context: ActivityContext,
  session: Session,
  prompts: readonly DryPrompt[],
  { kind, scratch }: { readonly kind: BatchKind; readonly scratch: string },
): Promise<DryCommand[]> {
  const { verification, claude, gemini } = session.settings
  const { setup, setup_timeout_seconds, commands, timeout_seconds } = verification
  const roles = [...new Set(prompts.map(({ role }) => role))]
  const agents = roles.map(async (role): Promise<DryCommand> => {
    const [first] = prompts.filter((prompt) => prompt.role === role)
    const { cli, model } = context.agents.loadAgent(role as AgentName)
    const about = { purpose: 'agent', roles: [role] } as const
    if (cli === 'gemini') {
      const chosen = gemini.models[0] ?? model
      const args = buildGeminiArguments(chosen)
      return { ...about, command: gemini.command, arguments: args, timeout_seconds: gemini.timeout_seconds }
    }
    const place = { marker: '', scratch, signal: new AbortController().signal, prices: [], onProgress: () => undefined }
    const isNaming = role === 'git-branch-creator' || role === 'git-committer'
    const isFixer = role === 'fixer' || role === 're_fixer'
    const call = buildClaudeCall(context, session, {
      ...{ role: role as AgentName, prompt: '', place, deadlineMs: claude.timeout_seconds * 1000, cwd: '' },
      ...(isFixer ? { kind } : {}),
      ...(first?.prompt.includes('<data name="todo"') ? { readableFolders: [todoPaths(context, session).folder] } : {}),
    })
    const begins = first?.prompt.includes('<data name="issues"') ?? true
    const args = await buildClaudeArguments(call, {
      model: call.models[0] ?? model,
      session: begins ? NEW_CONVERSATION : RESUMED_CONVERSATION,
      agentsFile: `${scratch}/${role}.json`,
    })
    const seconds = isNaming ? NAMING_TIMEOUT_SECONDS : claude.timeout_seconds
    return { ...about, command: claude.command, arguments: args, timeout_seconds: seconds }
  })
  const own = [
    ...setup.map((command) => ({ purpose: 'setup' as const, command, timeout_seconds: setup_timeout_seconds })),
    ...commands.map((command) => ({ purpose: 'verification' as const, command, timeout_seconds })),
  ]
  return await context.masking.maskValues([...own, ...(await Promise.all(agents))])
}
