import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type CheckedVote, findVoteProblem } from '../../../src/domain/vote/vote-problem.ts'

const head = 'a'.repeat(40)
const change = { head, files: ['src/one.ts', 'src/two.ts'] }
const good: CheckedVote = {
  vote: 90,
  verdict_text: 'It does what it says.',
  feedback: 'The error path is tested.',
  findings: [],
  reviewed: ['src/one.ts'],
  not_reviewed: [{ path: 'src/two.ts', why: 'generated' }],
  head,
}

test('a vote that names its commit and every changed file has no problem', () => {
  assert.equal(findVoteProblem(good, change), undefined)
  assert.equal(findVoteProblem({ ...good, head: head.toUpperCase() }, change), undefined)
  assert.equal(
    findVoteProblem(
      { ...good, vote: 79, findings: [{ file: 'src/one.ts', severity: 'critical', origin: 'introduced' }] },
      change,
    ),
    undefined,
  )
})

test('a vote that is not about this change has a problem that names it', () => {
  const cases: readonly [Partial<CheckedVote>, string, RegExp][] = [
    [
      { head: '<commit>', reviewed: ['path'], not_reviewed: [{ path: 'path', why: 'why' }] },
      'template',
      /form of the answer/,
    ],
    [{ head: '', reviewed: [], not_reviewed: [] }, 'template', /form of the answer/],
    [{ head: 'b'.repeat(40) }, 'wrong_head', /must be a{40}/],
    // Half a hash may be that of another commit.
    [{ head: head.slice(0, 20) }, 'wrong_head', /must be a{40}/],
    [{ not_reviewed: [] }, 'incomplete', /names src\/two\.ts/],
    [{ reviewed: [], not_reviewed: [] }, 'incomplete', /src\/one\.ts, src\/two\.ts/],
    [
      { reviewed: [], not_reviewed: change.files.map((path) => ({ path, why: 'no time' })) },
      'incomplete',
      /no changed file/,
    ],
    [{ verdict_text: ' ', feedback: '…' }, 'empty', /reasons/],
    [
      { vote: 80, findings: [{ file: 'src/one.ts', severity: 'critical', origin: 'introduced' }] },
      'contradictory',
      /vote of 80.*src\/one\.ts is critical/,
    ],
  ]
  for (const [part, reason, text] of cases) {
    const problem = findVoteProblem({ ...good, ...part }, change)
    assert.equal(problem?.reason, reason)
    assert.match(problem?.text ?? '', text)
  }
})

test('a vote is complete exactly if each changed file is named and one of them was reviewed', () => {
  const path = fc.constantFrom('a', 'b', 'c', 'd')
  fc.assert(
    fc.property(fc.uniqueArray(path, { minLength: 1 }), fc.array(path), fc.array(path), (files, reviewed, left) => {
      const vote = { ...good, reviewed, not_reviewed: left.map((each) => ({ path: each, why: 'no time' })) }
      const isComplete =
        files.every((each) => reviewed.includes(each) || left.includes(each)) &&
        files.some((each) => reviewed.includes(each))
      assert.equal(findVoteProblem(vote, { head, files }) === undefined, isComplete)
    }),
  )
})
