// The ways in which a branch of two issues may end, made by the plain git of the machine, and what is known of each issue then: with the
// word of a forge, and by git alone. The third issue is committed after all of it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideLanding, type Landing } from '../../../../src/domain/forge/decide-landing.ts'
import { findLandings } from '../../../../src/platform/git/repository/find-landings.ts'
import { type Sandbox, sandbox } from '../support.ts'

const lines = (change: Readonly<Record<number, string>> = {}): string =>
  `${Array.from({ length: 24 }, (_, at) => change[at] ?? `line ${at}`).join('\n')}\n`

interface History {
  readonly one: string
  readonly two: string
  /** The last commit of the pull request when it ended. */
  readonly head: string
}

type Word = Landing['kind']

interface Row {
  readonly what: string
  readonly merge: (box: Sandbox, at: History) => void
  readonly state: 'open' | 'closed' | 'merged'
  readonly withApi: readonly [Word, Word]
  readonly byGit: readonly [Word, Word]
  readonly isReverted?: true
}

function commitAll(box: Sandbox, message: string): string {
  box.git(['add', '-A'])
  box.git(['commit', '-q', '-m', message])
  return box.git(['rev-parse', 'HEAD'])
}

function squash(box: Sandbox, { head }: History): string {
  box.git(['merge', '-q', '--squash', head])
  return commitAll(box, 'Fix what the review found (#12)')
}

// Beside the line of the first fix, so that it is in the context of its hunk.
const changeContext = (box: Sandbox) => {
  box.write({ 'one.txt': lines({ 6: 'another beside it' }) })
  return commitAll(box, 'Change what is beside it')
}
const editLater = (box: Sandbox, content: string) => {
  box.write({ 'one.txt': content })
  return commitAll(box, 'Edit it later')
}
const MERGED = ['merged', 'merged'] as const
const OPEN = ['not_merged', 'not_merged'] as const

const ROWS: readonly Row[] = [
  {
    what: 'merged by a merge commit',
    merge: (box, { head }) => box.git(['merge', '-q', '--no-ff', '-m', 'Merge', head]),
    ...{ state: 'merged', withApi: MERGED, byGit: MERGED },
  },
  { what: 'squashed', merge: squash, ...{ state: 'merged', withApi: MERGED, byGit: MERGED } },
  {
    what: 'squashed, and edited later',
    merge: (box, at) => {
      squash(box, at)
      editLater(box, lines({ 4: 'fixed again' }))
    },
    ...{ state: 'merged', withApi: MERGED, byGit: MERGED },
  },
  {
    what: 'squashed after a change in the context of a hunk',
    merge: (box, at) => {
      changeContext(box)
      squash(box, at)
    },
    ...{ state: 'merged', withApi: MERGED, byGit: MERGED },
  },
  {
    what: 'squashed after such a change, and edited later',
    merge: (box, at) => {
      changeContext(box)
      squash(box, at)
      editLater(box, lines({ 4: 'fixed again', 6: 'another beside it' }))
    },
    ...{ state: 'merged', withApi: MERGED, byGit: MERGED },
  },
  {
    what: 'rebased',
    merge: (box, { one, two }) => {
      changeContext(box)
      box.git(['cherry-pick', one, two])
    },
    ...{ state: 'merged', withApi: MERGED, byGit: MERGED },
  },
  {
    what: 'closed, with one of its commits picked',
    merge: (box, { one }) => {
      changeContext(box)
      box.git(['cherry-pick', one])
    },
    ...{ state: 'closed', withApi: ['merged', 'not_merged'], byGit: ['merged', 'not_merged'] },
  },
  {
    what: 'edited while it was squashed',
    merge: (box, { head }) => {
      box.git(['merge', '-q', '--squash', head])
      box.write({ 'one.txt': lines({ 4: 'fixed in words of their own' }) })
      commitAll(box, 'Fix what the review found (#12)')
    },
    ...{ state: 'merged', withApi: MERGED, byGit: ['unknown', 'merged'] },
  },
  {
    what: 'squashed, and reverted',
    merge: (box, at) => {
      squash(box, at)
      box.git(['revert', '--no-edit', 'HEAD'])
    },
    ...{ state: 'merged', withApi: MERGED, byGit: MERGED, isReverted: true },
  },
  {
    what: 'not merged, while others went on beside it',
    merge: (box) => {
      box.write({ 'other.txt': 'theirs\n' })
      commitAll(box, 'Work on something else')
    },
    ...{ state: 'open', withApi: OPEN, byGit: OPEN },
  },
]

