// What counts as a claim that there is nothing to fix.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toFixWork } from '../../../src/activities/fix/compose-tree.ts'

test('a false positive is one only with a reason and without a change [S4-14]', () => {
  const claim = (changes_summary: string) => ({ issue_code: 'A', status: 'false_positive' as const, changes_summary })
  const work = (summary: string, owners = {}) => {
    const note = { owners, claims: { A: claim(summary) }, outOfScope: [], violations: [], notes: [] }
    return toFixWork('s1.i1.b1.fix', ['A'], { commit: 'c', parent: 'p', tree: 't', metadata: note }).issues.A
  }
  assert.deepEqual(work(' it is handled '), { files: 0, claim: 'false_positive', message: 'it is handled' })
  assert.deepEqual(work('it is handled', { 'a.py': ['A'] }), { files: 1 })
  assert.equal(work(' \n')?.claim, undefined)
  assert.match(work(' \n')?.message ?? '', /without a reason/)
  assert.equal(work('x'.repeat(5000))?.message?.length, 300)
})
