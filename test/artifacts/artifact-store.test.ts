import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { createReadStream, mkdtempSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { PutObjectCommand } from '@aws-sdk/client-s3'
import fc from 'fast-check'
import type { ArtifactStore, ListedArtifact } from '../../src/artifacts/artifact-store.ts'
import { openArtifactStore } from '../../src/artifacts/open-artifact-store.ts'
import { startBucketServer } from '../support/bucket.ts'

interface Place {
  readonly folder: string
  /** Of the home: all of the content, or what waits for the bucket. */
  readonly root: string
  readonly artifacts: ArtifactStore
  /** Puts something else in the place of content. */
  tamper(ref: string): Promise<void>
  whereIs(ref: string): string
}

/** The same tests on both kinds of store; each of them makes places of its own. */
const KINDS: Readonly<Record<string, (t: TestContext) => Promise<(t: TestContext) => Place>>> = {
  'the folder store': async () => setFolder,
  'the bucket store': async (t) => {
    const { bucket, environment, client, settings } = await startBucketServer(t)
    let places = 0
    return (own) => {
      places += 1
      const prefix = `fix-logs/${places}/`
      const { folder, root } = setFolder(own)
      const keyOf = (ref: string) => `${prefix}${ref.slice('sha256:'.length).replace(/^../, '$&/$&')}`
      return {
        folder,
        root,
        artifacts: openArtifactStore(root, settings({ prefix }), environment),
        whereIs: (ref) => `s3://${bucket}/${keyOf(ref)}`,
        tamper: async (ref) => {
          await client.send(new PutObjectCommand({ Bucket: bucket, Key: keyOf(ref), Body: 'tampered' }))
        },
      }
    }
  },
}

function setFolder(t: TestContext): Place {
  const folder = mkdtempSync(path.join(tmpdir(), 'fixwright-test-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const root = path.join(folder, 'artifacts')
  return {
    folder,
    root,
    artifacts: openArtifactStore(root),
    whereIs: (ref) => fileOf(root, ref),
    tamper: async (ref) => writeFileSync(fileOf(root, ref), 'tampered'),
  }
}

async function listed(all: AsyncIterable<ListedArtifact>): Promise<string[]> {
  const refs: string[] = []
  for await (const { ref } of all) refs.push(ref)
  return refs.sort()
}

function fileOf(root: string, ref: string): string {
  const hash = ref.slice('sha256:'.length)
  return path.join(root, 'fix-logs', hash.slice(0, 2), hash)
}

test('artifacts lie under fix-logs, private to their user [S2-29]', async (t) => {
  const { root, artifacts } = setFolder(t)
  const { ref } = await artifacts.put('thinking')
  assert.equal(statSync(fileOf(root, ref)).mode & 0o777, 0o600)
  for (const folder of ['', 'fix-logs', 'unfinished']) {
    assert.equal(statSync(path.join(root, folder)).mode & 0o777, 0o700, folder)
  }
})

for (const [kind, open] of Object.entries(KINDS)) {
  test(kind, async (outer) => {
    const fresh = await open(outer)

    await outer.test('content comes back as it was put, under its hash, however it was given', async (t) => {
      const { folder, root, artifacts, whereIs } = fresh(t)
      const text = 'a prompt — with “characters”\n'
      const ref = `sha256:${createHash('sha256').update(text).digest('hex')}`
      const file = path.join(folder, 'given')
      writeFileSync(file, text)
      for (const given of [text, Buffer.from(text), { file }, createReadStream(file), Readable.from([text])]) {
        assert.deepEqual(await artifacts.put(given), { ref, bytes: Buffer.byteLength(text) })
      }
      assert.equal(await artifacts.getText(ref), text)
      assert.equal((await buffer(await artifacts.get(ref))).toString(), text)
      assert.equal(artifacts.location(ref), whereIs(ref))
      assert.deepEqual(await listed(artifacts.list()), [ref])
      assert.deepEqual(readdirSync(path.join(root, 'unfinished')), [])
      assert.equal(statSync(file).size, Buffer.byteLength(text))
    })

    await outer.test('a big file is kept whole without being held in memory', async (t) => {
      const { folder, artifacts } = fresh(t)
      const file = path.join(folder, 'big')
      writeFileSync(file, '')
      truncateSync(file, 200 * 1024 * 1024)
      const before = process.memoryUsage().arrayBuffers
      const { ref, bytes } = await artifacts.put({ file })
      assert.equal(bytes, 200 * 1024 * 1024)
      assert.ok(process.memoryUsage().arrayBuffers - before < 100 * 1024 * 1024)
      assert.equal((await artifacts.tail(ref, 10)).length, 10)
    })

    await outer.test('the same content put by many at once is there once', async (t) => {
      const { root, artifacts } = fresh(t)
      const puts = await Promise.all(Array.from({ length: 20 }, () => artifacts.put('the same')))
      assert.equal(new Set(puts.map((kept) => kept.ref)).size, 1)
      assert.equal((await listed(artifacts.list())).length, 1)
      assert.deepEqual(readdirSync(path.join(root, 'unfinished')), [])
    })

    await outer.test('the ends of a text are never cut inside a character', async (t) => {
      const { artifacts } = fresh(t)
      await fc.assert(
        fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 40 }), fc.nat(60), async (text, bytes) => {
          const { ref } = await artifacts.put(text)
          const [head, tail] = [await artifacts.head(ref, bytes), await artifacts.tail(ref, bytes)]
          assert.ok(text.startsWith(head) && text.endsWith(tail))
          const shorter = Math.min(bytes, Buffer.byteLength(text))
          for (const end of [head, tail]) {
            assert.ok(Buffer.byteLength(end) <= bytes && Buffer.byteLength(end) > shorter - 4)
          }
        }),
        {
          numRuns: 100,
          examples: [
            ['€', 1],
            ['a€', 2],
            ['', 0],
            ['\uFEFFx', 4],
            ['\u{1F600}x', 3],
          ],
        },
      )
    })

    await outer.test('what is gone, damaged or no reference at all is told apart', async (t) => {
      const { root, artifacts, tamper } = fresh(t)
      const { ref } = await artifacts.put('content')
      await tamper(ref)
      await assert.rejects(artifacts.getText(ref), /is damaged/)
      await assert.rejects(buffer(await artifacts.get(ref)), /is damaged/)
      assert.equal((await artifacts.put('content')).ref, ref)
      assert.equal(await artifacts.getText(ref), 'content', 'putting it again mends it')
      await assert.rejects(artifacts.getText(`sha256:${'0'.repeat(64)}`), /is gone/)
      await assert.rejects(artifacts.get(`sha256:${'0'.repeat(64)}`), /is gone/)
      await assert.rejects(artifacts.head(`sha256:${'0'.repeat(64)}`, 5), /is gone/)
      await assert.rejects(artifacts.getText('sha256:../../etc/passwd'), /is no reference/)
      await assert.rejects(artifacts.put({ file: path.join(root, 'none') }), /ENOENT/)
      await assert.rejects(artifacts.put(createReadStream(path.join(root, 'none'))), /ENOENT/)
      assert.deepEqual(readdirSync(path.join(root, 'unfinished')), [])
    })
  })
}
