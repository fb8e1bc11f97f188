// Sends artifacts to a bucket: at once while it answers, else with the next look at what waits in the home's folder.
import { type FileHandle, open } from 'node:fs/promises'
import type { FixwrightError } from '../../domain/errors/fixwright-error.ts'
import type { ArtifactStore, SendWait, StoredArtifact } from '../artifact-store.ts'
import type { BucketObjects, RequestLimits } from './bucket-objects.ts'
import { type BucketConnection, ContentError, toBucketError, toContentError } from './connect-bucket.ts'

/** Who puts something does not wait longer than this for the bucket. */
const PUT_WAIT_MS = 5_000
/** A bucket that has refused so many in a row refuses all. */
const MAX_REFUSALS = 20

interface ArtifactSender {
  put(what: Parameters<ArtifactStore['put']>[0]): Promise<StoredArtifact>
  sendWaiting(wait?: SendWait): Promise<void>
}

export function createArtifactSender(
  { bucket: Bucket, toKey, connect, ensureFresh }: BucketObjects,
  waiting: ArtifactStore,
): ArtifactSender {
  // One put that failed is enough: a bucket that never answers would hold each of the next as long.
  let sendsAtOnce = true
  /** Why the last try to send each failed, the longest ago first. These are tried last: one that can never be sent holds up no other. */
  const unsent = new Map<string, FixwrightError>()
  /** An artifact whose sending stalls is sent once, however many ask for it meanwhile. */
  const underWay = new Map<string, Promise<void>>()
  let sending: Promise<void> | undefined
  let next: Promise<void> | undefined
  return { put, sendWaiting }

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
    const own = needed && (await listUnsent(needed))
    if (own?.length === 0) return
    const limit = withinMs === undefined ? [] : [AbortSignal.timeout(withinMs)]
    const over = AbortSignal.any([...limit, ...(signal ? [signal] : [])])
    try {
      // Whoever needs something does not wait behind what others need, for which the bucket may stall.
      await unlessAborted(over, own ? sendEach(new Set(own)) : sendAll())
    } catch (error) {
      signal?.throwIfAborted()
      const left = needed && (await listUnsent(needed))
      if (left?.length === 0) return
      const why = left?.flatMap((ref) => unsent.get(ref) ?? [])[0]
      if (error !== limit[0]?.reason) throw why ?? error
      const text = `it has not taken within ${Number(withinMs) / 1000} s what waits for it`
      throw why ?? toBucketError(new Error(text), Bucket)
    }
  }

  async function listUnsent(needed: NonNullable<SendWait['needed']>): Promise<string[]> {
    const here = new Set<string>()
    for await (const { ref } of waiting.list()) here.add(ref)
    return here.size === 0 ? [] : (await needed()).filter((ref) => here.has(ref))
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

  async function sendEach(only?: ReadonlySet<string>): Promise<void> {
    const found = new Map<string, StoredArtifact>()
    for await (const stored of waiting.list()) found.set(stored.ref, stored)
    for (const ref of unsent.keys()) if (!found.has(ref)) unsent.delete(ref)
    const tries = [
      ...[...found.values()].filter(({ ref }) => !unsent.has(ref)),
      ...[...unsent.keys()].flatMap((ref) => found.get(ref) ?? []),
    ].filter(({ ref }) => only?.has(ref) ?? true)
    let first: FixwrightError | undefined
    let refusals = 0
    for (const stored of tries) {
      const failure = await sendOnce(stored).then(
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
      if (!(failure instanceof ContentError) || refusals === MAX_REFUSALS) throw first
    }
    if (first) throw first
    sendsAtOnce = true
  }

  function sendOnce(stored: StoredArtifact): Promise<void> {
    const begun = underWay.get(stored.ref) ?? send(stored)
    underWay.set(stored.ref, begun)
    return begun.finally(() => underWay.delete(stored.ref))
  }

  async function send(stored: StoredArtifact, limits: RequestLimits = {}): Promise<void> {
    const path = waiting.location(stored.ref) ?? ''
    const isSent = await sendFile(path, stored, limits).catch((error: unknown) => {
      throw toContentError(error, Bucket, path)
    })
    if (isSent) await waiting.remove(stored.ref, Number.POSITIVE_INFINITY)
  }

  async function sendFile(path: string, stored: StoredArtifact, limits: RequestLimits): Promise<boolean> {
    const file = await open(path).catch(ignoreMissingFile)
    // Somebody else who put the same has sent it and removed the file. Whoever has it open keeps it to its end.
    if (!file) return false
    try {
      const connection = await connect()
      const { ref, bytes } = stored
      if (!(await ensureFresh(connection, ref, bytes, limits))) await upload(connection, stored, file, limits)
      return true
    } finally {
      await file.close()
    }
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
