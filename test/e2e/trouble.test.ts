// What a session stands on goes away while it works: the command says what, since when and what helps, and ends with 3 where nothing is to
// be hoped for.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { defaultPayloadConverter } from '@temporalio/common'
import type { ScenarioInput } from '../../rehearsal/scenario.ts'
import { checkInvariants } from '../support/invariants.ts'
import { type E2eStage, setMadeStage } from '../support/session.ts'
import { until } from '../support/until.ts'

const HOLD: ScenarioInput = { faults: [{ match: { role: 'fixer', nth: 1 }, fault: { kind: 'hold' } }] }

async function sessionId(stage: E2eStage): Promise<string> {
  await until('there is a session', async () => (await stage.sessions()).length > 0)
  return (await stage.sessions())[0]?.session_id ?? ''
}

/** What Temporal's UI shows of the workflow at this moment. */
async function readDetails(stage: E2eStage, id: string): Promise<string> {
  const session = await stage.read((store) => store.sessions.get(id))
  const handle = (await stage.client()).workflow.getHandle(session?.workflow_id ?? '')
  const metadata = await handle.query<{ currentDetails?: string }>('__temporal_workflow_metadata')
  return metadata.currentDetails ?? defaultPayloadConverter.toPayload(metadata).toString()
}

/** An address that ends every connection until it is opened to another one. */
async function setClosedGate(t: TestContext) {
  let port: number | undefined
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    if (port === undefined) return void socket.destroy()
    const onwards = connect(port, '127.0.0.1')
    onwards.on('error', () => socket.destroy())
    socket.pipe(onwards).pipe(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    openTo(url: string): void {
      port = Number(new URL(url).port)
    },
  }
}

