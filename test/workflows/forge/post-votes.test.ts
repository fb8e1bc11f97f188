// What is said of posted votes at the end, and what is not said while a part of them is missing.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ForgeOutcome, PostVotesInput, VotePart, VotePosts } from '../../../src/domain/workflow-types/index.ts'
import type { ForgePorts } from '../../../src/workflows/forge/forge-ports.ts'
import { postVoteParts } from '../../../src/workflows/forge/post-votes.ts'

const REFUSED = { kind: 'refused', code: 'forge_refused', detail: 'no right' } as const

interface Scene {
  readonly verdict?: 'approved' | 'not_approved'
  /** Whether an approval is posted as one. */
  readonly approve?: boolean
  readonly refuses?: readonly VotePart[]
  readonly standing?: Partial<VotePosts>
  readonly withdrawal?: ForgeOutcome<number>
  readonly isOld?: boolean
  /** The second look finds GitHub gone. */
  readonly isGone?: boolean
}

async function post(scene: Scene) {
  const { verdict = 'approved', approve = false, refuses = [], standing, withdrawal, isOld = false, isGone } = scene
  const tried: VotePart[] = []
  const withdrawn: number[] = []
  let looks = 0
  const missing: readonly VotePart[] = ['review', 'comment', 'verdict']
  const activities = {
    findVotePosts: async () => {
      looks += 1
      if (isGone && looks === 2) return { kind: 'lost', detail: 'no answer' }
      const approvals = tried.includes('review') && approve ? [9] : []
      return { kind: 'done', value: { head: 'h', missing, duplicates: [], staleApprovals: [], approvals, ...standing } }
    },
    postVotePart: async ({ part }: { readonly part: VotePart }) => {
      tried.push(part)
      return refuses.includes(part) ? REFUSED : { kind: 'done', value: part }
    },
    withdrawVotePost: async ({ id }: { readonly id: number }) => {
      withdrawn.push(id)
      return withdrawal ?? { kind: 'done', value: id }
    },
  }
  const run = (_: string, work: (each: never) => unknown) => work(activities as never)
  const ports = { lookAgainMs: 0, pause: async () => {}, waitOutLimit: async () => true, read: run, write: run }
  const input = { number: 1, approve, votes: { verdict, head: 'h' } } as unknown as PostVotesInput
  const rules = { withholdsApproval: () => !isOld, approvesAfterComment: () => !isOld }
  const summary = await postVoteParts(input, ports as unknown as ForgePorts, rules)
  assert.ok(summary.kind === 'posted')
  return { tried, withdrawn, posted: summary.posted, failed: summary.failed }
}

test('an approval is not said while the review or the comment is missing, and that is told', async () => {
  for (const part of ['review', 'comment'] as const) {
    const { tried, posted, failed } = await post({ refuses: [part] })
    assert.deepEqual(tried, ['review', 'comment'])
    assert.deepEqual(
      posted,
      ['review', 'comment'].filter((each) => each !== part),
    )
    assert.deepEqual(failed, [
      { part, code: 'forge_refused', detail: 'no right' },
      {
        part: 'verdict',
        code: 'forge_refused',
        detail: `an approval is not said without the ${part}: post them again`,
      },
    ])
  }
})

test('with --approve, the approval comes after the comment, and goes again where the verdict could not be said', async () => {
  const whole = await post({ approve: true })
  assert.deepEqual([whole.tried, whole.withdrawn], [['comment', 'review', 'verdict'], []])
  const silent = await post({ approve: true, refuses: ['comment'] })
  assert.deepEqual(
    [silent.tried, silent.failed.map(({ part }) => part)],
    [['comment'], ['comment', 'review', 'verdict']],
  )
  const half = await post({ approve: true, refuses: ['verdict'] })
  assert.deepEqual([half.posted, half.withdrawn], [['comment', 'review'], [9]])
  const stuck = await post({ approve: true, refuses: ['verdict'], withdrawal: REFUSED })
  assert.match(stuck.failed.at(-1)?.detail ?? '', /^approval 9 is still there/)
  const old = await post({ approve: true, refuses: ['verdict'], isOld: true })
  assert.deepEqual([old.tried, old.withdrawn], [['review', 'comment', 'verdict'], []], 'a history from before')
})

test('where nobody could look again after the posting, that is told', async () => {
  const { posted, failed } = await post({ isGone: true })
  assert.deepEqual(posted, ['review', 'comment', 'verdict'])
  assert.deepEqual(failed, [
    {
      part: 'verdict',
      code: 'forge_unreachable',
      detail: 'whether #1 still has this head could not be seen: no answer',
      isUnchecked: true,
    },
  ])
})

test('votes that do not approve are said all the same, and a history from before goes on as it began', async () => {
  for (const scene of [{ verdict: 'not_approved' }, { isOld: true }] as const) {
    const { posted, failed } = await post({ ...scene, refuses: ['comment'] })
    assert.deepEqual([posted, failed.map(({ part }) => part)], [['review', 'verdict'], ['comment']])
  }
})

test('what could not be withdrawn is told, and takes nothing from what was posted', async () => {
  const standing = { duplicates: [7], staleApprovals: [8] }
  for (const withdrawal of [REFUSED, { kind: 'lost', detail: 'no right' }] as const) {
    const { posted, failed } = await post({ standing, withdrawal })
    const code = withdrawal.kind === 'lost' ? 'forge_unreachable' : 'forge_refused'
    assert.deepEqual(posted, ['review', 'comment', 'verdict'])
    assert.deepEqual(failed, [
      { part: 'comment', code, detail: 'comment 7 is still there: no right', isWithdrawal: true },
      { part: 'review', code, detail: 'approval 8 is still there: no right', isWithdrawal: true },
    ])
  }
  assert.deepEqual((await post({ standing })).failed, [])
})
