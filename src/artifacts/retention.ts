// Retention: a session's claims on its artifacts end so many days after the session's end, and content that nobody claims goes.
// What was put just now is spared, as its claim may be on the way. So a sweep may run beside everything else, at any time.
// Gap: content that is put again in the microseconds between the last look and the removal is lost.
import type { ArtifactStore } from './artifact-store.ts'

/** Who says what is still needed; the store does. */
export interface ArtifactReferences {
  releaseEndedBefore(time: string): Promise<void>
  listReferencedRefs(): Promise<ReadonlySet<string>>
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

// Between putting content and claiming it lies one write to the store; an hour is for machines that slept in between.
const GRACE_MS = 60 * 60 * 1000
const DAY_MS = 24 * 60 * 60 * 1000

export async function sweepArtifacts({ artifacts, index, olderThanDays, now }: SweepOptions): Promise<SweepResult> {
  await index.releaseEndedBefore(new Date(now.getTime() - olderThanDays * DAY_MS).toISOString())
  const needed = await index.listReferencedRefs()
  const putBefore = now.getTime() - GRACE_MS
  let [removed, bytes] = [0, 0]
  for await (const each of artifacts.list()) {
    if (needed.has(each.ref) || each.putAt >= putBefore) continue
    if (!(await artifacts.remove(each.ref, putBefore))) continue
    removed++
    bytes += each.bytes
  }
  await artifacts.removeUnfinished(putBefore)
  return { removed, bytes }
}
