import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import {
  findExternalCluster,
  type TemporalSettings,
  toConnectionOptions,
} from '../../../src/runtime/temporal-server/external-cluster.ts'
import { temporaryFolder } from '../../support/temporal.ts'

const settings: TemporalSettings = {
  address: null,
  task_queue: null,
  namespace: 'fixwright',
  retention_days: 30,
  port: 0,
  ui_port: 0,
  ui_url: null,
  cli: null,
}

let folder: ReturnType<typeof temporaryFolder>

beforeEach(() => {
  folder = temporaryFolder('cluster')
})

afterEach(() => folder.remove())

/** Temporal's own configuration file, where Temporal's own tools look for it. */
function profile(text: string): Record<string, string> {
  const file = join(folder.path, 'config', 'temporalio', 'temporal.toml')
  mkdirSync(join(file, '..'), { recursive: true })
  writeFileSync(file, text)
  return { HOME: folder.path, XDG_CONFIG_HOME: join(folder.path, 'config'), TEMPORAL_CONFIG_FILE: file }
}

test('without any address Fixwright runs a server of its own', async () => {
  assert.equal(await findExternalCluster(settings, { HOME: folder.path }), undefined)
  assert.equal(await findExternalCluster(settings, {}), undefined)
  assert.deepEqual(toConnectionOptions('127.0.0.1:7233', undefined), { address: '127.0.0.1:7233' })
})

test('an address in the settings, or in TEMPORAL_ADDRESS, replaces it', async () => {
  const named = await findExternalCluster({ ...settings, address: 'temporal:7233' }, { HOME: folder.path })
  assert.deepEqual(named, { connection: { address: 'temporal:7233' }, namespace: 'fixwright' })
  const env = { HOME: folder.path, TEMPORAL_ADDRESS: 'other:7233', TEMPORAL_NAMESPACE: 'mine', TEMPORAL_API_KEY: 'key' }
  const found = await findExternalCluster(settings, env)
  assert.deepEqual(found, { connection: { address: 'other:7233', apiKey: 'key', tls: true }, namespace: 'mine' })
  assert.equal(
    (await findExternalCluster({ ...settings, address: 'temporal:7233' }, env))?.connection.address,
    'temporal:7233',
  )
})

test("a profile of Temporal's own configuration file gives address, namespace, TLS and key", async () => {
  const env = profile(`
    [profile.default]
    address = "plain:7233"
    [profile.cloud]
    address = "mine.tmprl.cloud:7233"
    namespace = "mine"
    api_key = "from-file"
    [profile.cloud.tls]
    server_name = "inside"`)
  assert.deepEqual((await findExternalCluster(settings, env))?.connection, { address: 'plain:7233' })
  const cloud = await findExternalCluster(settings, { ...env, TEMPORAL_PROFILE: 'cloud' })
  assert.equal(cloud?.namespace, 'mine')
  assert.equal(cloud?.connection.apiKey, 'from-file')
  assert.equal((cloud?.connection.tls as { serverNameOverride?: string } | undefined)?.serverNameOverride, 'inside')
  assert.equal(toConnectionOptions('ignored', cloud).address, 'mine.tmprl.cloud:7233')
})

test("a profile's key is not sent to another address than its own", async () => {
  const env = profile('[profile.default]\naddress = "cloud:7233"\nnamespace = "cloud"\napi_key = "secret"')
  const local = await findExternalCluster({ ...settings, address: 'localhost:7233' }, env)
  assert.deepEqual(local, { connection: { address: 'localhost:7233' }, namespace: 'fixwright' })
})

test('a configuration file that can not be read is refused, with where to look', async () => {
  await assert.rejects(findExternalCluster(settings, profile('[profile.default\n')), /can't be read.*temporal\.toml/s)
})
