// What of a session is seen in the sandbox: its tree, which may be changed, and the git objects that the tree's own `.git` borrows,
// which may not. Everything else of our home is hidden, other sessions and our own git directory with it.
import { dirname, join } from 'node:path'
import { ApplicationFailure } from '@temporalio/activity'
import type { CallSandbox } from '../../agents/agent-call.ts'
import type { AgentName } from '../../agents/definitions.ts'
import { modelAccessProblem } from '../../agents/provider/sandbox.ts'
import { listObjectFolders } from '../../platform/git/workspace/object-store.ts'
import { findWorkspace } from '../../platform/git/workspace/workspace.ts'
import {
  type EnteredSandbox,
  enterSandbox,
  requiredSandboxProblem,
  type SandboxRules,
  sandboxHome,
} from '../../platform/sandbox/enter-sandbox.ts'
import { recreateFolder } from '../../platform/sandbox/scratch-folders.ts'
import { type ActivityContext, type Session, sessionFolder, workspaceFolder } from '../context.ts'

export function buildAgentSandbox(context: ActivityContext, session: Session): CallSandbox {
  const workspace = findWorkspace(workspaceFolder(context, session.id))
  return {
    ...buildSandboxRules(context, session),
    readable: workspace ? listObjectFolders(workspace.gitDir) : [],
    writable: workspace ? [workspace.tree] : [],
    conversations: join(sessionFolder(context, session.id), 'conversations'),
    cache: join(sessionFolder(context, session.id), 'cache'),
  }
}

/** Around a command of the operator's that runs what an agent wrote; undefined where the settings don't ask for one. */
export async function enterCommandSandbox(
  context: ActivityContext,
  session: Session,
  { folder, cwd }: { readonly folder: string; readonly cwd: string },
): Promise<EnteredSandbox | undefined> {
  const { sandbox } = session.settings
  if (sandbox.mode !== 'require') return undefined
  await assertSandboxAvailable(context, session)
  await recreateFolder(sandboxHome(folder))
  return await enterSandbox(buildSandboxRules(context, session), {
    command: '/bin/sh',
    environment: context.environment,
    folder,
    readable: buildAgentSandbox(context, session).readable,
    writable: [cwd],
    network: sandbox.commands_network ? 'open' : 'none',
  })
}

/** Whether no agent that can change anything was called yet: what lies in the tree, ignored files with it, is then none's of them. */
export async function isBeforeAnyWritingAgent({ store, agents }: ActivityContext, { id }: Session): Promise<boolean> {
  const calls = await store.agentCalls.listForSession(id)
  return calls.every(
    ({ role }) => !agents.loadAgent(role as AgentName).tools.some((tool) => WRITING_TOOLS.includes(tool)),
  )
}

const WRITING_TOOLS = ['Edit', 'Write', 'NotebookEdit', 'Bash', 'Agent']

/** On the machine where the work is done, which may be another one than where it was asked for. */
export async function assertSandboxAvailable(
  { environment }: Pick<ActivityContext, 'environment'>,
  { settings }: Pick<Session, 'settings'>,
): Promise<void> {
  const problem = (await requiredSandboxProblem(settings.sandbox)) ?? (await modelAccessProblem(settings, environment))
  if (problem !== undefined) throw ApplicationFailure.nonRetryable(problem)
}

function buildSandboxRules({ sessionsFolder }: ActivityContext, { settings }: Session): SandboxRules {
  // The folder of sessions lies right in the home.
  return { settings: settings.sandbox, hidden: [dirname(sessionsFolder)] }
}
