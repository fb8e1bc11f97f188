// Sets up the sandbox of each CLI: the operator's files that it needs, and the endpoints.
import { existsSync, statSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import type { Sandbox } from '../../domain/settings/sandbox-level.ts'
import { isChallenged, type Settings } from '../../domain/settings/schema.ts'
import type { RunResult } from '../../platform/processes/run-process.ts'
import { egressProblem } from '../../platform/sandbox/egress/egress.ts'
import {
  type EnteredSandbox,
  enterSandbox,
  type SandboxedRun,
  sandboxHome,
  shouldEnterSandbox,
} from '../../platform/sandbox/enter-sandbox.ts'
import { discardFolder, recreateFolder } from '../../platform/sandbox/scratch-folders.ts'
import type { AgentCall, CallSandbox } from '../agent-call.ts'
import { prepareClaudeState, readClaudeSettingsEnv } from '../claude/state-folder.ts'
import { prepareGeminiState } from '../gemini/state-folder.ts'
import { readGeminiLogin } from '../gemini/working-folder.ts'
import { listClaudeEndpoints, listGeminiEndpoints } from './endpoints.ts'
import { isSwitchedOn } from './environment.ts'

interface CliRun {
  /** The CLI's environment. Some of the files that it names become visible, too. */
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
}

export async function enterClaudeSandbox(
  call: AgentCall,
  { env, cwd, agentsFile }: CliRun & { readonly agentsFile: string },
): Promise<EnteredSandbox | undefined> {
  const { sandbox, scratch, environment } = call
  if (sandbox === undefined || !(await shouldEnterSandbox(sandbox.settings))) return undefined
  const [folder, home] = [join(scratch, 'state'), sandboxHome(scratch)]
  for (const each of [folder, home]) await recreateFolder(each)
  const state = await prepareClaudeState(environment, { folder, home, conversations: sandbox.conversations })
  const { variables } = state
  const { cache } = sandbox
  if (cache !== undefined) await mkdir(cache, { recursive: true, mode: 0o700 })
  const caches = cache === undefined ? [] : [{ at: join(environment.HOME || homedir(), '.cache'), is: cache }]
  const inmate = buildSandboxedRun(call, sandbox, { env, cwd })
  const enclosed = await enterSandbox(sandbox, {
    ...inmate,
    readable: [...inmate.readable, agentsFile, ...(call.readableFolders ?? []), ...state.readable],
    bindMounts: [...state.bindMounts, ...caches],
    network: listClaudeEndpoints({ ...env, ...variables }),
  })
  return { ...enclosed, release: () => releaseAll(enclosed, folder, state.saveRenewedSignIn) }
}

export async function enterGeminiSandbox(call: AgentCall, { env, cwd }: CliRun): Promise<EnteredSandbox | undefined> {
  const { sandbox, scratch, environment } = call
  if (sandbox === undefined || !(await shouldEnterSandbox(sandbox.settings))) return undefined
  const folder = join(scratch, 'state')
  for (const each of [folder, sandboxHome(scratch)]) await recreateFolder(each)
  // The challenger edits nothing, so it sees neither the tree nor the todo files.
  const instead = await prepareGeminiState(environment, folder)
  const readable = env.NODE_COMPILE_CACHE === undefined ? [] : [env.NODE_COMPILE_CACHE]
  const inmate = buildSandboxedRun(call, { ...sandbox, readable, writable: [] }, { env, cwd })
  const enclosed = await enterSandbox(sandbox, { ...inmate, bindMounts: instead, network: listGeminiEndpoints(env) })
  return { ...enclosed, release: () => releaseAll(enclosed, folder) }
}

/** Why the models of a session with these settings can't be reached from its sandbox. Reported before any call is made. */
export async function modelAccessProblem(
  settings: Settings,
  environment: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  if (settings.sandbox.mode !== 'require') return undefined
  const claude = listClaudeEndpoints({ ...environment, ...(await readClaudeSettingsEnv(environment)) })
  const login = isChallenged(settings) ? await readGeminiLogin(environment) : undefined
  const gemini = login ? listGeminiEndpoints({ ...login.variables, ...environment }) : []
  return egressProblem([...claude, ...gemini], settings.sandbox.endpoints)
}

export function getSandboxLevel({ inNamespace }: RunResult, enclosed: EnteredSandbox | undefined): Sandbox {
  return enclosed?.sandbox ?? (inNamespace ? 'processes' : 'none')
}

export function describeRefusals(enclosed: EnteredSandbox | undefined): string[] {
  const refused = enclosed?.refusedEndpoints() ?? []
  return refused.length === 0 ? [] : [`the sandbox let it reach none of ${refused.join(', ')}`]
}

type CommonRun = Omit<SandboxedRun, 'network'>

function buildSandboxedRun(call: AgentCall, { readable, writable }: CallSandbox, { env, cwd }: CliRun): CommonRun {
  const { command, environment, scratch } = call
  return {
    command,
    environment,
    folder: scratch,
    readable: [cwd, ...readable, ...listFilesInVariables(env), ...listCloudConfigFolders(env)],
    writable,
  }
}

async function releaseAll(enclosed: EnteredSandbox, state: string, before?: () => Promise<void>): Promise<void> {
  try {
    await before?.()
  } finally {
    await enclosed.release()
    await discardFolder(state)
  }
}

/** A file that an allowed variable names is one that the CLI reads: certificates, keys, an administrator's settings. */
function listFilesInVariables(env: NodeJS.ProcessEnv): string[] {
  const values = Object.entries(env).flatMap(([name, value]) => (value && name !== 'SHELL' ? [value] : []))
  return values.filter((value) => isAbsolute(value) && existsSync(value) && isFileOrCertificates(value, env))
}

function isFileOrCertificates(path: string, { SSL_CERT_DIR }: NodeJS.ProcessEnv): boolean {
  return path === SSL_CERT_DIR || statSync(path).isFile()
}

/** Folders with the sign-in of the cloud that serves the model. */
function listCloudConfigFolders(env: NodeJS.ProcessEnv): string[] {
  const home = env.HOME || homedir()
  const folders = [
    ...(isSwitchedOn(env.CLAUDE_CODE_USE_BEDROCK) ? ['.aws'] : []),
    ...(isSwitchedOn(env.CLAUDE_CODE_USE_VERTEX) || isSwitchedOn(env.GOOGLE_GENAI_USE_VERTEXAI)
      ? ['.config/gcloud']
      : []),
    ...(isSwitchedOn(env.CLAUDE_CODE_USE_FOUNDRY) ? ['.azure'] : []),
  ]
  return folders.map((name) => join(home, name))
}
