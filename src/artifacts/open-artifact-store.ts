// Opens the artifacts of a home: files below its folder, or, by setting, a bucket.
import type { Settings } from '../domain/settings/schema.ts'
import type { ArtifactStore } from './artifact-store.ts'
import { openBucketStore } from './bucket/bucket-store.ts'
import { openFolderStore } from './folder/folder-store.ts'

const NOWHERE: Settings['artifacts']['s3'] = { bucket: null, prefix: '', endpoint: null, region: null }

type Environment = Readonly<Record<string, string | undefined>>

export function openArtifactStore(
  root: string,
  settings?: Pick<Settings, 'artifacts'>,
  env: Environment = process.env,
): ArtifactStore {
  const folder = openFolderStore(root)
  const { bucket = null, ...place } = settings?.artifacts.s3 ?? NOWHERE
  return bucket === null ? folder : openBucketStore({ ...place, bucket, env }, folder)
}
