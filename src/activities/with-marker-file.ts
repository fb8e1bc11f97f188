import { removeMarkerFile, writeMarkerFile } from '../platform/processes/reap-leftovers.ts'
import type { ActivityContext } from './context.ts'

/** Runs work that starts processes under a marker; if this worker dies meanwhile, its successor ends them. */
export async function withMarkerFile<T>(
  { markersFolder }: ActivityContext,
  marker: string,
  run: () => Promise<T>,
): Promise<T> {
  const file = await writeMarkerFile(markersFolder, marker)
  try {
    return await run()
  } finally {
    await removeMarkerFile(file)
  }
}