function makeBranch(box: Sandbox): History {
  box.write({ 'one.txt': lines(), 'two.txt': lines() })
  commitAll(box, 'two files')
  box.git(['checkout', '-q', '-b', 'fix/both'])
  box.write({ 'one.txt': lines({ 4: 'fixed' }) })
  const one = commitAll(box, 'Fix one')
  box.write({ 'two.txt': lines({ 9: 'fixed as well' }) })
  const two = commitAll(box, 'Fix two')
  box.git(['checkout', '-q', 'main'])
  return { one, two, head: two }
}

async function landingsOf(box: Sandbox, { one, two, head }: History, tip = head) {
  const gitDir = `${box.repository}/.git`
  return await findLandings(gitDir, { target: box.git(['rev-parse', 'main']), tip, commits: [one, two] })
}

for (const { what, merge, state, withApi, byGit, isReverted } of ROWS) {
  test(`${what}: each issue is known with a forge and by git alone [S0-16]`, async (t) => {
    const box = sandbox(t)
    const branch = makeBranch(box)
    merge(box, branch)
    const found = await landingsOf(box, branch)
    const pull = { state, mergeCommit: box.git(['rev-parse', 'main']), hasCommit: true }
    const decided = found.map((facts) => [decideLanding(facts, pull), decideLanding(facts)] as const)
    assert.deepEqual([decided.map(([api]) => api.kind), decided.map(([, git]) => git.kind)], [withApi, byGit])
    for (const facts of found) assert.equal(facts.revertedAt !== undefined, isReverted === true)
  })
}

test('a commit that was pushed after the merge is not merged, by the forge and by git [S0-16]', async (t) => {
  const box = sandbox(t)
  const { one, two } = makeBranch(box)
  squash(box, { one, two, head: one })
  const [first, second] = await landingsOf(box, { one, two, head: two })
  assert.ok(first && second)
  assert.deepEqual([decideLanding(first).kind, decideLanding(second).kind], ['merged', 'not_merged'])
  const merged = { state: 'merged', mergeCommit: box.git(['rev-parse', 'main']) } as const
  assert.equal(decideLanding(first, { ...merged, hasCommit: true }).kind, 'merged')
  assert.equal(decideLanding(second, { ...merged, hasCommit: false }).kind, 'not_merged')
})

test('two fixes of the same lines are merged by one squash, the first one too [S0-16]', async (t) => {
  const box = sandbox(t)
  const { one } = makeBranch(box)
  box.git(['checkout', '-q', 'fix/both'])
  box.write({ 'one.txt': lines({ 4: 'fixed better' }) })
  const two = commitAll(box, 'Fix one better')
  box.git(['checkout', '-q', 'main'])
  squash(box, { one, two, head: two })
  const found = await landingsOf(box, { one, two, head: two })
  assert.deepEqual(
    found.map((facts) => decideLanding(facts).kind),
    ['merged', 'merged'],
  )
})

test('a commit that is gone, a branch that changes nothing and unrelated histories are not taken for merged', async (t) => {
  const box = sandbox(t)
  const { one } = makeBranch(box)
  const gone = '1'.repeat(40)
  const [lost] = await landingsOf(box, { one: gone, two: gone, head: gone })
  assert.equal(decideLanding(lost!).kind, 'unknown')
  box.git(['checkout', '-q', 'fix/both'])
  box.git(['checkout', '-q', 'main', '--', '.'])
  const back = commitAll(box, 'Take it all back')
  box.git(['checkout', '-q', '--orphan', 'apart'])
  const apart = commitAll(box, 'apart')
  box.git(['checkout', '-q', 'main'])
  box.write({ 'other.txt': 'theirs\n' })
  commitAll(box, 'Work on something else')
  const found = await landingsOf(box, { one, two: apart, head: back }, back)
  assert.deepEqual(
    found.map((facts) => decideLanding(facts).kind),
    ['not_merged', 'unknown'],
  )
})
