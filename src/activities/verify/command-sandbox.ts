// Sandboxes the operator's commands: what they run, an agent wrote.
import type { AgentName } from '../../agents/definitions.ts'
import type { Workspace } from '../../platform/git/workspace/object-store.ts'
import { type EnteredSandbox, enterSandbox, sandboxHome } from '../../platform/sandbox/enter-sandbox.ts'
import { recreateFolder } from '../../platform/sandbox/scratch-folders.ts'
import { assertSandboxAvailable, buildAgentSandbox, buildSandboxRules } from '../agent-call/run-with-cli.ts'
import type { ActivityContext, Session } from '../context.ts'
import { keepCaches, placeCaches } from './command-caches.ts'

interface CommandPlace {
  readonly workspace: Workspace
  readonly folder: string
  readonly cwd: string
}

/** Undefined if the settings don't require a sandbox. */
export async function enterCommandSandbox(
  context: ActivityContext,
  session: Session,
  { workspace, folder, cwd }: CommandPlace,
): Promise<EnteredSandbox | undefined> {
  const { sandbox } = session.settings
  if (sandbox.mode !== 'require') return undefined
  await assertSandboxAvailable(context, session)
  const home = sandboxHome(folder)
  await recreateFolder(home)
  await placeCaches(workspace, home)
  const isUntouched = await isBeforeAnyWritingAgent(context, session)
  const entered = await enterSandbox(buildSandboxRules(context, session), {
    command: '/bin/sh',
    environment: context.environment,
    folder,
    readable: buildAgentSandbox(context, session).readable,
    writable: [cwd],
    network: sandbox.commands_network ? 'open' : 'none',
  })
  const release = async (): Promise<void> => {
    try {
      if (isUntouched) await keepCaches(workspace, home)
    } finally {
      await entered.release()
    }
  }
  return { ...entered, release }
}

/** Whether no agent that can write was called yet: then no agent made any file in the tree, ignored files included. */
export async function isBeforeAnyWritingAgent({ store, agents }: ActivityContext, { id }: Session): Promise<boolean> {
  const calls = await store.agentCalls.listForSession(id)
  return calls.every(
    ({ role }) => !agents.loadAgent(role as AgentName).tools.some((tool) => WRITING_TOOLS.includes(tool)),
  )
}

const WRITING_TOOLS = ['Edit', 'Write', 'NotebookEdit', 'Bash', 'Agent']
