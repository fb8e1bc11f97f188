import type { ArtifactStore } from './artifact-store.ts'
import { openFolderArtifactStore } from './folder/folder-artifact-store.ts'

/** Opens the artifacts of a home, which lie in this folder. */
export function openArtifactStore(folder: string): ArtifactStore {
  return openFolderArtifactStore(folder)
}
