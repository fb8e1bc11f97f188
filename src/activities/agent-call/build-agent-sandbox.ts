// The sandbox shows a session's tree and, read-only, the git objects that its `.git` borrows. The rest of our home is
// hidden: other sessions, and our own git directory.
import { dirname, join } from 'node:path'
import { ApplicationFailure } from '@temporalio/activity'
import type { CallSandbox } from '../../agents/agent-call.ts'
import type { AgentName } from '../../agents/definitions.ts'
import { modelAccessProblem } from '../../agents/provider/enter-cli-sandbox.ts'
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

/** Sandboxes an operator's command that runs an agent's code; undefined if the settings don't require a sandbox. */
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

/** Whether no agent that can write was called yet: then no agent made any file in the tree, ignored files included. */
export async function isBeforeAnyWritingAgent({ store, agents }: ActivityContext, { id }: Session): Promise<boolean> {
  const calls = await store.agentCalls.listForSession(id)
  return calls.every(
    ({ role }) => !agents.loadAgent(role as AgentName).tools.some((tool) => WRITING_TOOLS.includes(tool)),
  )
}

const WRITING_TOOLS = ['Edit', 'Write', 'NotebookEdit', 'Bash', 'Agent']

/** Checks the host that does the work, which may not be the one where the session was started. */
export async function assertSandboxAvailable(
  { environment }: Pick<ActivityContext, 'environment'>,
  { settings }: Pick<Session, 'settings'>,
): Promise<void> {
  const problem = (await requiredSandboxProblem(settings.sandbox)) ?? (await modelAccessProblem(settings, environment))
  if (problem !== undefined) throw ApplicationFailure.nonRetryable(problem)
}

function buildSandboxRules({ sessionsFolder }: ActivityContext, { settings }: Session): SandboxRules {
  // The sessions folder lies directly in the home.
  return { settings: settings.sandbox, hidden: [dirname(sessionsFolder)] }
}
