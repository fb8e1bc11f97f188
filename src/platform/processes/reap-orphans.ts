// The successor of a killed worker ends what that worker left running, found by small files that name marker and worker.
// Processes of a live worker are never touched, even where a file names them.

import { createHash } from 'node:crypto'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { MarkedProcess } from './marked-processes.ts'
import { isRunning, ProcessIdentity, readOwnIdentity } from './process-identity.ts'
import { reapMarked } from './reap-marked.ts'
import { writeFileAtomically } from './write-file-atomically.ts'

const MarkerFile = z.object({
  /** The marker of everything that the worker starts under this file, or its beginning. */
  marker: z.string().min(1),
  worker: ProcessIdentity,
})
export type MarkerFile = z.infer<typeof MarkerFile>

/** Writes and returns the file. Written before the spawn, so that no process ever runs that nobody would look for. */
export async function writeMarkerFile(folder: string, marker: string, worker = readOwnIdentity()): Promise<string> {
  const file = join(folder, `${createHash('sha256').update(marker).digest('hex').slice(0, 32)}.json`)
  writeFileAtomically(file, JSON.stringify({ marker, worker } satisfies MarkerFile), 0o600)
  return file
}

export async function removeMarkerFile(file: string): Promise<void> {
  await rm(file, { force: true })
}

/** Runs work that starts processes under a marker; if this worker dies meanwhile, its successor ends them. */
export async function withMarkerFile<T>(folder: string, marker: string, run: () => Promise<T>): Promise<T> {
  const file = await writeMarkerFile(folder, marker)
  try {
    return await run()
  } finally {
    await removeMarkerFile(file)
  }
}

/** Ends what dead workers left running and removes their marker files. Returns the ended processes. */
export async function reapOrphans(
  folder: string,
  options: { graceMs?: number } = {},
): Promise<readonly MarkedProcess[]> {
  const ended: MarkedProcess[] = []
  for (const name of await listMarkerFiles(folder)) {
    const file = join(folder, name)
    const content = await readMarkerFile(file)
    if (content === undefined || isRunning(content.worker)) continue
    const reaped = await reapMarked(content.marker, options)
    ended.push(...reaped.ended)
    // Processes that outlive KILL stay on the list for the next successor.
    if (reaped.survivors.length === 0) await removeMarkerFile(file)
  }
  return ended
}

async function listMarkerFiles(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).filter((name) => name.endsWith('.json'))
  } catch {
    return []
  }
}

async function readMarkerFile(file: string): Promise<MarkerFile | undefined> {
  try {
    return MarkerFile.parse(JSON.parse(await readFile(file, 'utf8')))
  } catch {
    // Its owner has just removed it. A file is written whole or not at all, so it can't be half a file.
    return undefined
  }
}
