// Artifacts: prompts, replies, transcripts, thinking logs, todo lists, diffs, outputs. Kept by content: the reference is the hash,
// so the same content is there once, putting it twice is putting it once, and what comes back is what was put or an error.
// A file gets its name only when it is whole. Gap: it is not forced to the disk, so a power cut may lose what was just put;
// the hash tells.
import { createHash, randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, open as openFile, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

export type ArtifactContent = string | Uint8Array | { readonly file: string }

export interface StoredArtifact {
  /** `sha256:…`, what records carry. */
  readonly ref: string
  readonly bytes: number
}

export interface ListedArtifact extends StoredArtifact {
  /** When it was last put, in milliseconds since the epoch. */
  readonly putAt: number
}

/** What a store of artifacts has to offer; an object store can. */
export interface ArtifactStore {
  /** A file is copied as a stream, whatever its size; it stays where it is. */
  put(content: ArtifactContent): Promise<StoredArtifact>
  get(ref: string): Promise<Buffer>
  open(ref: string): Readable
  /** At most so many bytes of text from its beginning, never cut inside a character. */
  head(ref: string, bytes: number): Promise<string>
  tail(ref: string, bytes: number): Promise<string>
  list(): AsyncIterable<ListedArtifact>
  /** Does nothing where it was put again since `putBefore`. True: it is gone now. */
  remove(ref: string, putBefore: number): Promise<boolean>
  /** Clears away what writers that died left half-written before this time. */
  removeUnfinished(before: number): Promise<void>
}

const CONTENT_FOLDER = 'fix-logs'
/** In one go: most outputs are empty or small, and mostly there already. */
const MAX_BUFFERED_BYTES = 1 << 20

export function openArtifactStore(root: string): ArtifactStore {
  const content = path.join(root, CONTENT_FOLDER)
  const fileOf = (ref: string): string => resolveArtifactPath(root, ref)
  const unfinished = path.join(root, 'unfinished')
  return { put, get, open: (ref) => createReadStream(fileOf(ref)), head, tail, list, remove, removeUnfinished: tidy }

  async function put(what: ArtifactContent): Promise<StoredArtifact> {
    if (typeof what === 'object' && 'file' in what) return putFile(what.file)
    const bytes = typeof what === 'string' ? Buffer.from(what) : what
    const ref = computeArtifactRef(bytes)
    const kept = { ref, bytes: bytes.byteLength }
    if (await isThere(kept)) return kept
    const temporary = await temporaryFile()
    await writeFile(temporary, bytes, { mode: 0o600, flag: 'wx' })
    return settle(temporary, kept)
  }

  async function putFile(file: string): Promise<StoredArtifact> {
    const { size } = await stat(file)
    if (size <= MAX_BUFFERED_BYTES) return put(await readFile(file))
    const temporary = await temporaryFile()
    const hash = createHash('sha256')
    let bytes = 0
    await pipeline(
      createReadStream(file),
      async function* count(chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          hash.update(chunk)
          bytes += chunk.length
          yield chunk
        }
      },
      createWriteStream(temporary, { mode: 0o600, flags: 'wx' }),
    ).catch(async (error: unknown) => {
      await rm(temporary, { force: true })
      throw error
    })
    const kept = { ref: `sha256:${hash.digest('hex')}`, bytes }
    if (!(await isThere(kept))) return settle(temporary, kept)
    await rm(temporary)
    return kept
  }

  async function get(ref: string): Promise<Buffer> {
    const bytes = await readFile(fileOf(ref)).catch((error: unknown) => rethrowMissing(ref, error))
    if (computeArtifactRef(bytes) === ref) return bytes
    throw new Error(`Artifact ${ref} is damaged: ${fileOf(ref)} does not hold what was put there`)
  }

  async function head(ref: string, bytes: number): Promise<string> {
    return decodeWholeCharacters(await slice(ref, 0, bytes))
  }

  async function tail(ref: string, bytes: number): Promise<string> {
    return decodeWholeCharacters(await slice(ref, -bytes, bytes))
  }

  async function slice(ref: string, from: number, length: number): Promise<Buffer> {
    const handle = await openFile(fileOf(ref)).catch((error: unknown) => rethrowMissing(ref, error))
    try {
      const { size } = await handle.stat()
      const start = from < 0 ? Math.max(0, size + from) : from
      const buffer = Buffer.alloc(Math.min(length, size - start))
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, start)
      return buffer.subarray(0, bytesRead)
    } finally {
      await handle.close()
    }
  }

  async function* list(): AsyncIterable<ListedArtifact> {
    for (const folder of await listNames(content)) {
      for (const name of await listNames(path.join(content, folder))) {
        const found = await stat(path.join(content, folder, name)).catch(ignoreMissing)
        if (found) yield { ref: `sha256:${name}`, bytes: found.size, putAt: found.mtimeMs }
      }
    }
  }

  async function remove(ref: string, putBefore: number): Promise<boolean> {
    const found = await stat(fileOf(ref)).catch(ignoreMissing)
    if (!found || found.mtimeMs >= putBefore) return false
    await rm(fileOf(ref), { force: true })
    return true
  }

  async function tidy(before: number): Promise<void> {
    for (const name of await listNames(unfinished)) {
      const file = path.join(unfinished, name)
      const found = await stat(file).catch(ignoreMissing)
      if (found && found.mtimeMs < before) await rm(file, { force: true })
    }
  }

  async function temporaryFile(): Promise<string> {
    await mkdir(unfinished, { recursive: true, mode: 0o700 })
    return path.join(unfinished, randomUUID())
  }

  /** Touches it, so that a sweep at this moment sees that somebody wants it. */
  async function isThere({ ref, bytes }: StoredArtifact): Promise<boolean> {
    const found = await stat(fileOf(ref)).catch(ignoreMissing)
    if (found?.size !== bytes) return false
    const now = new Date()
    const touched = await utimes(fileOf(ref), now, now).then(() => true, ignoreMissing)
    return touched === true
  }

  async function settle(temporary: string, kept: StoredArtifact): Promise<StoredArtifact> {
    const file = fileOf(kept.ref)
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 })
    await rename(temporary, file)
    return kept
  }
}

/** What a content will be called, before it is put. */
export function computeArtifactRef(content: string | Uint8Array): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`
}

/** The file of an artifact. References come from records and command lines; only a hash may become part of a path. */
export function resolveArtifactPath(root: string, ref: string): string {
  const [, hash] = /^sha256:([0-9a-f]{64})$/.exec(ref) ?? []
  if (hash === undefined) throw new RangeError(`"${ref}" is no reference to an artifact (sha256:…)`)
  return path.join(root, CONTENT_FOLDER, hash.slice(0, 2), hash)
}

/** Without what is left of a character at either end. */
function decodeWholeCharacters(bytes: Buffer): string {
  let start = 0
  while (start < Math.min(3, bytes.length) && ((bytes[start] as number) & 0xc0) === 0x80) start++
  // Decoding as a stream holds an unfinished last character back.
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(start), { stream: true })
}

async function listNames(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(ignoreMissing)) ?? []
}

function ignoreMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
}

function rethrowMissing(ref: string, error: unknown): never {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  throw new Error(`Artifact ${ref} is gone: artifacts are kept for some days after their session's end`, {
    cause: error,
  })
}
