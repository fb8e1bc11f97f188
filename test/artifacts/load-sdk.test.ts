// The S3 SDK takes tens of megabytes: a home without a bucket never loads it.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'

const SCRIPT = `
const { registerHooks } = await import('node:module')
const seen = []
registerHooks({ resolve: (specifier, context, next) => (seen.push(specifier), next(specifier, context)) })
const { openArtifactStore } = await import('./src/artifacts/open-artifact-store.ts')
const { loadSettings } = await import('./src/runtime/settings/merge-settings.ts')
await import('./src/runtime/worker/worker.ts')
await import('./src/server/start-service.ts')
const bucket = process.argv[1]
const env = bucket ? { FIXWRIGHT_ARTIFACTS_S3_BUCKET: bucket, FIXWRIGHT_ARTIFACTS_S3_ENDPOINT: 'http://127.0.0.1:9', FIXWRIGHT_ARTIFACTS_S3_REGION: 'none' } : {}
const { settings } = loadSettings({ home: { settingsFile: '/nowhere' }, env })
const store = openArtifactStore('/nowhere/artifacts', settings, { ...process.env, AWS_ACCESS_KEY_ID: 'x', AWS_SECRET_ACCESS_KEY: 'y' })
await store.bucket?.setExpiry(10).catch(() => undefined)
process.stdout.write(String(seen.some((each) => each.startsWith('@aws-sdk'))))
process.exit()
`

test('the SDK of S3 is loaded where a bucket is set, and nowhere else', { timeout: 60_000 }, () => {
  const run = (...bucket: string[]) =>
    execFileSync(process.execPath, ['--input-type=module', '--eval', SCRIPT, ...bucket], { encoding: 'utf8' })
  assert.equal(run(), 'false')
  assert.equal(run('some-bucket'), 'true')
})
