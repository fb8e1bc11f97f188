// Each command that needs the instance holds a lease: a file that names its process, removed at its end. A lease of a dead process
// does not count, so a killed command keeps nothing alive.
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { isRunning, ProcessIdentity, readOwnIdentity } from '../../platform/processes/process-identity.ts'
import { writeFileAtomically } from '../../platform/processes/write-file-atomically.ts'
import type { Home } from '../home/home.ts'

export const Lease = z.object({
  /** `up` stays until it is stopped; a command stays until its work is done. */
  kind: z.enum(['command', 'up']),
  identity: ProcessIdentity,
  since: z.iso.datetime(),
})
export type Lease = Readonly<z.infer<typeof Lease>>

const SUFFIX = '.json'
let leaseCount = 0

/** Returns the function that gives the lease back. */
export function takeLease(home: Home, kind: Lease['kind']): () => void {
  const identity = readOwnIdentity()
  leaseCount += 1
  const file = join(home.leases, `${identity.pid}-${identity.startedAt.replace(/\W+/g, '-')}-${leaseCount}${SUFFIX}`)
  writeFileAtomically(file, JSON.stringify({ kind, identity, since: new Date().toISOString() } satisfies Lease), 0o600)
  return () => rmSync(file, { force: true })
}

/** The leases of running processes; the others are removed. */
export function listLiveLeases(home: Home): Lease[] {
  const files = readdirSync(home.leases).filter((name) => name.endsWith(SUFFIX))
  return files.flatMap((name) => {
    const file = join(home.leases, name)
    const lease = readLease(file)
    if (lease !== undefined && isRunning(lease.identity)) return [lease]
    rmSync(file, { force: true })
    return []
  })
}

function readLease(file: string): Lease | undefined {
  try {
    return Lease.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    // The lease was given back meanwhile, or the file is not ours.
    return undefined
  }
}
