import { createHash } from 'node:crypto'
import { Transform } from 'node:stream'
import { type StoredArtifact, toArtifactRef } from '../artifact-store.ts'

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
