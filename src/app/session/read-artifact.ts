// Where an artifact that a record names can be looked at, and its text.
import { openArtifactStore } from '../../artifacts/open-artifact-store.ts'
import type { Home } from '../../runtime/home/home.ts'

/** A path or an address; its reference where the store has neither. */
export function locateArtifact({ artifacts }: Home, ref: string): string {
  return openArtifactStore(artifacts).location(ref) ?? ref
}

/** Its whole text; in its place, why it can't be read: artifacts go some days after their session's end. */
export async function readArtifactOrReason({ artifacts }: Home, ref: string): Promise<string> {
  return await openArtifactStore(artifacts)
    .getText(ref)
    .catch((error: Error) => `(${error.message})`)
}
