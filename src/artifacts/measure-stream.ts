// Content as it passes: its hash and length, and text cut at whole characters.
import { createHash } from 'node:crypto'
import { Transform } from 'node:stream'
import { type StoredArtifact, toArtifactRef } from './artifact-store.ts'

/** Passes bytes through and measures them. `atEnd` gets the result before the stream ends; an error it throws fails the stream. */
export function measureStream(atEnd: (measured: StoredArtifact) => void): Transform {
  const digest = createHash('sha256')
  let bytes = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      digest.update(chunk)
      bytes += chunk.length
      done(null, chunk)
    },
    flush(done) {
      try {
        atEnd({ ref: toArtifactRef(digest.digest('hex')), bytes })
        done()
      } catch (error) {
        done(error as Error)
      }
    },
  })
}

/** Decodes a piece of UTF-8 without the partial characters at its ends. */
export function decodeWholeCharacters(bytes: Buffer): string {
  let start = 0
  while (start < Math.min(3, bytes.length) && ((bytes[start] as number) & 0xc0) === 0x80) start++
  // With `stream`, the decoder holds back an unfinished last character.
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(start), { stream: true })
}
