// Creates a small file of a home once. If several processes start at once, the first one's content wins, and all of them read it.
import { randomUUID } from 'node:crypto'
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'

export function readOrCreateFile(file: string, makeContent: () => string): string {
  for (;;) {
    try {
      return readFileSync(file, 'utf8')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
    const draft = `${file}.${randomUUID()}`
    writeFileSync(draft, makeContent(), { mode: 0o600 })
    try {
      linkSync(draft, file)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    } finally {
      rmSync(draft)
    }
  }
}
