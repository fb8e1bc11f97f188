// Recognises test files by their paths alone, ignoring letter case.
import { matchesGlob } from 'node:path'

export function createTestFileMatcher(globs: readonly string[]): (path: string) => boolean {
  const patterns = globs.map((glob) => glob.toLowerCase())
  return (path) => patterns.some((pattern) => matchesGlob(path.toLowerCase(), pattern))
}
