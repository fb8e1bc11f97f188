// Where an artifact that a record names can be looked at, and its text.
import { openArtifactStore } from '../../artifacts/open-artifact-store.ts'
import type { AppContext } from '../context.ts'

/** A path or an address; its reference where the store has neither. */
export function locateArtifact({ home }: Pick<AppContext, 'home'>, ref: string): string {
  return openArtifactStore(home.artifacts).location(ref) ?? ref
}

/** Its whole text; in its place, why it can't be read: artifacts go some days after their session's end. */
export async function readArtifactOrReason({ home }: Pick<AppContext, 'home'>, ref: string): Promise<string> {
  return await openArtifactStore(home.artifacts)
    .getText(ref)
    .catch((error: Error) => `(${error.message})`)
}
