// What of a session is seen in the sandbox: its tree, which may be changed, and the git objects that the tree's own `.git` borrows,
// which may not. Everything else of our home is hidden, other sessions and our own git directory with it.
import { dirname, join } from 'node:path'
import { ApplicationFailure } from '@temporalio/activity'
import type { CallSandbox } from '../../agents/agent-call.ts'
import type { AgentName } from '../../agents/definitions.ts'
import { modelsProblem } from '../../agents/provider/sandbox.ts'
import { objectFolders } from '../../platform/git/workspace/object-store.ts'
import { findWorkspace } from '../../platform/git/workspace/workspace.ts'
import {
  demandProblem,
  type Enclosed,
  enclose,
  homeBelow,
  type SandboxRules,
} from '../../platform/sandbox/enter-sandbox.ts'
import { freshFolder } from '../../platform/sandbox/scratch-folders.ts'
import { folderOf, type Session, type Workshop, workspaceFolder } from '../context.ts'

export function callSandbox(shop: Workshop, session: Session): CallSandbox {
  const workspace = findWorkspace(workspaceFolder(shop, session.id))
  return {
    ...rulesOf(shop, session),
    readable: workspace ? objectFolders(workspace.gitDir) : [],
    writable: workspace ? [workspace.tree] : [],
    conversations: join(folderOf(shop, session.id), 'conversations'),
    cache: join(folderOf(shop, session.id), 'cache'),
  }
}

/** Around a command of the operator's that runs what an agent wrote; undefined where the settings don't ask for one. */
export async function commandSandbox(
  shop: Workshop,
  session: Session,
  { folder, cwd }: { readonly folder: string; readonly cwd: string },
): Promise<Enclosed | undefined> {
  const { sandbox } = session.settings
  if (sandbox.mode !== 'require') return undefined
  await demandSandbox(shop, session)
  await freshFolder(homeBelow(folder))
  return await enclose(rulesOf(shop, session), {
    command: '/bin/sh',
    environment: shop.environment,
    folder,
    readable: callSandbox(shop, session).readable,
    writable: [cwd],
    network: sandbox.commands_network ? 'open' : 'none',
  })
}

/** Whether no agent that can change anything was called yet: what lies in the tree, ignored files with it, is then none's of them. */
export async function isUntouchedIn({ store, agents }: Workshop, { id }: Session): Promise<boolean> {
  const calls = await store.calls.ofSession(id)
  return calls.every(({ role }) => !agents.loadAgent(role as AgentName).tools.some((tool) => CHANGES.includes(tool)))
}

const CHANGES = ['Edit', 'Write', 'NotebookEdit', 'Bash', 'Agent']

/** On the machine where the work is done, which may be another one than where it was asked for. */
export async function demandSandbox(
  { environment }: Pick<Workshop, 'environment'>,
  { settings }: Pick<Session, 'settings'>,
): Promise<void> {
  const problem = (await demandProblem(settings.sandbox)) ?? (await modelsProblem(settings, environment))
  if (problem !== undefined) throw ApplicationFailure.nonRetryable(problem)
}

function rulesOf({ sessions }: Workshop, { settings }: Session): SandboxRules {
  // The folder of sessions lies right in the home.
  return { settings: settings.sandbox, hidden: [dirname(sessions)] }
}
