// The objects of a bucket: what an artifact's is called, whether it is there, and each call with an error that says which bucket.
import { parseArtifactRef } from '../artifact-store.ts'
import {
  type BucketConnection,
  type BucketPlace,
  createBucketConnector,
  isMissing,
  toBucketError,
} from './connect-bucket.ts'

const DAY_MS = 24 * 60 * 60 * 1000

export interface RequestLimits {
  readonly abortSignal?: AbortSignal
}

export interface BucketObjects {
  readonly bucket: string
  toKey(ref: string): string
  connect(): Promise<BucketConnection>
  /** Runs calls on the bucket; only that something is gone is thrown as it is. */
  use<T>(work: (connection: BucketConnection) => Promise<T>): Promise<T>
  stat(connection: BucketConnection, ref: string, limits?: RequestLimits): Promise<ObjectState | undefined>
  /** Whether the bucket has it; content that is older than a day begins its days anew. */
  ensureFresh(connection: BucketConnection, ref: string, bytes?: number, limits?: RequestLimits): Promise<boolean>
}

interface ObjectState {
  readonly bytes: number
  readonly putAt: number
}

export function createBucketObjects(place: BucketPlace): BucketObjects {
  const { bucket: Bucket, prefix } = place
  const connect = createBucketConnector(place)
  return { bucket: Bucket, toKey, connect, use, stat, ensureFresh }

  function toKey(ref: string): string {
    const hash = parseArtifactRef(ref)
    return `${prefix}${hash.slice(0, 2)}/${hash}`
  }

  async function use<T>(work: (connection: BucketConnection) => Promise<T>): Promise<T> {
    try {
      return await work(await connect())
    } catch (error) {
      if ((error as { isGone?: boolean }).isGone) throw error
      throw toBucketError(error, Bucket)
    }
  }

  async function ensureFresh(
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
}

function ignoreMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error
}
