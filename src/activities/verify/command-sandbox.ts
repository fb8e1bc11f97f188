// Sandboxes the operator's commands: what they run, an agent wrote.

import { join } from 'node:path'
import type { AgentName } from '../../agents/definitions.ts'
import { getPathKind, readRegularFile, removePath } from '../../platform/git/unruly-files.ts'
import type { Workspace } from '../../platform/git/workspace/object-store.ts'
import { copySealed, placeSealed } from '../../platform/git/workspace/prepared-files.ts'
import { writeFileAtomically } from '../../platform/processes/write-file-atomically.ts'
import { type EnteredSandbox, enterSandbox, sandboxHome } from '../../platform/sandbox/enter-sandbox.ts'
import { recreateFolder } from '../../platform/sandbox/scratch-folders.ts'
import { assertSandboxAvailable, buildAgentSandbox, buildSandboxRules } from '../agent-call/run-with-cli.ts'
import type { ActivityContext, Session } from '../context.ts'

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

const CACHES = '.cache'

function cacheFolder({ directory, sharedFrom = directory }: Workspace): string {
  return join(sharedFrom, 'caches')
}

function sealFile({ directory, sharedFrom = directory }: Workspace): string {
  return join(sharedFrom, 'caches.seal')
}

/**
 * The caches of compilers in a sandbox whose home is empty in each run: what the checks of the untouched base left in `~/.cache` is kept
 * before any agent that can write is called. Later runs get a copy, which goes with them: what they compile reaches no other run.
 * Gap: where another session's results on the base are taken over, the checks do not run on it, and leave none.
 */
async function keepCaches(workspace: Workspace, home: string): Promise<void> {
  const made = join(home, CACHES)
  if (getPathKind(made) !== 'directory') return
  await removePath(sealFile(workspace))
  await removePath(cacheFolder(workspace))
  // A cache is no loss: a strange entry, or a full disk, only makes later runs slower.
  const seal = await copySealed(made, cacheFolder(workspace)).catch(() => undefined)
  if (seal !== undefined) writeFileAtomically(sealFile(workspace), seal)
}

/** Puts a copy of the kept caches into a home. */
async function placeCaches(workspace: Workspace, home: string): Promise<void> {
  const seal = readRegularFile(sealFile(workspace))
  if (seal === undefined) return
  const to = join(home, CACHES)
  await placeSealed(cacheFolder(workspace), seal, to).catch(() => removePath(to))
}
