// Explains errors of SQLite: which file, what is wrong, what helps.
import { FixwrightError } from '../domain/errors/fixwright-error.ts'

/** SQLite's primary result codes; an extended code holds its primary one in the lowest byte. */
const BUSY = 5
const FULL = 13
const DAMAGED = [11, 26]
/** What a full disk, a quota or a limit of file sizes looks like: a failed write, sync, truncation or growth. */
const FAILED_WRITES = [778, 1034, 1546, 4874, 5130]

/** Undefined if the error is not SQLite's. */
export function explainStoreFailure(error: unknown, file: string): FixwrightError | undefined {
  const { errcode, errstr } = error as { readonly errcode?: unknown; readonly errstr?: unknown }
  if (typeof errcode !== 'number') return undefined
  const code = errcode & 0xff
  if (DAMAGED.includes(code)) {
    return new FixwrightError(
      'store_unusable',
      `the store ${file} is damaged (${errstr}): put a copy of yours back, or move the file away to begin with an empty one; branches and commits are in their repositories`,
    )
  }
  if (code === BUSY) {
    return new FixwrightError(
      'store_unusable',
      `another process holds the store ${file} and does nothing with it: end it, if it is stopped or stuck, and try again`,
    )
  }
  if (code === FULL || FAILED_WRITES.includes(errcode)) {
    return new FixwrightError('disk_full', `there is no space left for the store ${file}: make room and try again`)
  }
  return new FixwrightError('store_unusable', `the store ${file} can't be used: ${errstr}`)
}
