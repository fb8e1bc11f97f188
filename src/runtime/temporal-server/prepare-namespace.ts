// Prepares the namespace of sessions: retention, and the search attributes by which the Temporal UI filters them. The embedded server
// makes all of it at its start; an existing cluster is changed as far as it allows.
import { setTimeout as delay } from 'node:timers/promises'
import type { ConnectionLike } from '@temporalio/client'
import { SEARCH_ATTRIBUTES } from '../../domain/workflow-types/temporal-names.ts'

export interface NamespaceOptions {
  readonly namespace: string
  readonly retentionDays: number
  /** The time that a new namespace or attribute may take to reach all of the cluster. */
  readonly propagationMs?: number
  readonly onStep: (text: string) => void
}

// temporal.api.enums.v1.IndexedValueType
const ATTRIBUTE_TYPES = { Keyword: 2, Int: 3 } as const
const NOT_FOUND = 5
const ALREADY_EXISTS = 6
const DAY_SECONDS = 86_400

/** Returns the search attributes that can be used now: the cluster refuses a start that names an unknown one. */
export async function prepareNamespace(connection: ConnectionLike, options: NamespaceOptions): Promise<string[]> {
  const { namespace, propagationMs = 30_000 } = options
  const fresh = await ensureNamespace(connection, options)
  const deadline = performance.now() + propagationMs
  while (fresh && (await findQueryError(connection, namespace, '')) !== undefined) {
    if (performance.now() > deadline)
      throw new Error(`The new namespace ${namespace} is still not usable after ${propagationMs / 1000} s.`)
    await delay(100)
  }
  return ensureAttributes(connection, options, deadline)
}

/** Returns whether the namespace is new. */
async function ensureNamespace(connection: ConnectionLike, options: NamespaceOptions): Promise<boolean> {
  const { namespace, retentionDays, onStep } = options
  const service = connection.workflowService
  const retention = { seconds: retentionDays * DAY_SECONDS } as never
  try {
    const { config } = await service.describeNamespace({ namespace })
    if (Number(config?.workflowExecutionRetentionTtl?.seconds ?? 0) < retentionDays * DAY_SECONDS) {
      // A longer retention is fine. A shorter one is made longer if we may; if not, that is no reason to stop.
      const update = { namespace, config: { workflowExecutionRetentionTtl: retention } }
      await service.updateNamespace(update).catch((error: Error) => {
        onStep(`the retention of namespace ${namespace} stays as it is: ${error.message}`)
      })
    }
    return false
  } catch (error) {
    if (getErrorCode(error) !== NOT_FOUND) throw error
  }
  onStep(`making the namespace ${namespace}, with ${retentionDays} days' retention`)
  try {
    await service.registerNamespace({ namespace, workflowExecutionRetentionPeriod: retention })
  } catch (error) {
    if (getErrorCode(error) === ALREADY_EXISTS) return true
    throw new Error(
      `The namespace ${namespace} is not there and can't be made (${(error as Error).message}). ` +
        'Make it, or name one that is there in the setting temporal.namespace or in TEMPORAL_NAMESPACE.',
    )
  }
  return true
}

async function ensureAttributes(
  connection: ConnectionLike,
  options: NamespaceOptions,
  deadline: number,
): Promise<string[]> {
  const { namespace, onStep } = options
  try {
    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace })
    const wanted = Object.entries(SEARCH_ATTRIBUTES)
    const usable = wanted
      .filter(([name, type]) => customAttributes[name] === ATTRIBUTE_TYPES[type])
      .map(([name]) => name)
    const missing = wanted.filter(([name]) => customAttributes[name] === undefined)
    if (missing.length === 0) return usable
    const searchAttributes = Object.fromEntries(missing.map(([name, type]) => [name, ATTRIBUTE_TYPES[type]]))
    await connection.operatorService.addSearchAttributes({ namespace, searchAttributes })
    const added = missing.map(([name]) => name)
    while (performance.now() < deadline) {
      const query = added.map((name) => `${name} IS NOT NULL`).join(' OR ')
      if ((await findQueryError(connection, namespace, query)) === undefined) return [...usable, ...added]
      await delay(100)
    }
    onStep('the new search attributes are not known to the cluster yet; sessions do without them until the next start')
    return usable
  } catch (error) {
    onStep(`sessions do without search attributes: ${(error as Error).message}`)
    return []
  }
}

/** Why the cluster can't list workflows by a query; undefined if it can. */
async function findQueryError(
  connection: ConnectionLike,
  namespace: string,
  query: string,
): Promise<Error | undefined> {
  const listing = connection.workflowService.listWorkflowExecutions({ namespace, query, pageSize: 1 })
  return listing.then(() => undefined).catch((error: Error) => error)
}

function getErrorCode(error: unknown): unknown {
  return (error as { code?: unknown }).code
}
