// A bucket store at servers that answer late, not at all, or lose what was to be read: none of them holds anybody for ever.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import fs from 'node:fs/promises'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { syncBuiltinESMExports } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { checkBucket } from '../../src/app/doctor/doctor-storage.ts'
import type { FixwrightError } from '../../src/app/errors.ts'
import { openHomeArtifacts } from '../../src/app/open-artifacts.ts'
import type { ArtifactStore } from '../../src/artifacts/artifact-store.ts'
import { openArtifactStore } from '../../src/artifacts/open-artifact-store.ts'
import { openHome } from '../../src/runtime/home/home.ts'
import { loadSettings } from '../../src/runtime/settings/merge-settings.ts'
import { listenSilently } from '../support/silent-server.ts'
import { DEFAULT_SETTINGS } from '../support/store.ts'
import { until } from '../support/until.ts'

const ENVIRONMENT = { FIXWRIGHT_S3_ACCESS_KEY_ID: 'key', FIXWRIGHT_S3_SECRET_ACCESS_KEY: 'secret' }

test('a bucket that never answers holds a put for seconds, the next not at all, a wait as long as it may, and nobody else', {
  timeout: 60_000,
}, async (t) => {
  const { artifacts } = setStore(t, await listenSilently(t))
  const first = await timed(artifacts.put('the first'))
  const second = await timed(artifacts.put('the second'))
  assert.ok(first.ms < 10_000 && second.ms < 1_000, `${first.ms} ms, then ${second.ms} ms`)
  const bucket = artifacts.bucket ?? assert.fail('there is no bucket')
  const { signal } = new AbortController()
  const waited = await timed(failureOf(bucket.sendWaiting({ signal, withinMs: 300 })))
  assert.ok(waited.ms < 3_000, `${waited.ms} ms`)
  assert.equal(waited.value.code, 'artifacts_unreachable')
  assert.match(waited.value.message, /it has not taken within 0\.3 s what waits for it/)
  const other = await timed(bucket.sendWaiting({ withinMs: 4_000, needed: async () => [`sha256:${'0'.repeat(64)}`] }))
  assert.ok(other.ms < 2_000, `who needs nothing of it waited ${other.ms} ms`)
  const probed = await timed(failureOf(bucket.probe()))
  assert.ok(probed.ms < 15_000, `${probed.ms} ms`)
  assert.match(probed.value.message, /can't be used: it gives no answer/)
  const cancelled = new Error('cancelled')
  assert.equal(
    await failureOf(bucket.sendWaiting({ signal: AbortSignal.abort(cancelled), withinMs: 60_000 })),
    cancelled,
  )
  assert.equal(await artifacts.getText(second.value.ref), 'the second')
})

test('an artifact that the bucket refuses, one whose connection is cut and one that can’t be read hold nobody who does not need them', {
  timeout: 60_000,
}, async (t) => {
  const objects = new Map<string, Buffer>()
  const refs = new Map<string, string>()
  let isUp = false
  const { artifacts, root } = setStore(
    t,
    await listen(t, (request, response) => {
      if (!isUp) return void response.destroy()
      if (request.url?.includes(refs.get('refused') ?? '')) return void response.writeHead(403).end()
      if (request.url?.includes(refs.get('cut') ?? '')) return void response.destroy()
      if (request.method === 'PUT') answerPut(objects, request, response)
      else answerHead(objects, request, response)
    }),
  )
  for (const what of ['refused', 'cut', 'lost', 'locked', 'good', 'fine']) refs.set(what, await put(what))
  async function put(what: string): Promise<string> {
    return (await artifacts.put(what)).ref.slice('sha256:'.length)
  }
  const fileOf = (what: string) => join(root, 'fix-logs', `${refs.get(what)}`.slice(0, 2), `${refs.get(what)}`)
  rmSync(fileOf('lost'))
  mkdirSync(fileOf('lost'))
  // Root, as which tests run here and there, may open every file.
  const { open } = fs
  t.mock.method(fs, 'open', (...args: Parameters<typeof open>) =>
    args[0] === fileOf('locked')
      ? Promise.reject(Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' }))
      : open(...args),
  )
  syncBuiltinESMExports()
  t.after(() => {
    t.mock.restoreAll()
    syncBuiltinESMExports()
  })
  isUp = true
  const bucket = artifacts.bucket ?? assert.fail('there is no bucket')
  const send = (...needed: string[]) =>
    bucket.sendWaiting({ withinMs: 1_000, needed: async () => needed.map((what) => `sha256:${refs.get(what)}`) })
  await until('the others are sent', () =>
    send('good', 'fine').then(
      () => true,
      () => false,
    ),
  )
  assert.deepEqual([...objects.values()].map(String).toSorted(), ['fine', 'good'])
  const refused = await failureOf(send('good', 'refused'))
  assert.match(refused.message, /artifacts\.s3 can't be used: .*; it is about the file \//)
  assert.ok(refused.message.endsWith(fileOf('refused')), refused.message)
  assert.match((await failureOf(send('lost'))).message, /EISDIR/)
  const locked = await failureOf(send('locked'))
  assert.equal(locked.code, 'artifacts_unreachable')
  assert.ok(/EACCES/.test(locked.message) && locked.message.endsWith(fileOf('locked')), locked.message)
  assert.match((await failureOf(send('cut'))).message, /can't be used/)
  // Without its file its session goes on.
  rmSync(fileOf('refused'))
  await send('good', 'refused')
})

test('a bucket that stalls for one artifact takes another that somebody needs', { timeout: 60_000 }, async (t) => {
  const objects = new Map<string, Buffer>()
  const stalled = Promise.withResolvers<void>()
  let [isUp, theirs, asked] = [false, 'none yet', 0]
  const { artifacts } = setStore(
    t,
    await listen(t, (request, response) => {
      if (!isUp) return void response.destroy()
      if (request.url?.includes(theirs)) {
        asked += 1
        return stalled.resolve()
      }
      if (request.method === 'PUT') answerPut(objects, request, response)
      else answerHead(objects, request, response)
    }),
  )
  const [{ ref: their }, { ref: ours }] = [await artifacts.put('theirs'), await artifacts.put('ours')]
  theirs = their.slice('sha256:'.length)
  isUp = true
  const bucket = artifacts.bucket ?? assert.fail('there is no bucket')
  const needTheirs = () => failureOf(bucket.sendWaiting({ withinMs: 3_000, needed: async () => [their] }))
  const waiting = [needTheirs(), needTheirs()]
  await stalled.promise
  const all = failureOf(bucket.sendWaiting({ withinMs: 3_000 }))
  const sent = await timed(bucket.sendWaiting({ withinMs: 4_000, needed: async () => [ours] }))
  assert.ok(sent.ms < 2_000, `${sent.ms} ms`)
  assert.deepEqual([...objects.values()].map(String), ['ours'])
  for (const failure of await Promise.all([...waiting, all])) assert.match(failure.message, /has not taken within 3 s/)
  assert.equal(asked, 1, 'it is under way once, however many wait for it')
})

test('doctor names an artifact that waits although the bucket works', { timeout: 60_000 }, async (t) => {
  const objects = new Map<string, Buffer>()
  const { port } = await listen(t, (request, response) => {
    if (request.method === 'PUT') answerPut(objects, request, response)
    else if (request.method === 'HEAD') response.writeHead(403).end()
    else if (request.method === 'DELETE') response.writeHead(204).end()
    else response.end(objects.get(request.url?.split('?')[0] ?? ''))
  })
  const root = mkdtempSync(join(tmpdir(), 'fixwright-test-'))
  t.after(() => rmSync(root, { recursive: true, force: true }))
  const env = {
    ...ENVIRONMENT,
    FIXWRIGHT_HOME: root,
    FIXWRIGHT_ARTIFACTS_S3_BUCKET: 'unwell',
    FIXWRIGHT_ARTIFACTS_S3_ENDPOINT: `http://127.0.0.1:${port}`,
  }
  const home = openHome(env)
  const { settings } = loadSettings({ home, env })
  const late = async () => (await checkBucket(settings, home, env)).map(({ found }) => found).join('\n')
  const artifacts = openHomeArtifacts({ home, env })
  const { ref } = await artifacts.put('refused')
  assert.doesNotMatch(await late(), /could not be sent/, 'it may be under way')
  const file = join(home.artifacts, 'fix-logs', ref.slice(7, 9), ref.slice(7))
  utimesSync(file, new Date(0), new Date(0))
  assert.match(await late(), /1 in the home could not be sent: .*it is about the file \//)
  rmSync(file)
  assert.doesNotMatch(await late(), /could not be sent/)
})

test('two senders of one artifact both end, whoever removes it from the home first', { timeout: 30_000 }, async (t) => {
  const objects = new Map<string, Buffer>()
  const asked = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  let isFirst = true
  const { artifacts, open, root } = setStore(
    t,
    await listen(t, async (request, response) => {
      if (request.method === 'PUT') return void answerPut(objects, request, response)
      const isHeld = isFirst
      isFirst = false
      if (isHeld) {
        asked.resolve()
        await held.promise
        return void response.writeHead(404).end()
      }
      answerHead(objects, request, response)
    }),
  )
  const one = artifacts.put('of both')
  await asked.promise
  const { ref } = await open().put('of both')
  assert.deepEqual(filesBelow(root), [])
  held.resolve()
  assert.equal((await one).ref, ref)
  await artifacts.bucket?.sendWaiting()
  assert.deepEqual([...objects.values()].map(String), ['of both'])
})

test('what people leave beside the artifacts is neither sent, listed nor removed', async (t) => {
  const objects = new Map<string, Buffer>()
  const { artifacts, root } = setStore(
    t,
    await listen(t, (request, response) => {
      if (request.method === 'PUT') answerPut(objects, request, response)
      else answerHead(objects, request, response)
    }),
  )
  const foreign = ['.DS_Store', join('ab', 'notes.txt'), join('mine', 'a')].map((name) => join(root, 'fix-logs', name))
  for (const file of foreign) {
    mkdirSync(join(file, '..'), { recursive: true })
    writeFileSync(file, 'of a person')
  }
  await artifacts.put('ours')
  await artifacts.bucket?.sendWaiting()
  assert.deepEqual(foreign.map(existsSync), [true, true, true])
  assert.equal(objects.size, 1)
  for await (const { ref } of openArtifactStore(root).list()) assert.fail(`${ref} is listed`)
})

/** A store of its own at the server, and more of the same home. */
function setStore(
  t: TestContext,
  { port }: AddressInfo,
): { readonly artifacts: ArtifactStore; readonly root: string; open(): ArtifactStore } {
  const root = mkdtempSync(join(tmpdir(), 'fixwright-test-'))
  t.after(() => rmSync(root, { recursive: true, force: true }))
  const s3 = { bucket: 'unwell', prefix: 'logs/', endpoint: `http://127.0.0.1:${port}`, region: null }
  const open = () => openArtifactStore(root, { artifacts: { ...DEFAULT_SETTINGS.artifacts, s3 } }, ENVIRONMENT)
  return { artifacts: open(), root, open }
}

async function listen(t: TestContext, listener: RequestListener): Promise<AddressInfo> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return server.address() as AddressInfo
}

async function answerPut(objects: Map<string, Buffer>, request: IncomingMessage, response: ServerResponse) {
  objects.set(request.url?.split('?')[0] ?? '', await buffer(request))
  response.writeHead(200, { etag: '"1"' }).end()
}

function answerHead(objects: Map<string, Buffer>, request: IncomingMessage, response: ServerResponse): void {
  const found = objects.get(request.url?.split('?')[0] ?? '')
  if (!found) response.writeHead(404).end()
  else response.writeHead(200, { 'content-length': found.length, 'last-modified': new Date().toUTCString() }).end()
}

async function timed<T>(work: Promise<T>): Promise<{ readonly value: T; readonly ms: number }> {
  const from = performance.now()
  const value = await work
  return { value, ms: performance.now() - from }
}

async function failureOf(work: Promise<unknown>): Promise<FixwrightError> {
  return await work.then(
    () => assert.fail('it has not failed'),
    (error: FixwrightError) => error,
  )
}

function filesBelow(root: string): string[] {
  const all = readdirSync(root, { recursive: true, withFileTypes: true })
  return all.filter((entry) => entry.isFile()).map(({ name }) => name)
}
