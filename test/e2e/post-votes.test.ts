// Two votes that get onto their pull request, through the terminal with the real CLIs. GitHub is one of our own, in a process of its own over a
// real bare repository, and refuses whole reviews for one line that the change does not show.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Fault } from '../support/github/state.ts'
import { ADA, BOB, type GitHubBed, startGitHub, TOKEN } from '../support/github.ts'
import { keepWorkflowHistory } from '../support/histories.ts'
import { checkInvariants } from '../support/invariants.ts'
import { kill, QUICK } from '../support/killing.ts'
import type { E2eStage } from '../support/session.ts'
import { startTokenHunt } from '../support/token-hunt.ts'
import { until } from '../support/until.ts'
import { setVoteStage } from '../support/votes.ts'

const ENVIRONMENT = { ...QUICK, GH_ENTERPRISE_TOKEN: TOKEN }
const VALUES = Array.from({ length: 17 }, (_, index) => `export const value${index + 1} = ${index + 1}`)

const finding = (id: string, more: object) => ({
  ...{ id, file: 'src/values.js', line: '1', quote: 'nothing', issue: `${id} is wrong, says @bob, see #1.` },
  ...{ failure: `With any input, ${id} throws.`, effect: 'crash', reach: 'realistic', ...more },
})
/** Twenty: on new lines, on several, on one that is gone, on a renamed file that shows none, without a place. */
const FINDINGS = [
  ...VALUES.slice(0, 15).map((quote, index) => finding(`V${index + 1}`, { line: `${index + 1}`, quote })),
  finding('several', { line: '16-17', quote: VALUES.slice(15).join('\n') }),
  finding('gone', { file: 'src/login.js', side: 'old', line: '2', quote: '  return user.token.length > 0' }),
  finding('last', { file: 'src/login.js', line: '3', quote: '  return token.length > 0' }),
  finding('renamed', { file: 'src/new-name.js', line: '1', quote: 'export const answer = 42' }),
  finding('nowhere', { quote: 'no such line' }),
]

const isWrite = ({ method, path, login }: { method: string; path: string; login: string | undefined }) =>
  method !== 'GET' && login === 'ada' && path.startsWith('/repos/')

async function vote(stage: E2eStage, github: GitHubBed, number: number, ...args: string[]) {
  const pull = ['--repo', stage.repository, '--pr', `${github.slug}#${number}`, '--post', '--format', 'json']
  const host = ['--set', `github.host=${github.host}`, '--set', 'github.look_again_seconds=0.2']
  return stage.command('review-pr', ...pull, ...host, ...args)
}