describe('in trouble', { concurrency: 2 }, () => {
  test('a home that is removed ends the command within seconds, with 3 and one sentence', async (t) => {
    const stage = await setMadeStage(t, 1, { scenario: HOLD })
    const fix = stage.start(stage.made.findings)
    await stage.model.waitFor({ role: 'fixer' })
    rmSync(stage.home.path, { recursive: true, force: true, maxRetries: 10 })
    const from = performance.now()
    const { status, stderr } = await fix.ended
    assert.equal(status, 3, stderr)
    assert.ok(performance.now() - from < 30_000)
    assert.match(stderr, /fixwright: the folder \S+\/home is gone.*put it back/)
    assert.doesNotMatch(stderr, /ENOENT/)
  })

  test('an instance that dies at its start is started a few times, and the end of its log is told, with 3 and a code', async (t) => {
    const stage = await setMadeStage(t, 1, { server: 'own' })
    const broken = join(stage.home.path, 'marker-secret')
    mkdirSync(broken)
    const { status, stderr, stdout } = await stage.start(stage.made.findings, ['--json']).ended
    assert.equal(status, 3, stderr)
    assert.match(
      stderr,
      /the instance of Fixwright ended at its start: starting it again; its log, \S+ ends with\n {2}.*EISDIR/,
    )
    assert.match(
      stderr,
      /ended at its start, 3 times one after the other; its log.*\n.*EISDIR.*\n(?:.*\n)*Nothing is lost/,
    )
    assert.equal(stderr.match(/starting Temporal on/g)?.length, 3)
    assert.equal(JSON.parse(stdout).error.code, 'instance_unavailable')
    rmdirSync(broken)
    const again = await stage.start(stage.made.findings).ended
    assert.deepEqual([again.status, again.result?.issues_fixed], [0, 1], again.stderr)
    await checkInvariants(stage)
  })

  test('SIGTERM ends a command whose home is gone', async (t) => {
    const stage = await setMadeStage(t, 1, { scenario: HOLD })
    const fix = stage.start(stage.made.findings)
    await stage.model.waitFor({ role: 'fixer' })
    rmSync(stage.home.path, { recursive: true, force: true, maxRetries: 10 })
    fix.child.kill('SIGTERM')
    const { status, signal } = await fix.ended
    assert.ok(status === 130 || status === 3, `${status ?? signal}`)
  })

  test('a repository that was moved away is told of, in the terminal, in status and in Temporal, until it is back', {
    timeout: 300_000,
  }, async (t) => {
    const stage = await setMadeStage(t, 1, { scenario: HOLD })
    const fix = stage.start(stage.made.findings)
    await stage.model.waitFor({ role: 'fixer' })
    renameSync(stage.repository, `${stage.repository}.away`)
    stage.model.release()
    await fix.says(
      /in trouble: the step commitStage has failed \d of 10 times since \S+ .*repository.*What helps: put the repo/,
    )
    const id = await sessionId(stage)
    // On a loaded machine Temporal may not tell within the time that `status` gives it.
    await until('status shows it', async () => {
      const { stdout } = await stage.command('status', id).ended
      return /trouble +the step commitStage has failed/.test(stdout)
    })
    await until('Temporal shows it', async () => /Trouble.*commitStage has failed/.test(await readDetails(stage, id)))
    renameSync(`${stage.repository}.away`, stage.repository)
    const { status, result, stderr } = await fix.ended
    assert.deepEqual([status, result?.issues_fixed], [0, 1], stderr)
    await checkInvariants(stage)
  })

  test('a provider that can’t be reached is named with its address, and how often it failed', {
    timeout: 300_000,
  }, async (t) => {
    const closed = 'http://127.0.0.1:9'
    const stage = await setMadeStage(t, 1, { environment: { ANTHROPIC_BASE_URL: closed } })
    const fix = stage.start(stage.made.findings)
    await fix.says(/claude at 127\.0\.0\.1:9 made it wait: it was not reached.* · wait 1, the next try in \d+ s/)
    await fix.says(/the step fixBatch has failed \d of 10 times since .*What helps: check the network/)
    await until('status shows it', async () => {
      const { stdout } = await stage.command('status', await sessionId(stage), '--json').ended
      return /the step fixBatch has failed/.test(JSON.parse(stdout).health.problem)
    })
    await stage.command('cancel', await sessionId(stage)).ended
    await fix.ended
  })

  test('a fix that is ready is kept while the challenger can’t be reached, judged when it can, and paid once', async (t) => {
    const gate = await setClosedGate(t)
    const stage = await setMadeStage(t, 1, { attempts: 1, environment: { GOOGLE_GEMINI_BASE_URL: gate.url } })
    const args = ['--set', 'limit_wait.backoff_min_seconds=1', '--set', 'gemini.models=["gemini-2.5-flash"]']
    const fix = stage.start(stage.made.findings, args)
    await fix.says(/⏳/)
    const id = await sessionId(stage)
    gate.openTo(stage.model.url)
    const { status, result, stderr } = await fix.ended
    assert.deepEqual([status, result?.issues_fixed], [0, 1], stderr)
    const calls = await stage.read((store) => store.agentCalls.listForSession(id))
    assert.equal(calls.filter(({ role }) => role === 'fixer').length, 1)
    await checkInvariants(stage)
  })

  const folder = mkdtempSync(join(tmpdir(), 'fixwright-small-'))
  const canMount =
    process.getuid?.() === 0 && spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder]).status === 0
  if (canMount) spawnSync('umount', [folder])
  rmSync(folder, { recursive: true, force: true })

  test('a disk that is full is told of within seconds, and the session goes on when there is room', {
    skip: !canMount && 'only root can mount a small disk',
  }, async (t) => {
    const disk = mkdtempSync(join(tmpdir(), 'fixwright-small-'))
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=96m', 'tmpfs', disk])
    const FIXWRIGHT_HOME = join(disk, 'home')
    const stage = await setMadeStage(t, 1, { scenario: HOLD, environment: { FIXWRIGHT_HOME } })
    t.after(() => {
      spawnSync('umount', ['-l', disk])
      rmSync(disk, { recursive: true, force: true })
    })
    const fix = stage.start(stage.made.findings)
    await stage.model.waitFor({ role: 'fixer' })
    const filler = join(disk, 'filler')
    spawnSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=1M'])
    await fix.says(/the disk of \S+ is full: make room/)
    writeFileSync(filler, '')
    await fix.says(/the session goes on/)
    stage.model.release()
    const { status, result, stderr } = await fix.ended
    assert.deepEqual([status, result?.issues_fixed], [0, 1], stderr)
  })
})
