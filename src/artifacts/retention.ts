// Some days after a session's end, its artifacts are released, and content that no session references is removed.
// Gap: content that is put again in the microseconds between the last check and the removal is lost.
import type { ArtifactStore } from './artifact-store.ts'

export interface ArtifactReferences {
  releaseEndedBefore(time: string): Promise<void>
  listReferencedRefs(): Promise<ReadonlySet<string>>
  /** Of sessions that have not ended, and of imports. */
  listRefsInUse(): Promise<ReadonlySet<string>>
}

export interface SweepOptions {
  readonly artifacts: ArtifactStore
  readonly index: ArtifactReferences
  readonly olderThanDays: number
  readonly now: Date
}

export interface SweepResult {
  readonly removed: number
  readonly bytes: number
}

// Recent content is spared, since its reference may be on the way, so a sweep may run at any time. Only one write to the store lies
// between putting and referencing; an hour allows for machines that slept in between.
const GRACE_MS = 60 * 60 * 1000
const DAY_MS = 24 * 60 * 60 * 1000

export async function sweepArtifacts({ artifacts, index, olderThanDays, now }: SweepOptions): Promise<SweepResult> {
  await index.releaseEndedBefore(new Date(now.getTime() - olderThanDays * DAY_MS).toISOString())
  const putBefore = now.getTime() - GRACE_MS
  await artifacts.removeUnfinished(putBefore)
  if (artifacts.bucket) {
    // Its own rule deletes, so that homes may share it: what is in use begins its days anew, what has ended runs out.
    for (const ref of await index.listRefsInUse()) await artifacts.bucket.renew(ref)
    return { removed: 0, bytes: 0 }
  }
  const needed = await index.listReferencedRefs()
  let [removed, bytes] = [0, 0]
  for await (const each of artifacts.list()) {
    if (needed.has(each.ref) || each.putAt >= putBefore) continue
    if (!(await artifacts.remove(each.ref, putBefore))) continue
    removed++
    bytes += each.bytes
  }
  return { removed, bytes }
}
