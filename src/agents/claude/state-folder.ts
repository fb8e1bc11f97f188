// Prepares the state folder that Claude finds in a sandbox: the operator's sign-in and settings, no other conversation and no history.
// Gap: simultaneous calls renew a sign-in that is about to expire each for themselves.

import { mkdir, readFile, realpath, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { parseJsonIfValid } from '../../domain/text/parse-json.ts'
import { writeFileAtomically } from '../../platform/processes/write-file-atomically.ts'
import type { SandboxView } from '../../platform/sandbox/bubblewrap-arguments.ts'
import { readSmallFile } from '../../platform/sandbox/scratch-folders.ts'

/** Visible read-only. */
const READ_ONLY_ENTRIES = [
  'settings.json',
  'CLAUDE.md',
  'agents',
  'commands',
  'skills',
  'plugins',
  'output-styles',
  'rules',
  'local',
]
const CREDENTIALS_FILE = '.credentials.json'
const GLOBAL_CONFIG_FILE = '.claude.json'

export interface ClaudeState {
  readonly bindMounts: NonNullable<SandboxView['bindMounts']>
  readonly readable: readonly string[]
  /** Environment variables from the operator's own Claude settings. */
  readonly variables: NodeJS.ProcessEnv
  saveRenewedSignIn(): Promise<void>
}

/**
 * Conversations last as long as the session. Anything else that the CLI or an agent writes there is thrown away, as hooks or instructions
 * left behind would act on the operator's next call. Only a renewed sign-in is brought home.
 */
export async function prepareClaudeState(
  environment: NodeJS.ProcessEnv,
  {
    folder: state,
    home: emptyHome,
    conversations,
  }: { readonly folder: string; readonly home: string; readonly conversations: string },
): Promise<ClaudeState> {
  const home = environment.HOME || homedir()
  const at = findConfigFolder(environment)
  // The CLI keeps this file in CLAUDE_CONFIG_DIR if that is set, else in the home.
  const [from, to] = environment.CLAUDE_CONFIG_DIR ? ([at, state] as const) : ([home, emptyHome] as const)
  await mkdir(conversations, { recursive: true, mode: 0o700 })
  await writeFile(join(to, GLOBAL_CONFIG_FILE), await readGlobalConfig(join(from, GLOBAL_CONFIG_FILE)), { mode: 0o600 })
  const [theirs, ours] = [join(at, CREDENTIALS_FILE), join(state, CREDENTIALS_FILE)]
  const before = await readOrEmpty(theirs)
  if (before !== '') await writeFile(ours, before, { mode: 0o600 })
  return {
    bindMounts: [
      { at, is: state },
      { at: join(at, 'projects'), is: conversations },
    ],
    readable: READ_ONLY_ENTRIES.map((name) => join(at, name)),
    variables: await readClaudeSettingsEnv(environment),
    saveRenewedSignIn: async () => {
      const after = await readSmallFile(ours)
      if (!isRenewed(before, after) || (await readOrEmpty(theirs)) !== before) return
      writeFileAtomically(await realpath(theirs), after, 0o600)
    },
  }
}

export async function readClaudeSettingsEnv(environment: NodeJS.ProcessEnv): Promise<NodeJS.ProcessEnv> {
  const settings = ClaudeSettings.safeParse(
    parseJsonIfValid(await readOrEmpty(join(findConfigFolder(environment), 'settings.json'))),
  )
  return settings.data?.env ?? {}
}

function findConfigFolder({ CLAUDE_CONFIG_DIR, HOME }: NodeJS.ProcessEnv): string {
  return CLAUDE_CONFIG_DIR || join(HOME || homedir(), '.claude')
}

const ClaudeSettings = z.looseObject({ env: z.record(z.string(), z.string()).optional() })
const SignIn = z.looseObject({ claudeAiOauth: z.looseObject({ accessToken: z.string(), expiresAt: z.number() }) })

/** Whether an expiring sign-in was replaced by one that lasts longer. Nothing else that an agent could write there is trusted. */
function isRenewed(before: string, after: string): boolean {
  const [old, renewed] = [before, after].map((text) => SignIn.safeParse(parseJsonIfValid(text)).data?.claudeAiOauth)
  const soon = Date.now() + 10 * 60_000
  return old !== undefined && renewed !== undefined && old.expiresAt < soon && renewed.expiresAt > old.expiresAt
}

/** Keeps the sign-in and the consents, but not the names of other repositories and servers. */
async function readGlobalConfig(file: string): Promise<string> {
  const { projects, mcpServers, ...rest } = (parseJsonIfValid(await readOrEmpty(file)) ?? {}) as Record<string, unknown>
  return JSON.stringify(rest)
}

async function readOrEmpty(file: string): Promise<string> {
  return await readFile(file, 'utf8').catch(() => '')
}
