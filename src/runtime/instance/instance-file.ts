// The running instance describes itself in one file of the home. The file exists only while the instance serves, and counts only while
// the process that it names runs.
import { readFileSync, rmSync } from 'node:fs'
import { z } from 'zod'
import type { Settings } from '../../domain/settings/schema.ts'
import { ORDER_QUEUE } from '../../domain/workflow-types/temporal-names.ts'
import { isRunning, ProcessIdentity } from '../../platform/processes/process-identity.ts'
import { writeFileAtomically } from '../../platform/processes/write-file-atomically.ts'
import type { Environment, Home } from '../home/home.ts'

export const Instance = z.object({
  identity: ProcessIdentity,
  /** Fixwright's version. */
  version: z.string(),
  startedAt: z.iso.datetime(),
  /** Whether the server at this address is the home's own, and not an existing cluster. */
  embedded: z.boolean(),
  address: z.string(),
  uiUrl: z.string().nullable(),
  namespace: z.string(),
  taskQueue: z.string(),
  hostQueue: z.string(),
  /** The search attributes that a session's start may set. */
  attributes: z.array(z.string()),
  /** The variables in which agents and checks are started; of most only the name. */
  environment: z.record(z.string(), z.string()).optional(),
  /** Whether it starts the sessions that commands put down in the store; one of an earlier version does not. */
  startsSessions: z.boolean().optional(),
})
export type Instance = Readonly<z.infer<typeof Instance>>

/** These say where programs and sign-ins are. Any other may hold a secret, so only its name is shown. */
const PLAIN_VARIABLES = ['PATH', 'HOME', 'CLAUDE_CONFIG_DIR', 'GEMINI_CLI_HOME']

export function describeEnvironment(env: Environment): Record<string, string> {
  const set = Object.entries(env).filter((entry): entry is [string, string] => Boolean(entry[1]))
  return Object.fromEntries(set.map(([name, value]) => [name, PLAIN_VARIABLES.includes(name) ? value : '(set)']))
}

export function findLiveInstance(home: Home): Instance | undefined {
  const text = readFileIfPresent(home.instanceFile)
  if (text === undefined) return undefined
  const instance = Instance.safeParse(JSON.parse(text))
  return instance.success && isRunning(instance.data.identity) ? instance.data : undefined
}

export function writeInstanceFile(home: Home, instance: Instance): void {
  writeFileAtomically(home.instanceFile, `${JSON.stringify(instance, undefined, 2)}\n`, 0o600)
}

export function removeInstanceFile(home: Home): void {
  rmSync(home.instanceFile, { force: true })
}

/**
 * The names of a home's task queues, stable over restarts. Orders and workflows run on `taskQueue`, which has a plain name on the home's
 * own server. Activities run on `hostQueue`: only this home's store knows its sessions.
 */
export function getTaskQueues(
  { hostId }: Pick<Home, 'hostId'>,
  { task_queue }: Pick<Settings['temporal'], 'task_queue'>,
  { embedded }: { readonly embedded: boolean },
): { readonly taskQueue: string; readonly hostQueue: string } {
  const own = `fixwright-${hostId}`
  return { taskQueue: task_queue ?? (embedded ? ORDER_QUEUE : own), hostQueue: `${own}-host` }
}

function readFileIfPresent(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
