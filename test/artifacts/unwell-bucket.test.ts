// A bucket store at servers that answer late, not at all, or lose what was to be read: none of them holds anybody for ever.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import type { FixwrightError } from '../../src/app/errors.ts'
import type { ArtifactStore } from '../../src/artifacts/artifact-store.ts'
import { openArtifactStore } from '../../src/artifacts/open-artifact-store.ts'
import { listenSilently } from '../support/silent-server.ts'
import { DEFAULT_SETTINGS } from '../support/store.ts'

const ENVIRONMENT = { FIXWRIGHT_S3_ACCESS_KEY_ID: 'key', FIXWRIGHT_S3_SECRET_ACCESS_KEY: 'secret' }

test('a bucket that never answers holds a put for seconds, the next not at all, and a wait as long as it may', {
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
