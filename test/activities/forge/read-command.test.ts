// Comments on a pull request of the test bed's GitHub, read as commands by the real activity.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { formatCommandId, toCommandSessionId } from '../../../src/domain/forge/command-id.ts'
import type { FixSessionResult } from '../../../src/domain/session/session.ts'
import type { ReadCommand } from '../../../src/domain/workflow-types/index.ts'
import { ADA, BOB, startGitHub, TOKEN } from '../../support/github.ts'
import { insertSession, newSession } from '../../support/store.ts'
import { type Bench, DEFAULTS, setBench } from '../support.ts'

interface CommentedPull {
  readonly bench: Bench
  readonly subject: { readonly remote: string; readonly number: number }
  /** What a comment of somebody who may write is read as. */
  read(body: string): Promise<ReadCommand>
}

async function setCommentedPull(t: TestContext): Promise<CommentedPull> {
  const bench = await setBench(t, { GH_ENTERPRISE_TOKEN: TOKEN })
  bench.git(['branch', 'feature'])
  const bed = await startGitHub(t, { from: bench.repository, tokens: [ADA, BOB] })
  bed.push('feature')
  const subject = { remote: bed.remote, number: await bed.open(BOB, 'feature', 'main') }
  const github = { ...DEFAULTS.github, host: bed.host, commands: true }
  return {
    ...{ bench, subject },
    async read(body) {
      const commentId = await bed.comment(BOB, subject.number, body)
      const work = { homeQueue: 'host', github, commentId, name: 'acme/shop#1' }
      const outcome = await bench.run('readCommand', { ...subject, ...work })
      assert.ok(outcome.kind === 'done', JSON.stringify(outcome))
      return outcome.value
    },
  }
}

test('an answer in a comment is read without its secrets, so that no history holds them', async (t) => {
  const { bench, subject, read } = await setCommentedPull(t)
  const workflow_id = toCommandSessionId(formatCommandId({ ...subject, commentId: 1 }))
  await bench.session('s1', { A: 'src/app.py' }, {}, { workflow_id })
  const questions = [{ id: 'A-q1', issue_code: 'A', question: 'Which one?', context: '' }]
  await bench.store.sessions.update('s1', { decision: { kind: 'clarification', request: 'r1', questions } })
  const command = await read(`/answer 1 The one of ${TOKEN}`)
  assert.ok(command.kind === 'answer', JSON.stringify(command))
  assert.match(command.message.answers['A-q1'] ?? '', /^The one of «secret:/)
})

test('commits that can not be fetched are explained without the path of the repository that is gone', async (t) => {
  const { bench, subject } = await setCommentedPull(t)
  const repository = `${bench.repository}-gone`
  const work = { ...subject, homeQueue: 'host', github: DEFAULTS.github, commentId: 1, name: 'acme/shop#1' }
  await assert.rejects(bench.run('fetchPullCommits', { ...work, repository, commits: ['a'.repeat(40)] }), (error) => {
    assert.match(`${error}`, /git could not run/)
    assert.doesNotMatch(`${error}`, /-gone/)
    return true
  })
})

test('somebody who may give commands hears that the votes they mean are gone', async (t) => {
  const { bench, subject, read } = await setCommentedPull(t)
  await insertSession(
    bench.store,
    newSession('s1', { kind: 'votes', options: { post_on: { ...subject, approve: false } } }),
  )
  const record_ref = `sha256:${'0'.repeat(64)}`
  const counts = {
    issues_requested: 0,
    issues_fixed: 0,
    issues_failed: 0,
    issues_skipped: 0,
    cost_usd: 0,
    duration_ms: 0,
  }
  const result: FixSessionResult = {
    ...{ session_id: 's1', repository_id: '/repo', task_id: 'task', branch_name: null, status: 'completed' },
    ...{ ...counts, results: [], commits: [] },
    votes: {
      verdict: 'no_verdict',
      reasons: [],
      ballots: [],
      base: 'b',
      head: 'h',
      findings: 1,
      shared: 0,
      record_ref,
    },
  }
  await bench.store.sessions.update('s1', { status: 'completed', result })
  assert.deepEqual(await read('/fix'), {
    ...{ kind: 'refused', by: BOB.login },
    why: `the last votes can't be read (Artifact ${record_ref} is gone: artifacts are kept for some days after their session's end): "fixwright review-pr --pr acme/shop#1 --post" votes anew`,
  })
})
