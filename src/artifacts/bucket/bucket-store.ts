// Stores artifacts in an S3 bucket, under their hashes. What is put lies in the home's folder first and until the bucket has it, so a
// bucket that is down loses nothing. The bucket deletes by itself what was not put or renewed for the days of its rule.
// Gap: a home that is off for longer than these days loses the artifacts of sessions that wait.
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { pipeline, type Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { GetObjectCommandOutput } from '@aws-sdk/client-s3'
import type { FixwrightError } from '../../domain/errors/fixwright-error.ts'
import type { ArtifactStore, ListedArtifact, SendWait, StoredArtifact } from '../artifact-store.ts'
import { isArtifactRef, parseArtifactRef, toArtifactRef } from '../artifact-store.ts'
import { decodeWholeCharacters, measureStream } from '../measure-stream.ts'
import {
  type BucketConnection,
  type BucketPlace,
  createBucketConnector,
  isAboutContent,
  isMissing,
  toBucketError,
  toContentError,
} from './connect-bucket.ts'
import { readExpiry, setExpiry } from './expiry-rule.ts'

const DAY_MS = 24 * 60 * 60 * 1000
/** Who puts something does not wait longer than this for the bucket. */
const PUT_WAIT_MS = 5_000
const PROBE_WAIT_MS = 10_000
/** A bucket that has refused so many in a row refuses all. */
const MAX_REFUSALS = 20

interface RequestLimits {
  readonly abortSignal?: AbortSignal
}

export type { BucketPlace } from './connect-bucket.ts'

export function openBucketStore(place: BucketPlace, waiting: ArtifactStore): ArtifactStore {
  const { bucket: Bucket, prefix } = place
  const connect = createBucketConnector(place)
  // One put that failed is enough: a bucket that never answers would hold each of the next as long.
  let sendsAtOnce = true
  /** Why the last try to send each failed, the longest ago first. These are tried last: one that can never be sent holds up no other. */
  const unsent = new Map<string, FixwrightError>()
  let sending: Promise<void> | undefined
  let next: Promise<void> | undefined
  return {
    put,
    get,
    getText: async (ref) => (await buffer(await get(ref))).toString(),
    head: async (ref, bytes) => await readSlice(ref, bytes, `bytes=0-${bytes - 1}`, waiting.head),
    tail: async (ref, bytes) => await readSlice(ref, bytes, `bytes=-${bytes}`, waiting.tail),
    list,
    remove,
    removeUnfinished: waiting.removeUnfinished,
    location: (ref) => `s3://${Bucket}/${toKey(ref)}`,
    bucket: {
      sendWaiting,
      listWaiting: waiting.list,
      renew: async (ref) => void (await use(async (connection) => await isFresh(connection, ref))),
      setExpiry: async (days) => await use(async (connection) => await setExpiry(connection, place, days)),
      readExpiry: async () => await use(async (connection) => await readExpiry(connection, place)),
      probe,
    },
  }

  function toKey(ref: string): string {
    const hash = parseArtifactRef(ref)
    return `${prefix}${hash.slice(0, 2)}/${hash}`
  }

  /** A failure to send is told by the next `sendWaiting`. */
  async function put(what: Parameters<ArtifactStore['put']>[0]): Promise<StoredArtifact> {
    const stored = await waiting.put(what)
    if (!sendsAtOnce) return stored
    const limit = AbortSignal.timeout(PUT_WAIT_MS)
    sendsAtOnce = await unlessAborted(limit, send(stored, { abortSignal: limit })).then(
      () => true,
      () => false,
    )
    return stored
  }

  async function sendWaiting({ withinMs, signal, needed }: SendWait = {}): Promise<void> {
    const limit = withinMs === undefined ? [] : [AbortSignal.timeout(withinMs)]
    const over = AbortSignal.any([...limit, ...(signal ? [signal] : [])])
    try {
      await unlessAborted(over, sendAll())
    } catch (error) {
      signal?.throwIfAborted()
      const left = needed && (await needed()).filter((ref) => existsSync(waiting.location(ref) ?? ''))
      if (left?.length === 0) return
      const why = left?.flatMap((ref) => unsent.get(ref) ?? [])[0]
      if (error !== limit[0]?.reason) throw why ?? error
      const text = `it has not taken within ${Number(withinMs) / 1000} s what waits for it`
      throw why ?? toBucketError(new Error(text), Bucket)
    }
  }

  /** However many ask, it is done once at a time, and for each of them once after it asked. */
  function sendAll(): Promise<void> {
    if (!sending) {
      sending = sendEach().finally(() => {
        sending = undefined
      })
      return sending
    }
    next ??= sending
      .catch(() => undefined)
      .then(() => {
        next = undefined
        return sendAll()
      })
    return next
  }

  async function sendEach(): Promise<void> {
    const found = new Map<string, StoredArtifact>()
    for await (const stored of waiting.list()) found.set(stored.ref, stored)
    for (const ref of unsent.keys()) if (!found.has(ref)) unsent.delete(ref)
    const tries = [
      ...[...found.values()].filter(({ ref }) => !unsent.has(ref)),
      ...[...unsent.keys()].flatMap((ref) => found.get(ref) ?? []),
    ]
    let first: FixwrightError | undefined
    let refusals = 0
    for (const stored of tries) {
      const failure = await send(stored).then(
        () => undefined,
        (error: unknown) => error as FixwrightError,
      )
      unsent.delete(stored.ref)
      if (failure === undefined) {
        sendsAtOnce = true
        refusals = 0
        continue
      }
      unsent.set(stored.ref, failure)
      first ??= failure
      refusals += 1
      if (!isAboutContent(failure) || refusals === MAX_REFUSALS) throw first
    }
    if (first) throw first
    sendsAtOnce = true
  }

  async function send(stored: StoredArtifact, limits: RequestLimits = {}): Promise<void> {
    const { ref, bytes } = stored
    const file = await open(waiting.location(ref) ?? '').catch(ignoreMissingFile)
    // Somebody else who put the same has sent it and removed the file. Whoever has it open keeps it to its end.
    if (!file) return
    try {
      const connection = await connect()
      if (!(await isFresh(connection, ref, bytes, limits))) await upload(connection, stored, file, limits)
    } catch (error) {
      throw toContentError(error, Bucket, waiting.location(ref) ?? '')
    } finally {
      await file.close()
    }
    await waiting.remove(ref, Number.POSITIVE_INFINITY)
  }

  async function upload(
    { sdk, client }: BucketConnection,
    { ref, bytes }: StoredArtifact,
    file: FileHandle,
    limits: RequestLimits,
  ): Promise<void> {
    const Body = file.createReadStream()
    // The request would wait for ever for the rest of a stream that failed.
    const unreadable = new AbortController()
    Body.on('error', (error) => unreadable.abort(error))
    const abortSignal = AbortSignal.any([unreadable.signal, ...(limits.abortSignal ? [limits.abortSignal] : [])])
    try {
      await client.send(new sdk.PutObjectCommand({ Bucket, Key: toKey(ref), Body, ContentLength: bytes }), {
        abortSignal,
      })
    } catch (error) {
      throw unreadable.signal.aborted ? unreadable.signal.reason : error
    } finally {
      Body.destroy()
    }
  }

  /** Whether the bucket has it; content that is older than a day begins its days anew. */
  async function isFresh(
    connection: BucketConnection,
    ref: string,
    bytes?: number,
    limits: RequestLimits = {},
  ): Promise<boolean> {
    const found = await stat(connection, ref, limits)
    if (!found || (bytes !== undefined && found.bytes !== bytes)) return false
    if (Date.now() - found.putAt < DAY_MS) return true
    const { sdk, client } = connection
    const Key = toKey(ref)
    const CopySource = `${Bucket}/${encodeURI(Key)}`
    const copy = new sdk.CopyObjectCommand({ Bucket, Key, CopySource, MetadataDirective: 'REPLACE' })
    await client.send(copy, limits)
    return true
  }

  async function stat({ sdk, client }: BucketConnection, ref: string, limits: RequestLimits = {}) {
    const command = new sdk.HeadObjectCommand({ Bucket, Key: toKey(ref) })
    const found = await client.send(command, limits).catch(ignoreMissing)
    return found && { bytes: found.ContentLength ?? 0, putAt: found.LastModified?.getTime() ?? 0 }
  }

  async function get(ref: string): Promise<Readable> {
    const here = await waiting.get(ref).catch(() => undefined)
    if (here) return here
    const { Body } = await fetchObject(ref)
    const verified = measureStream((measured) => {
      if (measured.ref === ref) return
      throw new Error(`Artifact ${ref} is damaged: s3://${Bucket}/${toKey(ref)} does not hold what was put there`)
    })
    // A failure reaches the reader of the stream.
    return pipeline(Body as Readable, verified, () => undefined)
  }

  async function readSlice(
    ref: string,
    bytes: number,
    Range: string,
    readHere: (ref: string, bytes: number) => Promise<string>,
  ): Promise<string> {
    const here = await readHere(ref, bytes).catch(() => undefined)
    if (here !== undefined) return here
    if (bytes <= 0) return ''
    const { Body } = await fetchObject(ref, Range)
    return Body === undefined ? '' : decodeWholeCharacters(await buffer(Body as Readable))
  }

  async function fetchObject(
    ref: string,
    Range?: string,
  ): Promise<{ readonly Body?: GetObjectCommandOutput['Body'] | undefined }> {
    const Key = toKey(ref)
    return await use(async ({ sdk, client }) => {
      try {
        return await client.send(new sdk.GetObjectCommand({ Bucket, Key, ...(Range === undefined ? {} : { Range }) }))
      } catch (error) {
        // No part of empty content can be asked for.
        if ((error as Error).name === 'InvalidRange') return { Body: undefined }
        if (!isMissing(error)) throw error
        throw Object.assign(
          new Error(`Artifact ${ref} is gone: artifacts are kept for some days after their session's end`),
          { isGone: true },
        )
      }
    })
  }

  async function* list(): AsyncIterable<ListedArtifact> {
    const seen = new Set<string>()
    for await (const each of waiting.list()) {
      seen.add(each.ref)
      yield each
    }
    for (let token: string | undefined, more = true; more; more = token !== undefined) {
      const page = await use(async ({ sdk, client }) => {
        const from = token === undefined ? {} : { ContinuationToken: token }
        return await client.send(new sdk.ListObjectsV2Command({ Bucket, Prefix: prefix, ...from }))
      })
      token = page.NextContinuationToken
      for (const { Key = '', Size: bytes = 0, LastModified } of page.Contents ?? []) {
        const ref = toArtifactRef(Key.slice(Key.lastIndexOf('/') + 1))
        if (!isArtifactRef(ref) || seen.has(ref)) continue
        yield { ref, bytes, putAt: LastModified?.getTime() ?? 0 }
      }
    }
  }

  async function remove(ref: string, putBefore: number): Promise<boolean> {
    const here = await waiting.remove(ref, putBefore)
    return await use(async (connection) => {
      const found = await stat(connection, ref)
      if (!found || found.putAt >= putBefore) return here
      await connection.client.send(new connection.sdk.DeleteObjectCommand({ Bucket, Key: toKey(ref) }))
      return true
    })
  }

  async function probe(): Promise<void> {
    const Key = `${prefix}probe-${randomUUID()}`
    const abortSignal = AbortSignal.timeout(PROBE_WAIT_MS)
    await use(async ({ sdk, client }) => {
      await client.send(new sdk.PutObjectCommand({ Bucket, Key, Body: 'probe' }), { abortSignal })
      const { Body } = await client.send(new sdk.GetObjectCommand({ Bucket, Key }), { abortSignal })
      await Body?.transformToString()
      await client.send(new sdk.DeleteObjectCommand({ Bucket, Key }), { abortSignal })
    })
  }

  async function use<T>(work: (connection: BucketConnection) => Promise<T>): Promise<T> {
    try {
      return await work(await connect())
    } catch (error) {
      if ((error as { isGone?: boolean }).isGone) throw error
      throw toBucketError(error, Bucket)
    }
  }
}

/** The work's outcome, or the signal's reason if that comes first; the work itself may go on. */
async function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const stop = (): void => reject(signal.reason)
  signal.addEventListener('abort', stop)
  if (signal.aborted) stop()
  return await Promise.race([work, aborted]).finally(() => signal.removeEventListener('abort', stop))
}

function ignoreMissingFile(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
}

function ignoreMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error
}
