// Limits of what git is given of a fixer's work at all. A file beyond them is not even hashed: that would hold the session for minutes.
import { formatBytes } from '../text/format-bytes.ts'
import { isGitInternal } from './paths.ts'

export const MAX_FILE_BYTES = 100_000_000
export const MAX_ADDED_BYTES = 200_000_000
export const MAX_CHANGED_FILES = 100_000

interface ChangedFile {
  readonly path: string
  readonly bytes: number
  /** Beyond those of the file that was there before. */
  readonly addedBytes: number
}

/** Says of the changed and new files of one call, each once, why git is not given it; undefined if it is. */
export function createRefusalFinder(): (file: ChangedFile) => string | undefined {
  let [files, bytes] = [0, 0]
  return ({ path, bytes: size, addedBytes }) => {
    if (path.split('/').some(isGitInternal)) return 'a name that git takes for its own'
    if (size > MAX_FILE_BYTES && addedBytes > 0) return `${formatBytes(size)}, more than ${formatBytes(MAX_FILE_BYTES)}`
    files += 1
    bytes += addedBytes
    if (files > MAX_CHANGED_FILES) return `one of more than ${MAX_CHANGED_FILES} changed files`
    return bytes > MAX_ADDED_BYTES ? `part of more than ${formatBytes(MAX_ADDED_BYTES)} of changes` : undefined
  }
}
