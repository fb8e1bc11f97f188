// Removes the files of earlier builds that nobody can still load.
import { execFileSync } from 'node:child_process'
import { globSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** For commands that began a moment ago. */
const GRACE_MS = 24 * 60 * 60_000

/** A program loads many of its files only when it needs them, so all of them stay while any process runs one, however long that takes. */
export function removeUnusedFiles(folder: string): void {
  if (isInUse(folder)) return
  const old = Date.now() - GRACE_MS
  for (const file of globSync('**/*.{js,json}', { cwd: folder })) {
    if (statSync(join(folder, file)).mtimeMs < old) rmSync(join(folder, file))
  }
}

/** Where processes can't be listed, there may be some. */
function isInUse(folder: string): boolean {
  try {
    const commands = execFileSync('ps', ['-axww', '-o', 'args='], { encoding: 'utf8', maxBuffer: 2 ** 28 })
    return commands.includes(`${folder}/`)
  } catch {
    return true
  }
}
