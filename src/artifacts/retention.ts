// Retention: a session's claims on its artifacts end so many days after the session's end, and content that nobody claims goes.
// What was put just now is spared, as its claim may be on the way. So a sweep may run beside everything else, at any time.
// Gap: content that is put again in the microseconds between the last look and the removal is lost.
import type { Artifacts } from './artifact-store.ts'

/** Who says what is still needed; the store does. */
export interface ArtifactIndex {
  releaseEndedBefore(time: string): Promise<void>
  neededRefs(): Promise<ReadonlySet<string>>
}

export interface Sweep {
  readonly artifacts: Artifacts
  readonly index: ArtifactIndex
  readonly olderThanDays: number
  readonly now: Date
}

export interface Swept {
  readonly removed: number
  readonly bytes: number
}

// Between putting content and claiming it lies one write to the store; an hour is for machines that slept in between.
const GRACE_MS = 60 * 60 * 1000
const DAY_MS = 24 * 60 * 60 * 1000

export async function sweepArtifacts({ artifacts, index, olderThanDays, now }: Sweep): Promise<Swept> {
  await index.releaseEndedBefore(new Date(now.getTime() - olderThanDays * DAY_MS).toISOString())
  const needed = await index.neededRefs()
  const putBefore = now.getTime() - GRACE_MS
  let [removed, bytes] = [0, 0]
  for await (const each of artifacts.list()) {
    if (needed.has(each.ref) || each.putAt >= putBefore) continue
    if (!(await artifacts.remove(each.ref, putBefore))) continue
    removed++
    bytes += each.bytes
  }
  await artifacts.tidy(putBefore)
  return { removed, bytes }
}
