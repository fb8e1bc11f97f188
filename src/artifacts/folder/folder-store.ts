// Stores artifacts as files below one folder. A file gets its final name only when it is complete.
// Gap: files are not synced to the disk, so a power cut may lose recent content; the hash reveals it.
import { randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream, mkdirSync } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { pipeline, Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline as pipe } from 'node:stream/promises'
import {
  type ArtifactContent,
  type ArtifactStore,
  computeArtifactRef,
  isArtifactRef,
  type ListedArtifact,
  parseArtifactRef,
  type StoredArtifact,
  toArtifactRef,
} from '../artifact-store.ts'
import { decodeWholeCharacters, measureStream } from '../measure-stream.ts'

const CONTENT_FOLDER = 'fix-logs'
const HASH_FOLDER = /^[0-9a-f]{2}$/
/** Smaller content is read at once: most outputs are empty or small, and mostly stored already. */
const MAX_BUFFERED_BYTES = 1 << 20

export function openFolderStore(root: string): ArtifactStore {
  const content = path.join(root, CONTENT_FOLDER)
  const unfinished = path.join(root, 'unfinished')
  return { put, get, getText, head, tail, list, remove, removeUnfinished, location: resolveFile }

  function resolveFile(ref: string): string {
    const hash = parseArtifactRef(ref)
    return path.join(content, hash.slice(0, 2), hash)
  }

  async function put(what: ArtifactContent): Promise<StoredArtifact> {
    if (what instanceof Readable) return putStream(what)
    if (typeof what === 'object' && 'file' in what) {
      const { size } = await stat(what.file)
      return size <= MAX_BUFFERED_BYTES ? put(await readFile(what.file)) : putStream(createReadStream(what.file))
    }
    const bytes = typeof what === 'string' ? Buffer.from(what) : what
    const stored = { ref: computeArtifactRef(bytes), bytes: bytes.byteLength }
    if (await isThere(stored)) return stored
    const draft = createDraftPath()
    await writeFile(draft, bytes, { mode: 0o600, flag: 'wx' })
    return publish(draft, stored)
  }

  async function putStream(stream: Readable): Promise<StoredArtifact> {
    const draft = createDraftPath()
    let stored: StoredArtifact = { ref: '', bytes: 0 }
    const meter = measureStream((measured) => {
      stored = measured
    })
    await pipe(stream, meter, createWriteStream(draft, { mode: 0o600, flags: 'wx' })).catch(async (error: unknown) => {
      await rm(draft, { force: true })
      throw error
    })
    if (!(await isThere(stored))) return publish(draft, stored)
    await rm(draft)
    return stored
  }

  async function get(ref: string): Promise<Readable> {
    const handle = await openForReading(ref)
    const verified = measureStream((measured) => {
      if (measured.ref === ref) return
      throw new Error(`Artifact ${ref} is damaged: ${resolveFile(ref)} does not hold what was put there`)
    })
    // A failure reaches the reader of the stream.
    return pipeline(handle.createReadStream(), verified, () => undefined)
  }

  async function getText(ref: string): Promise<string> {
    return (await buffer(await get(ref))).toString()
  }

  async function head(ref: string, bytes: number): Promise<string> {
    return decodeWholeCharacters(await readSlice(ref, 0, bytes))
  }

  async function tail(ref: string, bytes: number): Promise<string> {
    return decodeWholeCharacters(await readSlice(ref, -bytes, bytes))
  }

  async function readSlice(ref: string, from: number, length: number): Promise<Buffer> {
    const handle = await openForReading(ref)
    try {
      const { size } = await handle.stat()
      const start = from < 0 ? Math.max(0, size + from) : from
      const bytes = Buffer.alloc(Math.min(length, size - start))
      const { bytesRead } = await handle.read(bytes, 0, bytes.length, start)
      return bytes.subarray(0, bytesRead)
    } finally {
      await handle.close()
    }
  }

  async function openForReading(ref: string): Promise<FileHandle> {
    const handle = await open(resolveFile(ref)).catch(ignoreMissing)
    if (handle) return handle
    throw new Error(`Artifact ${ref} is gone: artifacts are kept for some days after their session's end`)
  }

  async function* list(): AsyncIterable<ListedArtifact> {
    // People and their tools leave files of their own anywhere.
    for (const folder of (await listNames(content)).filter((name) => HASH_FOLDER.test(name))) {
      for (const name of await listNames(path.join(content, folder))) {
        if (!isArtifactRef(toArtifactRef(name))) continue
        const found = await stat(path.join(content, folder, name)).catch(ignoreMissing)
        if (found) yield { ref: toArtifactRef(name), bytes: found.size, putAt: found.mtimeMs }
      }
    }
  }

  async function remove(ref: string, putBefore: number): Promise<boolean> {
    return await removeIfOlder(resolveFile(ref), putBefore)
  }

  async function removeUnfinished(before: number): Promise<void> {
    for (const name of await listNames(unfinished)) await removeIfOlder(path.join(unfinished, name), before)
  }

  /** Synchronous: a stream that fails before anything listens to it ends the process. */
  function createDraftPath(): string {
    mkdirSync(unfinished, { recursive: true, mode: 0o700 })
    return path.join(unfinished, randomUUID())
  }

  /** Updates the file's time, so that a sweep at this moment spares it. */
  async function isThere({ ref, bytes }: StoredArtifact): Promise<boolean> {
    const found = await stat(resolveFile(ref)).catch(ignoreMissing)
    if (found?.size !== bytes) return false
    const now = new Date()
    const touched = await utimes(resolveFile(ref), now, now).then(() => true, ignoreMissing)
    return touched === true
  }

  async function publish(draft: string, stored: StoredArtifact): Promise<StoredArtifact> {
    const file = resolveFile(stored.ref)
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 })
    await rename(draft, file)
    return stored
  }
}

async function removeIfOlder(file: string, time: number): Promise<boolean> {
  const found = await stat(file).catch(ignoreMissing)
  if (!found || found.mtimeMs >= time) return false
  await rm(file, { force: true })
  return true
}

async function listNames(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(ignoreMissing)) ?? []
}

function ignoreMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
}
