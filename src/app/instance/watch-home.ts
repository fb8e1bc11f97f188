// Watches what a followed session stands on: the home's folder and the space on its disk. Without either nothing goes on by itself.
import { existsSync, statfsSync } from 'node:fs'
import { FixwrightError } from '../../domain/errors/fixwright-error.ts'
import type { Home } from '../../runtime/home/home.ts'

/** Less than SQLite, a log and a checkout need for their next write. */
const FULL_BELOW_BYTES = 4 * 2 ** 20

/** Undefined while all is well. */
export function findHomeTrouble({ path, database }: Home): FixwrightError | undefined {
  if (!existsSync(database)) {
    return new FixwrightError(
      'home_unusable',
      `the folder ${path} is gone, and with it the sessions that it held: put it back, and the same command goes on`,
    )
  }
  const { bavail, bsize } = statfsSync(path)
  if (bavail * bsize >= FULL_BELOW_BYTES) return undefined
  return new FixwrightError(
    'disk_full',
    `the disk of ${path} is full: make room; the session goes on from where it was`,
  )
}
