// The two jobs of the Action as their steps run them: one votes without a token that can write, another one posts with neither a model's key
// nor a repository, each in a home of its own.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { packageRoot } from '../../src/runtime/home/package-root.ts'
import type { BedToken } from '../support/github/state.ts'
import { BOB, startGitHub } from '../support/github.ts'
import { startTokenHunt } from '../support/token-hunt.ts'
import { setVoteStage } from '../support/votes.ts'

const READER: BedToken = { ...BOB, token: 'ghs_READER0123456789abcdef0123456789', contents: 'read', push: false }
const ACTIONS: BedToken = {
  ...{ token: 'ghs_POSTER0123456789abcdef0123456789', login: 'github-actions[bot]', id: 9 },
  ...{ kind: 'installation', contents: 'write' },
}
const MARKER_SECRET = 'a marker secret of thirty-two characters'

test('the Action votes in one job and posts in another, each thing once over several runs [S0-18] [S0-19]', {
  timeout: 400_000,
}, async (t) => {
  const finding = {
    ...{ id: 'V1', file: 'src/login.js', line: '2', quote: 'const token = user.token', issue: 'It crashes.' },
    ...{ failure: 'With an undefined user, the login throws.', effect: 'crash', reach: 'realistic' },
  }
  const stage = await setVoteStage(t, { votes: { claude: { vote: 60, findings: [finding] }, gemini: { vote: 90 } } })
  const github = await startGitHub(t, { from: stage.repository, tokens: [BOB, READER, ACTIONS] })
  stage.git('remote', 'add', 'origin', github.remote)
  const secrets = [READER.token, ACTIONS.token, MARKER_SECRET]
  const hunt = await startTokenHunt(t, stage, { secrets, github })
  const number = await github.open(BOB, 'feature', 'main')
  const votes = join(stage.folder, 'votes.json')
  const summary = join(stage.folder, 'summary.md')
  const output = join(stage.folder, 'output')

  let homes = 0
  const run = async (mode: string, { token }: BedToken, file = votes) => {
    homes += 1
    const home = join(stage.folder, `home-${homes}`)
    mkdirSync(home, { mode: 0o700 })
    const reads = mode === 'read'
    const models = Object.entries(stage.environment).filter(([name]) => reads || !/ANTHROPIC|GEMINI|CLAUDE/.test(name))
    const child = spawn('bash', [join(packageRoot(), 'scripts/action.sh')], {
      cwd: stage.folder,
      env: {
        ...Object.fromEntries(models),
        ...{ FIXWRIGHT_HOME: home, GITHUB_SERVER_URL: `http://${github.host}`, REVIEW_ACTION_TOKEN: token },
        ...{ REVIEW_ACTION_MODE: mode, REVIEW_ACTION_PULL: `${github.slug}#${number}` },
        ...{ REVIEW_ACTION_VOTES: file, GITHUB_STEP_SUMMARY: summary, GITHUB_OUTPUT: output },
        ...(reads ? { REVIEW_ACTION_FOLDER: stage.repository } : { FIXWRIGHT_MARKER_SECRET: MARKER_SECRET }),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let text = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk))
    const [status] = (await once(child, 'close')) as [number]
    return { status, text }
  }

  const read = await run('read', READER)
  assert.equal(read.status, 1, read.text)
  assert.match(readFileSync(summary, 'utf8'), /^# Not approved: mean 75 of 80 needed/)
  assert.match(readFileSync(output, 'utf8'), /^verdict=not_approved$/m)
  const before = await github.state()
  assert.deepEqual([before.comments, before.reviews, before.statuses, before.checkRuns], [[], [], [], []])

  // A second run of the job has another home, and finds what the first one has posted.
  for (const time of ['first', 'second']) {
    const posted = await run('post', ACTIONS)
    assert.equal(posted.status, 1, posted.text)
    const state = await github.state()
    assert.deepEqual(state.problems, [])
    assert.deepEqual(
      [state.comments.length, state.comments[0]?.edits, state.reviewComments.length, state.statuses.length],
      [1, 0, 1, 0],
      time,
    )
    assert.deepEqual(
      state.checkRuns.map(({ head_sha, name, conclusion }) => [head_sha, name, conclusion]),
      [[github.git('rev-parse', 'feature'), 'fixwright/votes', 'failure']],
    )
  }

  const changed = join(stage.folder, 'changed.json')
  const report = JSON.parse(readFileSync(votes, 'utf8'))
  writeFileSync(changed, JSON.stringify({ ...report, verdict: 'approved', mean: 90 }))
  const forged = await run('post', ACTIONS, changed)
  assert.deepEqual([forged.status, /says approved, and its ballots say not_approved/.test(forged.text)], [2, true])
  const none = { kind: 'none', voter: 'gemini', reason: 'limit', detail: 'until tomorrow' }
  const missing = { verdict: 'no_verdict', mean: null, reasons: ['gemini is at its limit'] }
  const without = { ...report, ...missing, session_id: `${report.session_id}z`, ballots: [report.ballots[0], none] }
  writeFileSync(changed, JSON.stringify(without))
  const red = await run('post', ACTIONS, changed)
  assert.equal(red.status, 3, red.text)
  const { checkRuns, comments } = await github.state()
  assert.deepEqual(
    checkRuns.map(({ conclusion }) => conclusion),
    ['failure', 'action_required'],
  )
  assert.match(comments[0]?.body ?? '', /^### No verdict[\s\S]*gemini stayed at its limit/)
  await hunt.end()
})
