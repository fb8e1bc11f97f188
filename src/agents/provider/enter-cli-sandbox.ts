// Sets up the sandbox of one run of a CLI: its own state folder and home, the tree, and the operator's files that its variables name.
import { existsSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import type { Sandbox } from '../../domain/settings/sandbox-level.ts'
import type { RunResult } from '../../platform/processes/run-process.ts'
import {
  type EnteredSandbox,
  enterSandbox,
  type SandboxedRun,
  sandboxHome,
  shouldEnterSandbox,
} from '../../platform/sandbox/enter-sandbox.ts'
import { discardFolder, recreateFolder } from '../../platform/sandbox/scratch-folders.ts'
import type { AgentCall, CallSandbox } from '../provider-contract.ts'
import { isSwitchedOn } from './environment.ts'

interface CliRun {
  /** The CLI's environment. Some of the files that it names become visible, too. */
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
}

/** What one CLI needs besides the rules for all of them. */
interface CliNeeds extends Required<Pick<SandboxedRun, 'readable' | 'writable' | 'bindMounts' | 'network'>> {
  readonly beforeRelease?: () => Promise<void>
}

/** The folder for the CLI's own state, and the home. Both are empty. */
interface CliFolders {
  readonly folder: string
  readonly home: string
}

export interface CliEnvironment {
  readonly env: NodeJS.ProcessEnv
  /** Undefined if the run is not sandboxed. */
  readonly enclosed: EnteredSandbox | undefined
}

export async function enterCliSandbox(
  call: AgentCall,
  { env, cwd }: CliRun,
  prepare: (sandbox: CallSandbox, folders: CliFolders) => Promise<CliNeeds>,
): Promise<CliEnvironment> {
  const { sandbox, scratch, environment, command } = call
  if (sandbox === undefined || !(await shouldEnterSandbox(sandbox.settings))) return { env, enclosed: undefined }
  const folders = { folder: join(scratch, 'state'), home: sandboxHome(scratch) }
  for (const each of Object.values(folders)) await recreateFolder(each)
  const { beforeRelease, readable, ...needs } = await prepare(sandbox, folders)
  const entered = await enterSandbox(sandbox, {
    ...{ command, environment, folder: scratch },
    readable: [cwd, ...readable, ...listFilesInVariables(env), ...listCloudConfigFolders(env)],
    ...needs,
  })
  const release = async () => {
    try {
      await beforeRelease?.()
    } finally {
      await entered.release()
      await discardFolder(folders.folder)
    }
  }
  return { env: { ...env, ...entered.environment }, enclosed: { ...entered, release } }
}

export function getSandboxLevel({ inNamespace }: RunResult, enclosed: EnteredSandbox | undefined): Sandbox {
  return enclosed?.sandbox ?? (inNamespace ? 'processes' : 'none')
}

export function describeRefusals(enclosed: EnteredSandbox | undefined): string[] {
  const refused = enclosed?.refusedEndpoints() ?? []
  return refused.length === 0 ? [] : [`the sandbox let it reach none of ${refused.join(', ')}`]
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
