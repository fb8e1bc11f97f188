// A change is reviewed by experts, each finding is verified by an attempt to disprove it, and the whole is reported.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { promptOf } from '../../rehearsal/calls.ts'
import { overlapped, subAgents } from '../../rehearsal/model-calls.ts'
import { parseFindings } from '../../src/domain/issue/parse-findings.ts'
import { keepHistories } from '../support/histories.ts'
import { checkInvariants } from '../support/invariants.ts'
import { EXPERTS, REVIEW, readRecord, setReviewStage } from '../support/review.ts'

test('a review keeps every finding in one state, shows who worked at the same time, and reports in four formats [S3-1] [S3-2] [S3-3] [S3-4] [S3-5] [S0-5] [S0-20]', async (t) => {
  // Each expert is held until all have arrived: only experts of one message can get there.
  const faults = EXPERTS.map((name) => ({
    match: { role: `reviewer_${name}`, at: 'first' as const },
    fault: { kind: 'hold' as const },
  }))
  const stage = await setReviewStage(t, { scenario: { faults } })
  const running = stage.command(
    'review',
    '--repo',
    stage.repository,
    '--base',
    'main',
    '--spec',
    'specs/shop',
    '--import',
  )
  for (const name of EXPERTS) await stage.model.waitFor({ role: `reviewer_${name}` })
  stage.model.release()
  const run = await running.ended
  assert.equal(run.status, 1, run.stderr + run.stdout)
  assert.match(run.stdout, /Review: 2 confirmed, 2 unverified, 1 refuted/)

  const [session] = await stage.sessions()
  assert.ok(session)
  const record = await readRecord(stage, session)
  const states = Object.fromEntries(record.findings.map(({ alias, verdict }) => [alias, verdict.state]))
  assert.deepEqual(states, {
    'language-1': 'confirmed',
    'language-2': 'refuted',
    'be-quality-1': 'merged',
    'be-quality-2': 'unverified',
    'spec-1': 'confirmed',
    'be-architecture-1': 'unverified',
  })
  const anchors = Object.fromEntries(
    record.findings.map(({ alias, file, anchor }) => [alias, `${file} ${anchor.kind}`]),
  )
  assert.deepEqual(anchors, {
    'language-1': 'shop/cart.py anchored',
    'language-2': 'shop/windows.py moved',
    'be-quality-1': 'shop/cart.py anchored',
    'be-quality-2': 'shop/gone.py anchored',
    'spec-1': 'shop/new_name.py anchored',
    'be-architecture-1': 'shop/cart.py unanchored',
  })
  assert.deepEqual(record.not_reviewed, [])
  const experts = subAgents(stage.model.calls())
  assert.deepEqual(experts.map(({ role }) => role.slice('reviewer_'.length)).sort(), EXPERTS)
  for (const one of experts) for (const other of experts) assert.ok(overlapped(one, other), `${one.role} ${other.role}`)

  const bodies = stage.model.calls().map(({ body }) => JSON.stringify(body))
  assert.ok(
    bodies.some((body) => body.includes('BASE-CONVENTION')),
    'conventions come from the base',
  )
  assert.ok(!bodies.some((body) => body.includes('HEAD-CONVENTION')), 'and never from what is under review')
  const verifier = stage.model.calls().find(({ role }) => role === 'review_verifier')
  assert.doesNotMatch(
    (verifier && promptOf(verifier)) ?? '',
    /language-1|"experts"/,
    'a verifier does not know who found it',
  )

  const report = async (format: string) =>
    (await stage.command('report', session.session_id, '--format', format).ended).stdout
  const sarif = JSON.parse(await report('sarif')).runs[0]
  const results: { suppressions: object[]; partialFingerprints: Record<string, string>; properties: { id: string } }[] =
    sarif.results
  assert.equal(results.length, 6)
  assert.equal(results.filter(({ suppressions }) => suppressions.length > 0).length, 2, 'refuted and merged')
  const hashed = results.filter(({ partialFingerprints: { primaryLocationLineHash } }) => primaryLocationLineHash)
  assert.equal(hashed.length, 4, 'those with a line in the reviewed commit')
  const json = JSON.parse(await report('json'))
  const { issues = [] } = parseFindings(json)
  assert.deepEqual(issues.map(({ title }) => title).sort(), ['mean divides by zero', 'the rate is not the one agreed'])
  assert.deepEqual(issues.map(({ estimated_files_count }) => estimated_files_count ?? 0).sort(), [0, 2])
  assert.match(await report('md'), /## Confirmed[\s\S]*## Unverified[\s\S]*## Refuted/)
  assert.match(await report('html'), /<h2>Confirmed<\/h2>/)

  const stored = await stage.read((store) => store.issues.list({ task_id: `review-${session.session_id}` }))
  assert.deepEqual(
    stored.map(({ status }) => status),
    ['open', 'open'],
  )
  const undo = async () => await stage.command('import', '--undo', `review-${session.session_id}`).ended
  const undone = await undo()
  assert.equal(undone.status, 0, undone.stderr)
  assert.deepEqual(await stage.read((store) => store.issues.list({ task_id: `review-${session.session_id}` })), [])
  assert.match((await undo()).stderr, /was undone before/)
  assert.match((await stage.command('list').ended).stdout, /2 found/)
  assert.match((await stage.command('status', session.session_id).ended).stdout, /review/)
  await checkInvariants(stage)
  await keepHistories(stage, 'review')
})

test('the next review settles what stands by id first, and what was refuted does not come back without new evidence', async (t) => {
  const stage = await setReviewStage(t)
  const args = ['--repo', stage.repository, '--experts', 'language']
  assert.equal((await stage.command('review', ...args).ended).status, 1)
  const [first] = await stage.sessions()
  assert.ok(first)
  const again = 'F001'
  stage.model.setScenario({
    review: {
      experts: {
        language: {
          findings: [
            { id: 'x', file: 'shop/windows.py', line: '1', quote: 'NAME = "b"', issue: 'in other words' },
            {
              id: 'y',
              file: 'shop/windows.py',
              line: '1',
              quote: 'NAME = "b"',
              issue: 'shown',
              new_evidence: 'line 2 reads it',
            },
          ],
        },
      },
      earlier: { [`${first.session_id}:${again}`]: { state: 'still_there', reason: 'nothing has changed there' } },
    },
  })
  assert.equal((await stage.command('review', ...args).ended).status, 1)
  const second = (await stage.sessions()).find(({ session_id }) => session_id !== first.session_id)
  assert.ok(second)
  const record = await readRecord(stage, second)
  assert.deepEqual(Object.fromEntries(record.findings.map(({ alias, verdict }) => [alias, verdict.state])), {
    [`${first.session_id}:${again}`]: 'confirmed',
    'language-x': 'refuted',
    'language-y': 'confirmed',
  })
  assert.match(JSON.stringify(record.findings), /dismissed before as .*nothing reads NAME/)
  await checkInvariants(stage)
})

test('without a change there is nothing to review, and that is not the same as nothing found', async (t) => {
  const stage = await setReviewStage(t, { scenario: { review: {} } })
  const same = await stage.command('review', '--repo', stage.repository, '--head', 'main').ended
  assert.equal(same.status, 2)
  assert.match(same.stderr, /changes nothing that main does not have/)
  const clean = await stage.command('review', '--repo', stage.repository, '--experts', 'language').ended
  assert.equal(clean.status, 0, clean.stderr)
  assert.match(clean.stdout, /0 confirmed, 0 unverified, 0 refuted[\s\S]*reviewed 6 of 6 changed file/)
  assert.equal((await stage.command('review', '--repo', stage.repository, '--experts', 'nobody').ended).status, 2)
  const missing = await stage.command('review', '--repo', stage.repository, '--spec', 'specs/none').ended
  assert.match(missing.stderr, /has no such folder/)
})

test('a review that was killed goes on, and pays no finished call twice', async (t) => {
  const stage = await setReviewStage(t, {
    environment: { FIXWRIGHT_WORKER_HEARTBEAT_TIMEOUT_SECONDS: '2' },
    scenario: { review: REVIEW, faults: [{ match: { role: 'review_verifier', nth: 1 }, fault: { kind: 'hang' } }] },
  })
  const running = stage.command('review', '--repo', stage.repository, '--experts', 'language')
  await stage.model.waitFor({ role: 'review_verifier' })
  const { pid } = JSON.parse(readFileSync(stage.home.instanceFile, 'utf8')).identity
  process.kill(pid, 'SIGKILL')
  const run = await running.ended
  assert.equal(run.status, 1, run.stderr)
  const roles = stage.model.calls().flatMap(({ role, step }) => (step === 0 && role !== 'auxiliary' ? [role] : []))
  assert.deepEqual(roles, ['review_lead', 'reviewer_language', 'review_verifier', 'review_verifier'])
  await checkInvariants(stage)
})

test('a review can be cancelled, and then there is none', async (t) => {
  const stage = await setReviewStage(t, {
    scenario: { faults: [{ match: { role: 'reviewer_language' }, fault: { kind: 'hang' } }] },
  })
  const running = stage.command('review', '--repo', stage.repository, '--experts', 'language')
  await stage.model.waitFor({ role: 'reviewer_language' })
  const [session] = await stage.sessions()
  assert.equal((await stage.command('cancel', session?.session_id ?? '').ended).status, 0)
  const run = await running.ended
  assert.equal(run.status, 130, run.stderr)
  assert.match(run.stdout, /nothing is known of the change/)
  await checkInvariants(stage)
})
