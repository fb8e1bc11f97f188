import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import {
  GetBucketLifecycleConfigurationCommand,
  HeadObjectCommand,
  PutBucketLifecycleConfigurationCommand,
} from '@aws-sdk/client-s3'
import type { FixwrightError } from '../../src/app/errors.ts'
import { openArtifactStore } from '../../src/artifacts/open-artifact-store.ts'
import { sweepArtifacts } from '../../src/artifacts/retention.ts'
import { startBucketServer } from '../support/bucket.ts'

const DAY = 24 * 60 * 60 * 1000

test('a bucket gets content, a rule that spares ten days, and what was put while it was down [S2-29]', async (t) => {
  const server = await startBucketServer(t)
  const root = mkdtempSync(path.join(tmpdir(), 'fixwright-test-'))
  t.after(() => rmSync(root, { recursive: true, force: true }))
  const artifacts = openArtifactStore(root, server.settings(), server.environment)
  const bucket = artifacts.bucket ?? assert.fail('there is no bucket')
  const Bucket = server.bucket

  await t.test('its own rule joins those that are there', async () => {
    const other = { ID: 'theirs', Status: 'Enabled', Filter: { Prefix: 'theirs/' }, Expiration: { Days: 3 } } as const
    const LifecycleConfiguration = { Rules: [other] }
    await server.client.send(new PutBucketLifecycleConfigurationCommand({ Bucket, LifecycleConfiguration }))
    assert.equal(await bucket.readExpiry(), undefined)
    // At a session's end, content may be two days old.
    for (const days of [30, 9.5, 10]) await bucket.setExpiry(days)
    assert.equal(await bucket.readExpiry(), 12)
    const { Rules } = await server.client.send(new GetBucketLifecycleConfigurationCommand({ Bucket }))
    const rules = (Rules ?? []).map(({ Filter, Expiration }) => [Filter?.Prefix, Expiration?.Days])
    assert.deepEqual(rules.sort(), [
      ['fix-logs/', 12],
      ['theirs/', 3],
    ])
    await bucket.probe()
  })

  await t.test('what is in use begins its days anew, once a day', async (own) => {
    const { ref } = await artifacts.put('of a session that waits')
    const Key = `fix-logs/${ref.slice(7, 9)}/${ref.slice(7)}`
    const putAt = async () => (await server.client.send(new HeadObjectCommand({ Bucket, Key }))).LastModified?.getTime()
    const index = {
      releaseEndedBefore: async () => undefined,
      listReferencedRefs: async () => new Set<string>(),
      listRefsInUse: async () => new Set([ref]),
    }
    // A client of its own, which takes its clock for wrong.
    const aged = openArtifactStore(root, server.settings(), server.environment)
    const sweep = (swept = artifacts) => sweepArtifacts({ artifacts: swept, index, olderThanDays: 10, now: new Date() })
    const first = (await putAt()) ?? 0
    await sweep()
    assert.equal(await putAt(), first)
    await untilAfter(first)
    later(own, 2 * DAY)
    await sweep(aged)
    own.mock.timers.reset()
    assert.ok(((await putAt()) ?? 0) > first)
    assert.equal(await artifacts.getText(ref), 'of a session that waits')
  })

  await t.test('what a put that was killed left half-written in the home is cleared away', async () => {
    const draft = path.join(root, 'unfinished', 'draft')
    mkdirSync(path.dirname(draft), { recursive: true })
    writeFileSync(draft, 'half')
    const yesterday = new Date(Date.now() - DAY)
    utimesSync(draft, yesterday, yesterday)
    const nothing = new Set<string>()
    const index = {
      releaseEndedBefore: async () => undefined,
      listReferencedRefs: async () => nothing,
      listRefsInUse: async () => nothing,
    }
    await sweepArtifacts({ artifacts, index, olderThanDays: 10, now: new Date() })
    assert.equal(filesBelow(root), 0)
  })

  await t.test('while it is down, content waits in the home and can be read there; then it is sent', async () => {
    await server.stop()
    const { ref } = await artifacts.put('paid for')
    assert.equal(await artifacts.getText(ref), 'paid for')
    assert.equal(await artifacts.head(ref, 4), 'paid')
    const failure = await bucket.sendWaiting().then(
      () => assert.fail('it was sent'),
      (error: FixwrightError) => error,
    )
    assert.equal(failure.code, 'artifacts_unreachable')
    assert.match(failure.message, /the bucket fixwright-artifacts of artifacts\.s3 can't be used: .*ECONNREFUSED/)
    assert.equal(`${failure.stack}${JSON.stringify(failure)}`.includes(server.secret), false)
    await assert.rejects(artifacts.getText(`sha256:${'0'.repeat(64)}`), { code: 'artifacts_unreachable' })
    assert.equal(filesBelow(root), 1)
    await server.start()
    await bucket.sendWaiting()
    assert.equal(filesBelow(root), 0)
    assert.equal(await artifacts.getText(ref), 'paid for')
    await assert.rejects(artifacts.getText(`sha256:${'0'.repeat(64)}`), /is gone/)
  })

  await t.test('wrong keys are named as what is wrong', async () => {
    const env = { ...server.environment, FIXWRIGHT_S3_SECRET_ACCESS_KEY: 'wrong' }
    const wrong = openArtifactStore(root, server.settings(), env)
    await assert.rejects(wrong.bucket?.probe() ?? assert.fail(), /SignatureDoesNotMatch/)
  })
})

function filesBelow(root: string): number {
  return readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).length
}

/** Times in a bucket are whole seconds. */
async function untilAfter(time: number): Promise<void> {
  while (Date.now() < time + 1000) await new Promise((resolve) => setImmediate(resolve))
}

function later(t: TestContext, ms: number): void {
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + ms })
}
