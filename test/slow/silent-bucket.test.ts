// Reading from a bucket that takes connections and never answers.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openArtifactStore } from '../../src/artifacts/open-artifact-store.ts'
import { temporaryFolder } from '../store/support.ts'
import { listenSilently } from '../support/silent-server.ts'
import { DEFAULT_SETTINGS } from '../support/store.ts'

test('an artifact that is read from a bucket without an answer fails within less than the shortest step has', {
  timeout: 120_000,
}, async (t) => {
  const { port } = await listenSilently(t)
  const s3 = { bucket: 'silent', prefix: 'logs/', endpoint: `http://127.0.0.1:${port}`, region: null }
  const keys = { FIXWRIGHT_S3_ACCESS_KEY_ID: 'key', FIXWRIGHT_S3_SECRET_ACCESS_KEY: 'secret' }
  const settings = { artifacts: { ...DEFAULT_SETTINGS.artifacts, s3 } }
  const artifacts = openArtifactStore(temporaryFolder(t), settings, keys)
  await assert.rejects(artifacts.getText(`sha256:${'0'.repeat(64)}`), {
    code: 'artifacts_unreachable',
    message: /the request socket timed out after 15000 ms of inactivity/,
  })
})
