// What a worker that was killed leaves running is ended by its successor. Before a process is spawned a small file says whose
// marker it will carry and which worker owns it; whoever comes next ends what the dead owners left, and only that:
// a live worker's processes are never touched, even where a file names them.
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { MarkedProcess } from './marked-processes.ts'
import { isRunning, ProcessIdentity, readOwnIdentity } from './process-identity.ts'
import { reapMarked } from './reap-marked.ts'

const MarkerFile = z.object({
  /** The marker of everything the owner starts under this file, or the beginning of it. */
  marker: z.string().min(1),
  worker: ProcessIdentity,
})
export type MarkerFile = z.infer<typeof MarkerFile>

/** Written before the spawn, so that there is no moment at which a process runs that nobody would look for. Returns the file. */
export async function writeMarkerFile(folder: string, marker: string, worker = readOwnIdentity()): Promise<string> {
  await mkdir(folder, { recursive: true })
  const file = join(folder, `${createHash('sha256').update(marker).digest('hex').slice(0, 32)}.json`)
  await writeFile(`${file}.new`, JSON.stringify({ marker, worker } satisfies MarkerFile), { mode: 0o600 })
  await rename(`${file}.new`, file)
  return file
}

export async function removeMarkerFile(file: string): Promise<void> {
  await rm(file, { force: true })
}

/** Ends what workers that are gone left running, and forgets their files. Returns what it ended. */
export async function reapLeftovers(
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
    // What outlived KILL stays on the list for the next successor.
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
    // Removed by its owner in this moment. It is written whole or not at all, so it can't be half a file.
    return undefined
  }
}
