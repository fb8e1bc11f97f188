// Reads the contents of files by the ids of their blobs, many with one command.
import { askObjects } from '../ask-objects.ts'
import { GitError } from '../git.ts'
import { recallObject, rememberObject } from '../object-memory.ts'

export interface SizedBlob {
  readonly bytes: number
  /** Undefined for a larger blob. */
  readonly content: Buffer | undefined
}

/** The texts of blobs, in the order of `shas`. */
export async function readBlobTexts(directory: string, shas: readonly string[]): Promise<string[]> {
  return (await readBlobBytes(directory, shas)).map(String)
}

/** The bytes of blobs, in the order of `shas`. */
export async function readBlobBytes(directory: string, shas: readonly string[]): Promise<Buffer[]> {
  const known = recallBlobs(directory, shas)
  const read = await readBlobs(directory, listUnknown(shas, known))
  return shas.map((sha) => (known.get(sha) ?? read.get(sha))!)
}

/** The bytes of blobs, in the order of `shas`; undefined for a blob of more than `most` bytes. */
export async function readSmallBlobs(
  directory: string,
  shas: readonly string[],
  most: number,
): Promise<(Buffer | undefined)[]> {
  return (await readSizedBlobs(directory, shas, most)).map(({ content }) => content)
}

export async function readSizedBlobs(directory: string, shas: readonly string[], most: number): Promise<SizedBlob[]> {
  const known = recallBlobs(directory, shas)
  const unknown = listUnknown(shas, known)
  const sizes = await readSizes(directory, unknown)
  const read = await readBlobs(
    directory,
    unknown.filter((sha) => (sizes.get(sha) ?? Number.NaN) <= most),
  )
  return shas.map((sha) => {
    const content = known.get(sha) ?? read.get(sha)
    const bytes = content?.length ?? sizes.get(sha) ?? Number.NaN
    return { bytes, content: bytes <= most ? content : undefined }
  })
}

function recallBlobs(directory: string, shas: readonly string[]): ReadonlyMap<string, Buffer> {
  const found = new Map<string, Buffer>()
  for (const sha of shas) {
    const blob = recallObject(blobKey(directory, sha))
    if (blob) found.set(sha, blob)
  }
  return found
}

function listUnknown(shas: readonly string[], known: ReadonlyMap<string, Buffer>): string[] {
  return [...new Set(shas)].filter((sha) => !known.has(sha))
}

function blobKey(directory: string, sha: string): string {
  return [directory, 'blob', sha].join('\0')
}

async function readSizes(directory: string, shas: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const found = await askObjects(
    directory,
    shas.map((sha) => ['info', sha]),
  )
  return new Map(shas.map((sha, index) => [sha, found[index]?.bytes ?? Number.NaN]))
}

async function readBlobs(directory: string, shas: readonly string[]): Promise<ReadonlyMap<string, Buffer>> {
  const found = await askObjects(
    directory,
    shas.map((sha) => ['contents', sha]),
  )
  return new Map(
    shas.map((sha, index) => {
      const blob = found[index]?.content
      if (!blob) throw new GitError(directory, ['cat-file', sha], { code: 0, stderr: `${sha} missing` })
      rememberObject(blobKey(directory, sha), blob)
      return [sha, blob]
    }),
  )
}
