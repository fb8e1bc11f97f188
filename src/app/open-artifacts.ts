// Opens the artifacts of a home where its settings want them. Those of the home and its environment decide: all commands and sessions
// of a home share one place.
import type { ArtifactStore } from '../artifacts/artifact-store.ts'
import { openArtifactStore } from '../artifacts/open-artifact-store.ts'
import type { Environment, Home } from '../runtime/home/home.ts'
import { loadSettings } from '../runtime/settings/merge-settings.ts'

interface ArtifactPlace {
  readonly home: Pick<Home, 'artifacts' | 'settingsFile'>
  readonly env?: Environment | undefined
}

/** Settings take ten milliseconds to read, and a report asks for a hundred artifacts. */
const opened = new WeakMap<ArtifactPlace['home'], ArtifactStore>()

export function openHomeArtifacts({ home, env = process.env }: ArtifactPlace): ArtifactStore {
  const known = opened.get(home)
  if (known) return known
  const { settings } = loadSettings({ home, env })
  const store = openArtifactStore(home.artifacts, settings, env)
  opened.set(home, store)
  return store
}
