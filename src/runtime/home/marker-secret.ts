// The secret with which a home knows what it has posted to a forge. Without it, nothing there is taken for ours. Homes that come and go, as
// in jobs of CI, share one by the environment.
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Environment, HomePaths } from './home.ts'
import { readOrCreateFile } from './read-or-create-file.ts'

const MARKER_SECRET_VARIABLE = 'FIXWRIGHT_MARKER_SECRET'
const MIN_LENGTH = 32

export function openMarkerSecret({ path }: Pick<HomePaths, 'path'>, env: Environment): string {
  const given = env[MARKER_SECRET_VARIABLE]?.trim()
  if (!given) return readOrCreateFile(join(path, 'marker-secret'), () => randomBytes(32).toString('hex')).trim()
  if (given.length < MIN_LENGTH) throw new Error(`${MARKER_SECRET_VARIABLE} needs ${MIN_LENGTH} characters or more`)
  return given
}
