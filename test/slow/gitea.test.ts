// A real forge that we have not written: pushes, pull requests, issues, comments, statuses and merges of Gitea, with its own delays.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { GITEA, startGitea } from '../support/gitea.ts'
import { checkInvariants } from '../support/invariants.ts'
import { composeVotes } from '../support/kill-forge.ts'
import { QUICK } from '../support/killing.ts'
import { change } from '../support/scripting.ts'
import { setMadeStage } from '../support/session.ts'
import { startTokenHunt } from '../support/token-hunt.ts'

interface Item {
  readonly number: number
  readonly title: string
  readonly state: string
  readonly body: string
  readonly pull_request?: object | null
}

test('on Gitea, each thing is made once though answers are lost, and a squash is seen by its API and by git alone [S0-16] [S3-14]', {
  skip: GITEA ? false : 'FIXWRIGHT_TEST_GITEA names no program',
  timeout: 900_000,
}, async (t) => {
  const stage = await setMadeStage(t, 3, {
    environment: QUICK,
    change: (made) => change(made, 'T-003', { fixes: [{ status: 'blocked', summary: 'It needs a licence.' }] }),
  })
  stage.git('branch', '-M', 'main')
  const gitea = await startGitea(t, stage.repository)
  stage.git('remote', 'add', 'origin', gitea.remote)
  const tokenFile = join(stage.folder, 'token')
  writeFileSync(tokenFile, gitea.token, { mode: 0o600 })
  const holders = [tokenFile, join(stage.repository, '.git/config')]
  const hunt = await startTokenHunt(t, stage, { secrets: [gitea.token], holders })
  const pace = { 'github.watch_seconds': 0.5, 'github.watch_max_seconds': 1, 'github.look_again_seconds': 1 }
  const toOptions = (values: Readonly<Record<string, string | number>>) =>
    Object.entries(values).flatMap(([name, value]) => ['--set', `${name}=${value}`])
  const options = toOptions({ ...pace, 'github.host': gitea.host, 'github.token_file': tokenFile })
  const run = async (status: number, ...args: string[]) => {
    const ended = await stage.command(...args).ended
    assert.equal(ended.status, status, `${args.join(' ')}: ${ended.stderr}`)
    return ended.stdout
  }
  const fix = async (codes: readonly string[], status: number) => {
    const issues = stage.made.findings.issues.filter(({ issue_code }) => codes.includes(issue_code))
    const { result } = await stage.fix({ issues }, { args: ['--profile', 'review-fix'], status })
    assert.ok(result?.branch_name)
    return { id: result.session_id, branch: result.branch_name }
  }
  const statusOf = async (code: string) =>
    (await stage.read((store) => store.issues.list())).find(({ issue_code }) => issue_code === code)?.status

  // As GitHub has it: by its API.
  const first = await fix(['T-001', 'T-003'], 1)
  gitea.loseAnswer('POST', /\/pulls$/)
  await run(0, 'pr', first.id, ...options)
  await run(0, 'pr', first.id, ...options)
  gitea.loseAnswer('POST', /\/issues$/)
  await run(0, 'leftovers', first.id, '--create', ...options)
  const listed = await gitea.ask<Item[]>('GET', '/issues?state=all&type=all')
  assert.deepEqual(
    listed.map(({ pull_request }) => Boolean(pull_request)).toSorted(),
    [false, true],
    `one pull request, one issue: ${JSON.stringify(listed.map(({ number, title, state, body }) => [number, title, state, body.slice(-400)]))}`,
  )
  const number = listed.find(({ pull_request }) => pull_request)?.number ?? 0
  const votes = join(stage.folder, 'votes.json')
  const head = stage.git('rev-parse', first.branch)
  // Gitea takes comments on lines in another form than GitHub.
  const composed = composeVotes(stage, head) as { readonly findings: readonly object[] }
  const findings = composed.findings.map((each) => ({ ...each, comment_at: undefined }))
  writeFileSync(votes, JSON.stringify({ ...composed, findings }))
  for (const path of [/\/comments$/, /\/statuses\//]) gitea.loseAnswer('POST', path)
  for (let time = 1; time <= 2; time += 1)
    await run(1, 'review-pr', '--pr', `${gitea.slug}#${number}`, '--post', '--votes', votes, ...options)
  const comments = await gitea.ask<Item[]>('GET', `/issues/${number}/comments`)
  const statuses = await gitea.ask<{ readonly status: string }[]>('GET', `/statuses/${head}`)
  assert.deepEqual([comments.length, statuses.map(({ status }) => status)], [1, ['failure']])
  await gitea.ask('POST', `/pulls/${number}/merge`, { Do: 'squash', delete_branch_after_merge: true })
  await run(0, 'watch-pr', `${gitea.slug}#${number}`, '--repo', stage.repository, '--wait', ...options)
  assert.equal(await statusOf('T-001'), 'merged')

  // By git alone, with the credential in the remote's address.
  stage.git('remote', 'set-url', 'origin', gitea.remote.replace('//', `//ada:${gitea.token}@`))
  await stage.lookAgain()
  const second = await fix(['T-002'], 0)
  const plain = toOptions(pace)
  await run(0, 'pr', second.id, ...plain)
  const pull = { title: 'By hand', head: second.branch, base: 'main' }
  const { number: byHand } = await gitea.ask<Item>('POST', '/pulls', pull)
  await gitea.ask('POST', `/pulls/${byHand}/merge`, { Do: 'squash', delete_branch_after_merge: true })
  await run(0, 'watch-pr', second.id, '--wait', ...plain)
  assert.equal(await statusOf('T-002'), 'merged')
  await hunt.end()
  await checkInvariants(stage)
})
