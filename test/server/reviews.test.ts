// Reviews and votes over HTTP, with real CLIs, real Temporal and real git: started, joined, watched, cancelled and reported.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addRepository } from '../../src/app/repositories/repositories.ts'
import { checkInvariants } from '../support/invariants.ts'
import { setReviewStage } from '../support/review.ts'
import { follow, serveStage } from './support.ts'

test('a review is streamed to its end, votes are answered at once, and both are reported over HTTP [S0-18, S0-19, S3-1]', async (t) => {
  const stage = await setReviewStage(t, {
    scenario: { votes: { claude: { vote: 85 }, gemini: { vote: 78 } } },
  })
  const { repository_id } = await register(stage)
  const api = await serveStage(stage)
  const refusals: [path: string, body: object, status: number, code: string, pointer?: string][] = [
    ['review', { repository_id: 'repo-0000000000000000' }, 404, 'repository_not_found'],
    ['review', { repository_id: stage.repository }, 404, 'repository_not_found'],
    ['review', { repository_id, spec: 'specs/none' }, 400, 'bad_input', '/spec'],
    ['review', { repository_id, head: 'main' }, 422, 'nothing_to_review'],
    [
      'review-fix',
      { repository_id, settings: { 'verification.commands': ['true'] } },
      422,
      'settings_invalid',
      '/settings/verification.commands',
    ],
    ['review-fix', { repository_id, experts: ['nobody'] }, 400, 'bad_input'],
    ['review-pr', { repository_id, head: 'nowhere' }, 409, 'repository_unusable', '/head'],
    ['review-pr', { repository_id, head: '--upload-pack=x' }, 409, 'repository_unusable'],
    ['review-pr', { repository_id, settings: { 'votes.claude_models': ['x'] } }, 422, 'settings_invalid'],
  ]
  for (const [path, body, status, code, pointer] of refusals) {
    const refused = await api.post(`/api/${path}/start`, body)
    assert.deepEqual([refused.status, refused.body.code], [status, code], refused.text)
    if (pointer !== undefined) assert.equal(refused.body.errors[0].pointer, pointer)
  }
  assert.deepEqual(await stage.sessions(), [])

  const body = {
    repository_id,
    base: 'main',
    experts: ['language', 'be-quality'],
    user_notes: 'look at the cart',
    import: true,
  }
  const stream = await follow(api.url, '/api/review/start', { token: api.token, method: 'POST', body })
  assert.equal(await stream.ended, true)
  assert.equal(stream.frames.at(-1)?.event, 'fix_session_completed')
  const address = `${stream.response.headers.location}`
  const reviewed = (await api.get(address)).body
  assert.deepEqual([reviewed.kind, reviewed.review.confirmed, reviewed.review.imported.issues], ['review', 1, 1])
  assert.deepEqual(reviewed.review.experts.toSorted(), ['be-quality', 'language'])
  assert.match(JSON.stringify(stage.model.calls().map(({ body: sent }) => sent)), /look at the cart/)
  const sarif = await api.get(`${address}/report?format=sarif`)
  assert.equal(JSON.parse(sarif.text).runs[0].results.length, 4)
  assert.equal((await api.get(`/api/fix/issues/${repository_id}?status=open`)).body.items.length, 1)

  const refs = { repository_id, base: 'main', head: 'feature' }
  const voting = await api.post('/api/review-pr/start', refs)
  assert.deepEqual([voting.status, voting.body.joined], [202, false], voting.text)
  const { session_id } = voting.body
  assert.equal(voting.headers.location, `/api/sessions/${session_id}`)
  const events = await follow(api.url, `/api/sessions/${session_id}/events`, { token: api.token })
  assert.equal(await events.ended, true)
  const voted = (await api.get(`/api/sessions/${session_id}`)).body
  assert.deepEqual([voted.kind, voted.votes.verdict, voted.votes.mean], ['votes', 'approved', 81.5])
  assert.match((await api.get(`/api/sessions/${session_id}/report?format=md`)).text, /^# Approved/)
  await api.close()
  await checkInvariants(stage)
})

test('review-fix over HTTP is one session for all who ask, and a cancelled one says that nothing is known', async (t) => {
  const stage = await setReviewStage(t, {
    scenario: { faults: [{ match: { role: 'reviewer_language' }, fault: { kind: 'hang' } }] },
  })
  const { repository_id } = await register(stage)
  const api = await serveStage(stage)
  const body = { repository_id, base: 'main', experts: ['language'] }
  const first = await api.post('/api/review-fix/start', body)
  assert.equal(first.status, 202, first.text)
  await stage.model.waitFor({ role: 'reviewer_language' })
  const second = await api.post('/api/review-fix/start', body)
  assert.deepEqual([second.body.session_id, second.body.joined], [first.body.session_id, true])
  const at = `/api/sessions/${first.body.session_id}`
  const events = await follow(api.url, `${at}/events`, { token: api.token })
  assert.equal((await api.post(`${at}/cancel`, { reason: 'not now' })).body.kind, 'taken')
  assert.equal(await events.ended, true)
  const { kind, status, ending } = (await api.get(at)).body
  assert.deepEqual([kind, status, ending.class], ['review-fix', 'cancelled', 'cancelled'])
  assert.match((await api.get(`${at}/report?format=md`)).text, /nothing is known of the change/i)
  await api.close()
  await checkInvariants(stage)
})

async function register({ read, repository }: Awaited<ReturnType<typeof setReviewStage>>) {
  const added = await read((store) => addRepository({ store }, { folder: repository, name: 'shop' }))
  assert.ok(added.kind === 'added')
  return added.repository
}
