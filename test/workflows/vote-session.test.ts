// The real workflow of two votes on a real server, with activities that answer what the test says.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Ballot, Voter } from '../../src/domain/vote/ballot.ts'
import { FORGE_WORKFLOWS, toPostVotesId } from '../../src/domain/workflow-types/temporal-names.ts'
import { DEFAULT_SETTINGS } from '../support/store.ts'
import { CLOCKS, gate, type Stubs, stubSession } from '../support/stub-session.ts'

test('votes that a command posts already are posted by nobody else, and the session ends as it ended', async (t) => {
  const posting = gate()
  t.after(posting.open)
  const pace = { look_again_seconds: 0, watch_seconds: 1, watch_max_seconds: 1 }
  const github = { ...DEFAULT_SETTINGS.github, host: 'forge.example', ...pace }
  const post = { remote: 'https://forge.example/ada/shop.git', number: 1, approve: false, github }
  const toBallot = (voter: Voter): Ballot => ({ kind: 'vote', voter, vendor: voter, model: 'm', vote: 90 })
  const refused = { kind: 'refused', code: 'forge_refused', detail: 'no right' } as const
  let queue = ''
  const stubs: Stubs = {
    openVote: async () => ({
      ...{ queue, repository: '/r', timeouts: CLOCKS, attributes: [], base: 'b', head: 'h', post },
    }),
    castVote: async ({ voter }) => ({ ballot: toBallot(voter) }),
    countVotes: async ({ ballots }) => ({
      ...{ verdict: 'approved', mean: 90, reasons: [], ballots: [...ballots], base: 'b', head: 'h' },
      ...{ findings: 0, shared: 0, record_ref: 'r' },
    }),
    findVotePosts: async () => posting.passed.then(() => refused),
  }
  const { client, workflowId: taskQueue, ended } = await stubSession(t, {}, stubs)
  queue = taskQueue
  const sessionId = `votes-of-${taskQueue}`
  const votes = { verdict: 'approved', reasons: [], ballots: [], head: 'h' }
  const first = await client.workflow.start(FORGE_WORKFLOWS.votes, {
    ...{ workflowId: toPostVotesId(sessionId), taskQueue },
    args: [{ ...post, sessionId, homeQueue: taskQueue, votes }],
  })
  const summary = await client.workflow.execute('voteSession', {
    ...{ workflowId: sessionId, taskQueue, args: [{ sessionId }], memo: { sessionId } },
  })
  assert.equal((summary as { readonly status: string }).status, 'completed')
  posting.open()
  assert.deepEqual(await first.result(), refused)
  await ended()
})
