// A home whose artifacts lie in a bucket, on a real S3 server.
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { openHomeArtifacts } from '../../src/app/open-artifacts.ts'
import { OURS, secretPart } from '../platform/masking/tokens.ts'
import { serveStage } from '../server/support.ts'
import { startBucketServer } from '../support/bucket.ts'
import { checkInvariants } from '../support/invariants.ts'
import { setMadeStage } from '../support/session.ts'
import { until } from '../support/until.ts'

const { anthropic = '' } = OURS

test('a session waits visibly while its bucket is down, loses nothing and pays once; what the agents thought is kept masked [S2-29]', {
  timeout: 300_000,
}, async (t) => {
  const server = await startBucketServer(t)
  const stage = await setMadeStage(t, 1, {
    environment: server.environment,
    scenario: {
      thinking: `The rounding is wrong. Is ${anthropic} a key?`,
      faults: [{ match: { role: 'fixer', nth: 1 }, fault: { kind: 'hold' } }],
    },
  })
  const doctor = async () => (await stage.command('doctor').ended).stdout
  assert.match(await doctor(), /s3:\/\/fixwright-artifacts\/fix-logs\/ can be written and read/)

  const fix = stage.start(stage.made.findings)
  await stage.model.waitFor({ role: 'fixer' })
  await server.stop()
  stage.model.release()
  await fix.says(
    /in trouble: the step \w+ has failed \d of 10 times since \S+ .*the bucket fixwright-artifacts .*What helps: look at the server/,
  )
  const [session] = await stage.sessions()
  const id = session?.session_id ?? ''
  assert.match((await stage.command('status', id).ended).stdout, /trouble +the step \w+ has failed.*the bucket/)
  assert.match(await doctor(), /the bucket fixwright-artifacts of artifacts\.s3 can't be used/)
  await server.start()
  const { status, result, stdout, stderr } = await fix.ended
  assert.deepEqual([status, result?.issues_fixed], [0, 1], stderr)

  const calls = await stage.read((store) => store.agentCalls.listForSession(id))
  assert.equal(calls.filter(({ role }) => role === 'fixer').length, 1)
  const artifacts = openHomeArtifacts({ home: stage.home, env: stage.environment })
  await until('all of it is in the bucket', () => filesBelow(join(stage.home.artifacts, 'fix-logs')).length === 0)
  const kept = await stage.read((store) => store.artifacts.listForSession(id))
  const texts = await Promise.all(kept.map(({ ref }) => artifacts.getText(ref)))
  const thoughts = kept.flatMap(({ kind }, index) => (kind === 'thinking' ? [texts[index] ?? ''] : []))
  assert.match(thoughts[0] ?? '', /The rounding is wrong\. Is «secret:anthropic:\w{4}» a key\?/)
  assert.match(await doctor(), /its rule deletes what was not renewed for 12 days/)
  const api = await serveStage(stage, { role: 'viewer' })
  for (const [index, { ref }] of kept.entries()) {
    const read = await api.get(`/api/sessions/${id}/artifacts/${ref}`)
    assert.deepEqual([read.status, read.text], [200, texts[index]])
  }
  await api.close()
  const logs = (await stage.command('logs', id).ended).stdout
  assert.match(logs, /thinking +\S+ +s3:\/\/fixwright-artifacts\/fix-logs\/\w\w\/\w{64}/)

  // Its keys are in no history, log, artifact or agent's environment.
  const histories = JSON.stringify(await stage.histories(id))
  const files = filesBelow(stage.home.path).map((file) => readFileSync(file, 'latin1'))
  for (const text of [histories, stdout, stderr, logs, ...texts, ...files]) {
    assert.equal(text.includes(server.secret), false)
    assert.equal(text.includes(secretPart(anthropic)), false)
  }
  await checkInvariants(stage)
})

test('a session is cancelled while its bucket is gone; a file of somebody’s in the home’s folder stays there', {
  timeout: 300_000,
}, async (t) => {
  const server = await startBucketServer(t)
  const stage = await setMadeStage(t, 1, {
    environment: server.environment,
    scenario: { faults: [{ match: { role: 'fixer', nth: 1 }, fault: { kind: 'hold' } }] },
  })
  const foreign = join(stage.home.artifacts, 'fix-logs', 'ab', '.DS_Store')
  mkdirSync(dirname(foreign), { recursive: true })
  writeFileSync(foreign, 'of a person')
  const fix = stage.start(stage.made.findings)
  await stage.model.waitFor({ role: 'fixer' })
  await server.stop()
  stage.model.release()
  await fix.says(/in trouble: .*the bucket fixwright-artifacts/)
  const [session] = await stage.sessions()
  const cancelled = await stage.command('cancel', session?.session_id ?? '').ended
  assert.equal(cancelled.status, 0, cancelled.stderr)
  const { status, result, stderr } = await fix.ended
  assert.deepEqual([status, result?.status], [130, 'cancelled'], stderr)
  assert.equal(readFileSync(foreign, 'utf8'), 'of a person')
  await checkInvariants(stage)
})

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile())
}
