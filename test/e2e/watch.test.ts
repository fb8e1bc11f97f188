// The watch over a pull request, through the terminal: its issues follow what becomes of it, on the GitHub of the test bed, at a remote
// with git alone, and in a repository without any remote.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { keepWorkflowHistory } from '../support/histories.ts'
import { checkInvariants } from '../support/invariants.ts'
import { gitAt, setMadeStage } from '../support/session.ts'
import { until } from '../support/until.ts'
import { continueOften, countLooks, killInTurns, setWatchedPull } from '../support/watching.ts'

test('issues follow their pull request when it is closed, opened again and squashed, whatever is lost or killed [S0-16]', {
  timeout: 400_000,
}, async (t) => {
  const watched = await setWatchedPull(t, 2)
  const { stage, github, sessionId, branch, watchId, options, untilAll } = watched
  const json = async (...args: string[]) =>
    JSON.parse((await stage.command(...args, '--json', ...options).ended).stdout)
  await until('it is in the list', async () => {
    const [only] = await json('watch-pr', '--list')
    return only?.name === `${github.slug}#1` && only.state === 'open' && only.branch === branch
  })
  await keepWorkflowHistory(stage, `pull-request/${sessionId}`, 'pull-request-watched')
  const { workflow } = await stage.client()
  const { searchAttributes } = await workflow.getHandle(watchId).describe()
  assert.deepEqual(
    ['FixStatus', 'FixAwaiting', 'FixBranch', 'FixRepository'].map((name) => searchAttributes[name]),
    [['open'], ['merge'], [branch], [stage.repository]],
  )

  // What it waits in is told by three frames at most, and not by all, which would be most of its memory.
  const trace = await workflow.getHandle(watchId).query<string>('__stack_trace')
  assert.match(trace, /watch/i)
  for (const promise of trace.split('\n\n')) assert.ok(promise.trim().split('\n').length <= 3, trace)

  // While nothing is new, each look is one request that costs nothing.
  const before = await github.state()
  const [from, asked] = [countLooks(before), before.requests.length]
  await until('it has looked ten times more', async () => countLooks(await github.state()).all >= from.all + 10)
  const state = await github.state()
  const now = countLooks(state)
  const changed = state.requests.slice(asked).filter(({ status }) => status !== 304)
  assert.deepEqual([changed, state.problems], [[], []])
  assert.equal(now.unchanged - from.unchanged, now.all - from.all)
  assert.equal(state.requests.length - asked, now.all - from.all)

  const first = await continueOften(watched, `${github.slug}#1`)
  await keepWorkflowHistory(stage, watchId, 'watch-continued', first)
  await killInTurns(watched, 2)
  const resolved = await untilAll('resolved', 'opened again')
  assert.match(resolved[0]?.resolution_note ?? '', /acme\/shop#1 was opened again/)

  // A commit of a person comes before the merge, and the branch is deleted after it.
  await github.edit(1, { merge: 'squash', files: { 'notes.txt': 'mine\n' } })
  github.git('branch', '-D', branch)
  const merged = await untilAll('merged', 'squashed')
  assert.match(merged[0]?.resolution_note ?? '', /^merged into \w+ as [0-9a-f]{12} by acme\/shop#1$/)
  const ended = await json('watch-pr', `${github.slug}#1`, '--repo', stage.repository, '--wait')
  assert.equal(ended.summary.end, 'merged')
  assert.deepEqual(await json('watch-pr', '--list'), [])
  const shown = await stage.command('status', sessionId).ended
  assert.match(shown.stdout, /T-001 +merged/)
  await watched.hunt.end()
  await keepWorkflowHistory(stage, watchId, 'watch')
  await watched.endUp()
  await checkInvariants(stage)
})

test('without a forge, a squash is seen in the repository and at a bare remote, and the next fix finds it merged [S0-16]', {
  timeout: 300_000,
}, async (t) => {
  const stage = await setMadeStage(t, 2)
  const pace = ['--set', 'github.watch_seconds=0.2', '--set', 'github.watch_max_seconds=0.5']
  const fix = async (code: string) => {
    const issues = stage.made.findings.issues.filter(({ issue_code }) => issue_code === code)
    const { result } = await stage.fix({ issues })
    assert.ok(result?.branch_name)
    return { id: result.session_id, branch: result.branch_name }
  }
  const statusOf = async (code: string) =>
    (await stage.read((store) => store.issues.list())).find(({ issue_code }) => issue_code === code)?.status
  const main = stage.git('rev-parse', '--abbrev-ref', 'HEAD')

  // In the repository itself.
  const first = await fix('T-001')
  const watching = stage.command('watch-pr', first.id, '--wait', '--json', ...pace)
  await until('it is watched', async () => {
    const { stdout } = await stage.command('watch-pr', '--list', '--json').ended
    return JSON.parse(stdout)[0]?.state === 'open'
  })
  stage.git('merge', '-q', '--squash', first.branch)
  stage.git('-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', 'commit', '-q', '-m', 'Fix it (#7)')
  stage.git('branch', '-D', first.branch)
  const local = await watching.ended
  assert.equal(local.status, 0, local.stderr)
  assert.deepEqual(JSON.parse(local.stdout).summary.issues.merged, ['T-001'])
  assert.equal(await statusOf('T-001'), 'merged')

  // At a bare remote: `pr` starts the watch, which can be stopped and begun again.
  const second = await fix('T-002')
  const bare = join(stage.folder, 'bare.git')
  execFileSync('git', ['clone', '-q', '--bare', stage.repository, bare], { stdio: 'ignore' })
  gitAt(bare, ['update-ref', '-d', `refs/heads/${second.branch}`])
  stage.git('remote', 'add', 'origin', bare)
  await stage.lookAgain()
  assert.equal((await stage.command('pr', second.id, ...pace).ended).status, 0)
  assert.equal((await stage.command('watch-pr', second.id, '--stop', ...pace).ended).status, 0)
  const none = await stage.command('watch-pr', second.id, '--stop', ...pace).ended
  assert.match(none.stderr, /nothing watches .*watch-pr --list/)
  // It would look again in an hour, but another call wakes it.
  const slow = ['--set', 'github.watch_seconds=3600', '--set', 'github.watch_max_seconds=3600']
  const again = stage.command('watch-pr', second.id, '--wait', '--json', ...slow)
  await until('it has looked once', async () => {
    const { stdout } = await stage.command('watch-pr', '--list', '--json').ended
    return JSON.parse(stdout)[0]?.state === 'open'
  })
  const clone = join(stage.folder, 'theirs')
  execFileSync('git', ['clone', '-q', '-b', main, bare, clone], { stdio: 'ignore' })
  gitAt(clone, ['merge', '-q', '--squash', `origin/${second.branch}`])
  gitAt(clone, ['-c', 'user.name=Bo', '-c', 'user.email=bo@example.org', 'commit', '-q', '-m', 'Fix it too'])
  gitAt(clone, ['push', '-q', 'origin', main])
  assert.equal((await stage.command('watch-pr', second.id, ...slow).ended).status, 0)
  const remote = await again.ended
  assert.deepEqual(JSON.parse(remote.stdout).summary.issues.merged, ['T-002'], remote.stderr)
  const shown = await stage.command('issues', '--status', 'merged').ended
  assert.deepEqual(shown.stdout.match(/T-00\d +merged/g)?.length, 2, shown.stdout)
  const wrong = await stage.command('watch-pr', 'acme/shop#1', '--repo', stage.folder).ended
  assert.deepEqual([wrong.status, /no issue is known of the repository/.test(wrong.stderr)], [2, true])
})
