// Stores artifacts in an S3 bucket, under their hashes. What is put lies in the home's folder first and until the bucket has it, so a
// bucket that is down loses nothing. The bucket deletes by itself what was not put or renewed for the days of its rule.
// Gap: a home that is off for longer than these days loses the artifacts of sessions that wait.
import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline, type Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { GetObjectCommandOutput } from '@aws-sdk/client-s3'
import type { ArtifactStore, ListedArtifact, StoredArtifact } from '../artifact-store.ts'
import { parseArtifactRef, toArtifactRef } from '../artifact-store.ts'
import { decodeWholeCharacters, measureStream } from '../measure-stream.ts'
import {
  type BucketConnection,
  type BucketPlace,
  createBucketConnector,
  isMissing,
  toBucketError,
} from './connect-bucket.ts'
import { readExpiry, setExpiry } from './expiry-rule.ts'

const DAY_MS = 24 * 60 * 60 * 1000

export type { BucketPlace } from './connect-bucket.ts'

export function openBucketStore(place: BucketPlace, waiting: ArtifactStore): ArtifactStore {
  const { bucket: Bucket, prefix } = place
  const connect = createBucketConnector(place)
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
    await send(stored).catch(() => undefined)
    return stored
  }

  async function sendWaiting(): Promise<void> {
    for await (const stored of waiting.list()) await send(stored)
  }

  async function send(stored: StoredArtifact): Promise<void> {
    const { ref, bytes } = stored
    await use(async (connection) => {
      if (!(await isFresh(connection, ref, bytes))) await upload(connection, stored)
    })
    await waiting.remove(ref, Number.POSITIVE_INFINITY)
  }

  async function upload({ sdk, client }: BucketConnection, { ref, bytes }: StoredArtifact): Promise<void> {
    const Body = createReadStream(waiting.location(ref) ?? '')
    // An unheard failure of the stream would end the process.
    let failure: NodeJS.ErrnoException | undefined
    Body.on('error', (error) => {
      failure = error
    })
    try {
      await client.send(new sdk.PutObjectCommand({ Bucket, Key: toKey(ref), Body, ContentLength: bytes }))
    } catch (error) {
      // Somebody else who put the same has sent it and removed the file.
      if (failure?.code !== 'ENOENT' || (await stat({ sdk, client }, ref)) === undefined) throw failure ?? error
    } finally {
      Body.destroy()
    }
  }

  /** Whether the bucket has it; content that is older than a day begins its days anew. */
  async function isFresh(connection: BucketConnection, ref: string, bytes?: number): Promise<boolean> {
    const found = await stat(connection, ref)
    if (!found || (bytes !== undefined && found.bytes !== bytes)) return false
    if (Date.now() - found.putAt < DAY_MS) return true
    const { sdk, client } = connection
    const Key = toKey(ref)
    const CopySource = `${Bucket}/${encodeURI(Key)}`
    await client.send(new sdk.CopyObjectCommand({ Bucket, Key, CopySource, MetadataDirective: 'REPLACE' }))
    return true
  }

  async function stat({ sdk, client }: BucketConnection, ref: string) {
    const found = await client.send(new sdk.HeadObjectCommand({ Bucket, Key: toKey(ref) })).catch(ignoreMissing)
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
        if (!/^sha256:[0-9a-f]{64}$/.test(ref) || seen.has(ref)) continue
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
    await use(async ({ sdk, client }) => {
      await client.send(new sdk.PutObjectCommand({ Bucket, Key, Body: 'probe' }))
      const { Body } = await client.send(new sdk.GetObjectCommand({ Bucket, Key }))
      await Body?.transformToString()
      await client.send(new sdk.DeleteObjectCommand({ Bucket, Key }))
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

function ignoreMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error
}
