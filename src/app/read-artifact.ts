// Where an artifact that a record names can be looked at, as a file and as text.
import { artifactFile, openArtifacts } from '../artifacts/artifact-store.ts'
import type { Home } from '../runtime/home/home.ts'

export function keptFile({ artifacts }: Home, ref: string): string {
  return artifactFile(artifacts, ref)
}

/** Its whole text; in its place, why it can't be read: artifacts go some days after their session's end. */
export async function keptText({ artifacts }: Home, ref: string): Promise<string> {
  return await openArtifacts(artifacts)
    .get(ref)
    .then(String, (error: Error) => `(${error.message})`)
}
