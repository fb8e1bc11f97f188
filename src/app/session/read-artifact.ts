// Locates and reads the artifacts that records name.
import { openArtifactStore } from '../../artifacts/open-artifact-store.ts'
import type { AppContext } from '../context.ts'

/** Returns a path or an address, or the reference itself if the store has neither. */
export function locateArtifact({ home }: Pick<AppContext, 'home'>, ref: string): string {
  return openArtifactStore(home.artifacts).location(ref) ?? ref
}

/** Returns the whole text, or why it is unreadable: artifacts are deleted some days after their session's end. */
export async function readArtifactOrReason({ home }: Pick<AppContext, 'home'>, ref: string): Promise<string> {
  return await openArtifactStore(home.artifacts)
    .getText(ref)
    .catch((error: Error) => `(${error.message})`)
}
