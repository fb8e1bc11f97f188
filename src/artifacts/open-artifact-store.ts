import type { ArtifactStore } from './artifact-store.ts'
import { openFolderArtifactStore } from './folder/folder-artifact-store.ts'

export function openArtifactStore(folder: string): ArtifactStore {
  return openFolderArtifactStore(folder)
}
