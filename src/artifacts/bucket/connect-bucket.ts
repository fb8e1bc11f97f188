// Connects to an S3 bucket. The SDK is loaded with the first call: most homes have no bucket, and it takes 25 MB.
import type { S3Client } from '@aws-sdk/client-s3'
import { FixwrightError } from '../../domain/errors/fixwright-error.ts'
import type { Settings } from '../../domain/settings/schema.ts'

type Sdk = typeof import('@aws-sdk/client-s3')

export interface BucketPlace extends Omit<Settings['artifacts']['s3'], 'bucket'> {
  readonly bucket: string
  /** The operator's, for FIXWRIGHT_S3_…; without them the SDK looks where it always does. */
  readonly env: Readonly<Record<string, string | undefined>>
}

export interface BucketConnection {
  readonly sdk: Sdk
  readonly client: S3Client
}

const CONNECT_MS = 3_000
/** Without a byte in either direction: a whole upload may take as long as it needs. */
const SILENCE_MS = 15_000

export function createBucketConnector({ endpoint, region, env }: BucketPlace): () => Promise<BucketConnection> {
  let connecting: Promise<BucketConnection> | undefined
  return () => {
    connecting ??= connect()
    return connecting
  }

  async function connect(): Promise<BucketConnection> {
    const sdk = await import('@aws-sdk/client-s3')
    const own = readCredentials(env)
    const client = new sdk.S3Client({
      maxAttempts: 3,
      requestHandler: { connectionTimeout: CONNECT_MS, socketTimeout: SILENCE_MS },
      ...(own ? { credentials: own } : {}),
      ...(region === null ? {} : { region }),
      // Other servers than AWS know paths, not names of hosts, and not all know the newer checksums.
      ...(endpoint === null
        ? {}
        : {
            endpoint,
            region: region ?? 'us-east-1',
            forcePathStyle: true,
            requestChecksumCalculation: 'WHEN_REQUIRED' as const,
            responseChecksumValidation: 'WHEN_REQUIRED' as const,
          }),
    })
    return { sdk, client }
  }
}

/** These reach no agent, as AWS_… does where Claude runs on Bedrock. */
function readCredentials(env: BucketPlace['env']) {
  const { FIXWRIGHT_S3_ACCESS_KEY_ID: accessKeyId, FIXWRIGHT_S3_SECRET_ACCESS_KEY: secretAccessKey } = env
  if (!accessKeyId || !secretAccessKey) return undefined
  const sessionToken = env.FIXWRIGHT_S3_SESSION_TOKEN
  return { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) }
}

const NO_WORDS: ReadonlySet<string> = new Set(['Error', 'UnknownError', 'AbortError', 'Request aborted'])

/** The SDK's errors hold requests and responses; only their name and message go on. */
export function toBucketError(error: unknown, bucket: string): FixwrightError {
  if (error instanceof FixwrightError) return error
  const { name, message } = error as Error
  const why = [name, message].filter((part) => part && !NO_WORDS.has(part)).join(': ')
  return new FixwrightError(
    'artifacts_unreachable',
    `the bucket ${bucket} of artifacts.s3 can't be used: ${why || 'it gives no answer'}`,
  )
}

/** The system's codes for a file that can't be read. */
const FILE_FAILURES: ReadonlySet<string | undefined> = new Set(['EACCES', 'EIO', 'EISDIR', 'EPERM'])

/** Nothing but the named file is in the way: others may be sent. */
export class ContentError extends FixwrightError {}

/** Makes the error of one artifact that was not sent. It is about this one alone if the bucket has answered, or the file can't be read. */
export function toContentError(error: unknown, bucket: string, file: string): FixwrightError {
  const { code, $metadata } = error as { readonly code?: string; readonly $metadata?: { httpStatusCode?: number } }
  const failure = toBucketError(error, bucket)
  if ($metadata?.httpStatusCode === undefined && !FILE_FAILURES.has(code)) return failure
  return new ContentError('artifacts_unreachable', `${failure.message}; it is about the file ${file}`)
}

export function isMissing(error: unknown): boolean {
  const { name, $metadata } = error as { readonly name?: string; readonly $metadata?: { httpStatusCode?: number } }
  // A missing bucket is trouble, a missing key is not.
  return name !== 'NoSuchBucket' && (name === 'NoSuchKey' || name === 'NotFound' || $metadata?.httpStatusCode === 404)
}
