// The running instance describes itself in one file of the home. The file exists only while the instance serves, and counts only while
// the process that it names runs.
import { readFileSync, rmSync } from 'node:fs'
import { z } from 'zod'
import type { Settings } from '../../domain/settings/schema.ts'
import { ORDER_QUEUE } from '../../domain/workflow-types/temporal-names.ts'
import { isRunning, ProcessIdentity } from '../../platform/processes/process-identity.ts'
import { writeFileAtomically } from '../../platform/processes/write-file-atomically.ts'
import type { Home } from '../home/home.ts'

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
})
export type Instance = Readonly<z.infer<typeof Instance>>

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
