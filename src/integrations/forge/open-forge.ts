// Chooses the adapter for a remote: GitHub for the host that the settings name, else git alone.

import { parseRemote } from '../../domain/forge/forge-address.ts'
import type { ForgeAccess } from './credential.ts'
import type { Forge } from './forge.ts'

export async function openForge(remote: string, access: ForgeAccess): Promise<Forge> {
  const address = parseRemote(remote)
  if (address === undefined || address.host !== access.settings.host) return createPlainForge(remote)
  // Octokit is loaded by the few commands that need it.
  const { createGitHubForge } = await import('./github/github-forge.ts')
  return createGitHubForge(address, access)
}

/** A remote with git and nothing else: it takes pushes, and merges are seen by git. */
function createPlainForge(url: string): Forge {
  return { name: url, gitTarget: async () => ({ url }) }
}
