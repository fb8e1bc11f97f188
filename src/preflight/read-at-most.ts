import { createReadStream } from 'node:fs'

/** The content of a file, which may be a pipe or without end; undefined if it has more than `most` bytes. */
export async function readAtMost(file: string, most: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  for await (const chunk of createReadStream(file, { end: most })) chunks.push(chunk)
  const bytes = Buffer.concat(chunks)
  return bytes.length > most ? undefined : bytes
}