test('review-pr --post says the verdict on the head, and each finding once, over five pushes [S0-18] [S0-19] [S0-20]', {
  timeout: 600_000,
}, async (t) => {
  const stage = await setVoteStage(
    t,
    {
      votes: {
        claude: { vote: 60, findings: FINDINGS, feedback: 'See <details> and <img src=x>, @bob.' },
        gemini: { vote: 78, findings: [FINDINGS[3]!] },
      },
    },
    { environment: ENVIRONMENT, files: { 'src/values.js': `${VALUES.join('\n')}\n` } },
  )
  const github = await startGitHub(t, { from: stage.repository, tokens: [ADA, BOB] })
  stage.git('remote', 'add', 'origin', github.remote)
  const hunt = await startTokenHunt(t, stage, { secrets: [TOKEN], github })
  const number = await github.open(BOB, 'feature', 'main')
  const before = (await github.state()).requests.length

  const first = await (await vote(stage, github, number)).ended
  assert.equal(first.status, 1, first.stderr)
  assert.match(first.stderr, /posted the comments on lines, the comment, the verdict: http/)
  const { verdict, session_id: session } = JSON.parse(first.stdout)
  const posted = await github.state()
  assert.deepEqual([verdict, posted.problems], ['not_approved', []])
  const writes = posted.requests.slice(before).filter(isWrite)
  assert.deepEqual(
    writes.map(({ status }) => status),
    [200, 201, 201],
    'twenty findings take three writes, and none is refused',
  )
  const head = github.git('rev-parse', 'feature')
  assert.deepEqual(
    posted.statuses.map(({ sha, state, context, description }) => [sha, state, context, description]),
    [[head, 'failure', 'fixwright/votes', `Not approved: mean 69 of 80 needed (${session})`]],
  )
  const [comment] = posted.comments
  assert.ok(comment)
  for (let id = 1; id <= 20; id += 1)
    assert.ok(comment.body.includes(`**F${`${id}`.padStart(3, '0')} high**`), `F${id}`)
  assert.match(comment.body, new RegExp(`${head}[\\s\\S]*\\| claude \\| 60 [\\s\\S]*\\| gemini \\| 78 `))
  assert.match(comment.body, /Findings: 20\*\*, 10 of them on lines of the change/)
  assert.equal(posted.reviewComments.length, 10)
  for (const { body } of [comment, ...posted.reviewComments]) assert.doesNotMatch(body, /@bob|#1\b|<img|See <details>/)
  // What both report comes first.
  assert.match(posted.reviewComments[0]?.body ?? '', /\(claude, gemini\): V4/)

  for (let push = 1; push <= 4; push += 1) {
    const pushed = github.push('feature')
    const again = await (await vote(stage, github, number)).ended
    assert.equal(again.status, 1, again.stderr)
    const state = await github.state()
    assert.deepEqual(
      [state.comments.length, state.comments[0]?.edits, state.reviews.length, state.reviewComments.length],
      [1, push, 1, 10],
      `push ${push}: one comment, edited once; no comment twice`,
    )
    assert.deepEqual([state.statuses.length, state.statuses.at(-1)?.sha, state.problems], [push + 1, pushed, []])
    assert.ok(state.comments[0]?.body.includes(pushed))
  }
  await hunt.end()
  await checkInvariants(stage)
})

test('a pull request from a fork is read by no model unless somebody says so, as GitHub says where its head lies', {
  timeout: 300_000,
}, async (t) => {
  const votes = { claude: { vote: 85 }, gemini: { vote: 85 } }
  const stage = await setVoteStage(t, { votes }, { environment: ENVIRONMENT })
  const github = await startGitHub(t, { from: stage.repository, tokens: [ADA, BOB] })
  stage.git('remote', 'add', 'origin', github.remote)
  const hunt = await startTokenHunt(t, stage, { secrets: [TOKEN], github })
  const number = await github.open(BOB, 'feature', 'main')
  await github.edit(number, { fork: 'eve/shop' })
  const refused = await (await vote(stage, github, number)).ended
  assert.equal(refused.status, 2, refused.stderr)
  assert.match(refused.stderr, /comes from a fork: give --allow-fork/)
  assert.deepEqual([await stage.sessions(), (await github.state()).comments], [[], []])
  const allowed = await (await vote(stage, github, number, '--allow-fork')).ended
  assert.equal(allowed.status, 0, allowed.stderr)
  await hunt.end()
})

test('lost answers, limits and kill -9 leave one of each; an approval goes when the head moves [S0-19]', {
  timeout: 600_000,
}, async (t) => {
  const stage = await setVoteStage(
    t,
    { votes: { claude: { vote: 85, findings: [FINDINGS[0]!] }, gemini: { vote: 78 } } },
    { environment: ENVIRONMENT, files: { 'src/values.js': `${VALUES.join('\n')}\n` } },
  )
  const github = await startGitHub(t, { from: stage.repository, tokens: [ADA, BOB] })
  stage.git('remote', 'add', 'origin', github.remote)
  const hunt = await startTokenHunt(t, stage, { secrets: [TOKEN], github })
  const number = await github.open(BOB, 'feature', 'main')
  const POST = (path: string, fault: Fault, nth = 1) => ({ method: 'POST', path, nth, fault })
  await github.plan([
    POST('/reviews$', { kind: 'drop', after: true }),
    POST('/comments$', { kind: 'hold', after: true }),
    POST('/statuses/', { kind: 'status', status: 502 }),
    { method: 'GET', path: '/comments$', nth: 2, fault: { kind: 'secondary', status: 403, retryAfterSeconds: 1 } },
  ])
  const running = await vote(stage, github, number, '--approve')
  await until('the comment is held', async () => (await github.state()).held === 1)
  kill(stage, ['worker'])
  const ended = await running.ended
  await github.release()
  assert.equal(ended.status, 0, ended.stderr)
  const { session_id: session } = JSON.parse(ended.stdout)
  const state = await github.state()
  assert.deepEqual(
    [state.comments.length, state.reviewComments.length, state.statuses.map((each) => each.state), state.problems],
    [1, 1, ['success'], []],
  )
  assert.deepEqual(
    state.reviews.map(({ event, commit_id }) => [event, commit_id]),
    [['APPROVE', github.git('rev-parse', 'feature')]],
  )
  await keepWorkflowHistory(stage, `post-votes/${session}`, 'post-votes')

  // The token may post all but the verdict: nothing approves then, and nothing did before the comment was there.
  github.push('feature')
  await github.plan([POST('/statuses/', { kind: 'forbidden' })])
  const half = await (await vote(stage, github, number, '--approve')).ended
  assert.equal(half.status, 3, half.stderr)
  assert.match(half.stderr, /the verdict could not be posted/)
  const halfway = await github.state()
  assert.deepEqual(
    halfway.reviews.map(({ event }) => event),
    ['DISMISSED', 'DISMISSED'],
  )
  const order = halfway.requests.slice(state.requests.length).filter(isWrite)
  assert.match(
    order.map(({ path }) => path.split('/').slice(4).join('/')).join(' '),
    /^issues\S+ pulls\S+reviews statuses/,
  )

  // The head moves while the next votes are posted.
  github.push('feature')
  await github.plan([POST('/reviews$', { kind: 'hold', after: true })])
  const late = await vote(stage, github, number, '--approve')
  await until('the approval is held', async () => (await github.state()).held === 1)
  const moved = github.push('feature')
  await github.release()
  const said = await late.ended
  assert.equal(said.status, 3, said.stderr)
  assert.match(said.stderr, new RegExp(`has moved to ${moved.slice(0, 12)}`))
  const after = await github.state()
  assert.deepEqual(
    after.reviews.map(({ event }) => event),
    ['DISMISSED', 'DISMISSED', 'DISMISSED'],
  )
  assert.ok(after.statuses.every(({ sha }) => sha !== moved))
  await hunt.end()
  await keepWorkflowHistory(stage, `post-votes/${JSON.parse(half.stdout).session_id}`, 'post-votes-half')
  await checkInvariants(stage, 'votes-to-post')
})
