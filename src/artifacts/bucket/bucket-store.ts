// Stores artifacts in an S3 bucket, under their hashes. What is put lies in the home's folder first and until the bucket has it, so a
// bucket that is down loses nothing. The bucket deletes by itself what was not put or renewed for the days of its rule.
// Gap: a home that is off for longer than these days loses the artifacts of sessions that wait.
import { randomUUID } from 'node:crypto'
import { pipeline, type Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { GetObjectCommandOutput } from '@aws-sdk/client-s3'
import { type ArtifactStore, isArtifactRef, type ListedArtifact, toArtifactRef } from '../artifact-store.ts'
import { decodeWholeCharacters, measureStream } from '../measure-stream.ts'
import { createBucketObjects } from './bucket-objects.ts'
import { type BucketPlace, isMissing } from './connect-bucket.ts'
import { readExpiry, setExpiry } from './expiry-rule.ts'
import { createArtifactSender } from './send-artifacts.ts'

const PROBE_WAIT_MS = 10_000

export type { BucketPlace } from './connect-bucket.ts'

export function openBucketStore(place: BucketPlace, waiting: ArtifactStore): ArtifactStore {
  const { bucket: Bucket, prefix } = place
  const objects = createBucketObjects(place)
  const { toKey, use, stat } = objects
  const { put, sendWaiting } = createArtifactSender(objects, waiting)
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
      renew: async (ref) => void (await use(async (connection) => await objects.ensureFresh(connection, ref))),
      setExpiry: async (days) => await use(async (connection) => await setExpiry(connection, place, days)),
      readExpiry: async () => await use(async (connection) => await readExpiry(connection, place)),
      probe,
    },
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
}
