// Where an artifact that a record names can be looked at, as a file and as text.
import { openArtifactStore, resolveArtifactPath } from '../../artifacts/artifact-store.ts'
import type { Home } from '../../runtime/home/home.ts'

export function findArtifactFile({ artifacts }: Home, ref: string): string {
  return resolveArtifactPath(artifacts, ref)
}

/** Its whole text; in its place, why it can't be read: artifacts go some days after their session's end. */
export async function readArtifactOrReason({ artifacts }: Home, ref: string): Promise<string> {
  return await openArtifactStore(artifacts)
    .get(ref)
    .then(String, (error: Error) => `(${error.message})`)
}
