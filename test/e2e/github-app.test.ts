// All that Fixwright does on GitHub, as an App: its key and the tokens of its installation are in no file, history, output or environment.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { BOB, startGitHub } from '../support/github.ts'
import { makeApp } from '../support/github-app.ts'
import { checkInvariants } from '../support/invariants.ts'
import { composeVotes } from '../support/kill-forge.ts'
import { change } from '../support/scripting.ts'
import { setMadeStage } from '../support/session.ts'
import { startTokenHunt } from '../support/token-hunt.ts'
import { until } from '../support/until.ts'

test('an App opens a pull request and issues, says a verdict by a check run, watches and imports; its key and tokens are nowhere [S0-16] [S3-14]', {
  timeout: 300_000,
}, async (t) => {
  const stage = await setMadeStage(t, 2, {
    change: (made) => change(made, 'T-002', { fixes: [{ status: 'blocked', summary: 'It needs a licence.' }] }),
  })
  const { app, keyFile, secrets } = makeApp(stage.folder)
  const github = await startGitHub(t, { from: stage.repository, tokens: [BOB], app })
  stage.git('remote', 'add', 'origin', github.remote)
  const hunt = await startTokenHunt(t, stage, { secrets, github, holders: [keyFile] })
  const settings = {
    ...{ 'github.host': github.host, 'github.app_id': app.id, 'github.app_key_file': keyFile },
    ...{ 'github.watch_seconds': 0.2, 'github.watch_max_seconds': 0.5, 'github.look_again_seconds': 0.2 },
  }
  const options = Object.entries(settings).flatMap(([name, value]) => ['--set', `${name}=${value}`])
  const run = async (status: number, ...args: string[]) => {
    const ended = await stage.command(...args, ...options).ended
    assert.equal(ended.status, status, `${args.join(' ')}: ${ended.stderr}`)
    return ended.stdout
  }
  const fixing = ['--profile', 'review-fix', ...options]
  const { result } = await stage.fix(stage.made.findings, { args: fixing, status: 1 })
  assert.ok(result?.branch_name)
  const { session_id: id, branch_name: branch } = result

  assert.match(await run(0, 'github', 'doctor', '--repo', stage.repository), /App 5: .*fixer\[bot\]/)
  await run(0, 'pr', id)
  await run(0, 'leftovers', id, '--create', '--label', 'left')
  const votes = join(stage.folder, 'votes.json')
  writeFileSync(votes, JSON.stringify(composeVotes(stage, stage.git('rev-parse', branch))))
  await run(1, 'review-pr', '--pr', `${github.slug}#1`, '--post', '--votes', votes)
  await run(0, 'import', `github:${github.slug}`, '--repo', stage.repository, '--label', 'left')
  const { items, checkRuns, statuses, comments } = await github.state()
  assert.deepEqual(
    items.map(({ user, pull }) => [user.login, pull?.head]),
    [
      ['fixer[bot]', branch],
      ['fixer[bot]', undefined],
    ],
  )
  assert.deepEqual(
    [checkRuns.map(({ conclusion }) => conclusion), statuses.length, comments.map(({ user }) => user.login)],
    [['failure'], 0, ['fixer[bot]']],
  )
  await github.edit(1, { merge: 'squash' })
  await run(0, 'watch-pr', `${github.slug}#1`, '--repo', stage.repository, '--wait')
  await until('it is merged', async () =>
    (await stage.read((store) => store.issues.list())).some(({ status }) => status === 'merged'),
  )
  const { credentials } = await github.state()
  assert.ok(
    credentials.some((each) => each.startsWith('ghs_')) && credentials.some((each) => each.split('.').length === 3),
  )
  await hunt.end()
  await checkInvariants(stage)
})
