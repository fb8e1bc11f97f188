// The secret of a home with which it knows what it has posted to a forge. Without it, nothing there is taken for ours.
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { readOrCreateFile } from './create-once.ts'
import type { HomePaths } from './home.ts'

export function openMarkerSecret({ path }: Pick<HomePaths, 'path'>): string {
  return readOrCreateFile(join(path, 'marker-secret'), () => randomBytes(32).toString('hex')).trim()
}
