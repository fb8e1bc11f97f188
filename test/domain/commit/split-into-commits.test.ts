import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { joinEmptyCommits, listCommitSteps } from '../../../src/domain/commit/split-into-commits.ts'

test('listCommitSteps adds group by group, in the order of the codes', () => {
  assert.deepEqual(listCommitSteps(['A', 'B', 'C', 'D'], [['B', 'D']]), [['A'], ['A', 'B', 'D'], ['A', 'B', 'D', 'C']])
  assert.deepEqual(listCommitSteps(['A', 'B'], [['A', 'B']]), [['A', 'B']])
})

test('joinEmptyCommits gives issues without a change of their own to a neighbour', () => {
  const step = (codes: string, tree: string) => ({ codes: [...codes], tree })
  assert.deepEqual(joinEmptyCommits('t0', [step('A', 't0'), step('B', 't1'), step('C', 't1')]), [step('ABC', 't1')])
  assert.deepEqual(joinEmptyCommits('t0', [step('A', 't1'), step('B', 't1'), step('C', 't2')]), [
    step('A', 't1'),
    step('BC', 't2'),
  ])
})

test('joinEmptyCommits loses no issue, ends with the last tree, and repeats no tree of a neighbour', () => {
  const Steps = fc.array(fc.constantFrom('t0', 't1', 't2'), { minLength: 1, maxLength: 6 })
  fc.assert(
    fc.property(Steps, (trees) => {
      const steps = trees.map((tree, index) => ({ codes: [`I${index}`], tree }))
      const commits = joinEmptyCommits('t0', steps)
      if (commits.length === 0) return
      assert.deepEqual(
        commits.flatMap(({ codes }) => codes),
        steps.flatMap(({ codes }) => codes),
      )
      assert.equal(commits.at(-1)?.tree, trees.at(-1))
      for (const [index, { tree }] of commits.entries()) assert.notEqual(tree, commits[index - 1]?.tree ?? 't0')
    }),
  )
})
