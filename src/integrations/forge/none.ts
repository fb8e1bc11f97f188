// A remote with git and nothing else: it takes pushes, and merges are seen by git.
import type { Forge } from './forge.ts'

export function createPlainForge(url: string): Forge {
  return { name: url, gitTarget: async () => ({ url }) }
}
