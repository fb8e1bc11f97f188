// The sandbox of each CLI: what it needs of its operator's files, and where it has to go.
import { existsSync, statSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import type { Sandbox } from '../../domain/settings/sandbox-level.ts'
import { isChallenged, type Settings } from '../../domain/settings/schema.ts'
import type { RunResult } from '../../platform/processes/run-process.ts'
import { reachProblem } from '../../platform/sandbox/egress/egress.ts'
import { type Enclosed, enclose, homeBelow, type Inmate, isEnclosed } from '../../platform/sandbox/enter-sandbox.ts'
import { discard, freshFolder } from '../../platform/sandbox/scratch-folders.ts'
import type { AgentCall, CallSandbox } from '../agent-call.ts'
import { claudeVariables, prepareClaudeState } from '../claude/state-folder.ts'
import { prepareGeminiState } from '../gemini/state-folder.ts'
import { ownGeminiLogin } from '../gemini/working-folder.ts'
import { claudeEndpoints, geminiEndpoints } from './endpoints.ts'
import { isOn } from './environment.ts'

interface Asked {
  /** What the CLI is given: of the files that it names some are seen, too. */
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
}

export async function encloseClaude(
  call: AgentCall,
  { env, cwd, agentsFile }: Asked & { readonly agentsFile: string },
): Promise<Enclosed | undefined> {
  const { sandbox, scratch, environment } = call
  if (sandbox === undefined || !(await isEnclosed(sandbox.settings))) return undefined
  const [folder, home] = [join(scratch, 'state'), homeBelow(scratch)]
  for (const each of [folder, home]) await freshFolder(each)
  const state = await prepareClaudeState(environment, { folder, home, conversations: sandbox.conversations })
  const { variables } = state
  const { cache } = sandbox
  if (cache !== undefined) await mkdir(cache, { recursive: true, mode: 0o700 })
  const caches = cache === undefined ? [] : [{ at: join(environment.HOME || homedir(), '.cache'), is: cache }]
  const inmate = inmateOf(call, sandbox, { env, cwd })
  const enclosed = await enclose(sandbox, {
    ...inmate,
    readable: [...inmate.readable, agentsFile, ...(call.readableFolders ?? []), ...state.readable],
    instead: [...state.instead, ...caches],
    network: claudeEndpoints({ ...env, ...variables }),
  })
  return { ...enclosed, release: () => releaseWith(enclosed, folder, state.bringHome) }
}

export async function encloseGemini(call: AgentCall, { env, cwd }: Asked): Promise<Enclosed | undefined> {
  const { sandbox, scratch, environment } = call
  if (sandbox === undefined || !(await isEnclosed(sandbox.settings))) return undefined
  const folder = join(scratch, 'state')
  for (const each of [folder, homeBelow(scratch)]) await freshFolder(each)
  // The challenger works on nothing: neither tree nor todo files are shown to it.
  const instead = await prepareGeminiState(environment, folder)
  const readable = env.NODE_COMPILE_CACHE === undefined ? [] : [env.NODE_COMPILE_CACHE]
  const inmate = inmateOf(call, { ...sandbox, readable, writable: [] }, { env, cwd })
  const enclosed = await enclose(sandbox, { ...inmate, instead, network: geminiEndpoints(env) })
  return { ...enclosed, release: () => releaseWith(enclosed, folder) }
}

/** Why the models of a session with these settings can't be reached from its sandbox: told before any call is made. */
export async function modelsProblem(settings: Settings, environment: NodeJS.ProcessEnv): Promise<string | undefined> {
  if (settings.sandbox.mode !== 'require') return undefined
  const claude = claudeEndpoints({ ...environment, ...(await claudeVariables(environment)) })
  const login = isChallenged(settings) ? await ownGeminiLogin(environment) : undefined
  const gemini = login ? geminiEndpoints({ ...login.variables, ...environment }) : []
  return reachProblem([...claude, ...gemini], settings.sandbox.endpoints)
}

/** What stood around a call that is over. */
export function aroundIt({ inNamespace }: RunResult, enclosed: Enclosed | undefined): Sandbox {
  return enclosed?.sandbox ?? (inNamespace ? 'processes' : 'none')
}

export function refusalNotes(enclosed: Enclosed | undefined): string[] {
  const refused = enclosed?.refused() ?? []
  return refused.length === 0 ? [] : [`the sandbox let it reach none of ${refused.join(', ')}`]
}

type Common = Omit<Inmate, 'network'>

function inmateOf(call: AgentCall, { readable, writable }: CallSandbox, { env, cwd }: Asked): Common {
  const { command, environment, scratch } = call
  return {
    command,
    environment,
    folder: scratch,
    readable: [cwd, ...readable, ...filesNamed(env), ...clouds(env)],
    writable,
  }
}

async function releaseWith(enclosed: Enclosed, state: string, before?: () => Promise<void>): Promise<void> {
  try {
    await before?.()
  } finally {
    await enclosed.release()
    await discard(state)
  }
}

/** Certificates, keys, settings of an administrator: a file that an allowed variable names is one that the CLI reads. */
function filesNamed(env: NodeJS.ProcessEnv): string[] {
  const values = Object.entries(env).flatMap(([name, value]) => (value && name !== 'SHELL' ? [value] : []))
  return values.filter((value) => isAbsolute(value) && existsSync(value) && isFileOrCertificates(value, env))
}

function isFileOrCertificates(path: string, { SSL_CERT_DIR }: NodeJS.ProcessEnv): boolean {
  return path === SSL_CERT_DIR || statSync(path).isFile()
}

/** Where a cloud that the model is served from keeps its sign-in. */
function clouds(env: NodeJS.ProcessEnv): string[] {
  const home = env.HOME || homedir()
  const folders = [
    ...(isOn(env.CLAUDE_CODE_USE_BEDROCK) ? ['.aws'] : []),
    ...(isOn(env.CLAUDE_CODE_USE_VERTEX) || isOn(env.GOOGLE_GENAI_USE_VERTEXAI) ? ['.config/gcloud'] : []),
    ...(isOn(env.CLAUDE_CODE_USE_FOUNDRY) ? ['.azure'] : []),
  ]
  return folders.map((name) => join(home, name))
}
