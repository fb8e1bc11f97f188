// Every shape of a change, and the comments on its lines: GitHub refuses a whole review for one line that it does not show.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ADA, BOB, startGitHub, TOKEN } from '../support/github.ts'
import { PLANTED, writePlanted } from '../support/planted.ts'
import { gitAt, repositoryOf, setStage } from '../support/session.ts'

test('each place that a planted finding gets is one that GitHub takes, all of them in one review [S0-19]', {
  timeout: 300_000,
}, async (t) => {
  const more = { failure: 'With any input it throws.', effect: 'crash', reach: 'realistic' }
  const findings = PLANTED.map((each) => ({ ...each, ...more }))
  const stage = await setStage(t, {
    environment: { GH_ENTERPRISE_TOKEN: TOKEN },
    scenario: { votes: { claude: { vote: 60, findings }, gemini: { vote: 78 } } },
    repository: (folder) => {
      repositoryOf({ 'README.md': 'A shop.\n' })(folder)
      const git = (...args: string[]) =>
        gitAt(folder, ['-c', 'user.name=Ada', '-c', 'user.email=ada@localhost', ...args])
      git('branch', '-M', 'main')
      for (const when of ['before', 'after'] as const) {
        if (when === 'after') git('switch', '-q', '-c', 'feature')
        writePlanted(folder, when)
        git('add', '-A')
        git('commit', '-qm', when)
      }
      git('switch', '-q', 'main')
    },
  })
  const github = await startGitHub(t, { from: stage.repository, tokens: [ADA, BOB] })
  stage.git('remote', 'add', 'origin', github.remote)
  await stage.lookAgain()
  const number = await github.open(BOB, 'feature', 'main')
  const pull = ['--repo', stage.repository, '--pr', `${github.slug}#${number}`, '--post', '--format', 'json']
  const ended = await stage.command('review-pr', ...pull, '--set', `github.host=${github.host}`).ended
  assert.equal(ended.status, 1, ended.stderr)
  const found = JSON.parse(ended.stdout).findings as readonly { readonly id: string; readonly comment_at?: object }[]
  const placed = found.filter(({ comment_at }) => comment_at !== undefined)
  assert.ok(placed.length > 20 && placed.length < found.length, `${placed.length} of ${found.length} have a place`)
  const comments = placed.map(({ id, comment_at }) => ({ body: id, ...comment_at }) as Record<string, unknown>)
  const sided = comments.map((each) => (each.start_line === undefined ? each : { ...each, start_side: each.side }))
  await github.post(BOB, `/pulls/${number}/reviews`, { event: 'COMMENT', body: 'All of them.', comments: sided })
  const { reviewComments, problems, requests } = await github.state()
  assert.deepEqual([requests.at(-1)?.status, problems], [200, []])
  assert.equal(reviewComments.filter(({ user }) => user.login === 'bob').length, placed.length)
  assert.ok(
    requests.every(({ status }) => status !== 422),
    'nothing was refused',
  )
})
