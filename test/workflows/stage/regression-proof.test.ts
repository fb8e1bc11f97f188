// Where proofs are wanted: each knot of a tree that will be committed is looked at once, and nothing hangs on what comes of it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileOf, mark, play, type Script, stageOf } from '../../support/fake-ports.ts'

/** A and B share a file; all is well at once. */
const WELL: Script = {
  fixer: ({ codes, files }) => ({
    write: {
      ...Object.fromEntries(codes.map((code) => [fileOf(code), mark(files[fileOf(code)], code, 97)])),
      'shared.py': 'x',
    },
    claims: { A: ['shared.py'], B: ['shared.py'] },
  }),
}

function story(seen: Awaited<ReturnType<typeof play>>['seen']): string[] {
  return seen.map(({ call, codes }) => `${call} ${codes.join('')}`)
}

test('each knot of what is committed is looked at once, after the last verification, and the commit is told which calls looked', async () => {
  const { seen, commits, result } = await play(stageOf('ABC'), WELL, { provesFixes: true, verifiesFreshCheckout: true })
  assert.deepEqual(story(seen).slice(3), ['s1.fresh1 ABC', 's1.prove1.1 AB', 's1.prove1.2 C', 's1.commit ABC'])
  assert.deepEqual(commits[0]?.proofs, ['s1.prove1.1', 's1.prove1.2'])
  assert.ok(Object.values(result.outcomes).every(({ status }) => status === 'resolved'))
})

test('a commit that has to wait for the branch looks once; one that goes onto another head looks again', async () => {
  const branch = [{ checkedOut: '/elsewhere' }, { moved: { 'other.py': 'x' } }]
  const { seen, commits } = await play(stageOf('A'), { ...WELL, branch }, { provesFixes: true })
  const looked = story(seen).filter((call) => /prove|commit\d* /.test(call))
  assert.deepEqual(looked, ['s1.prove1.1 A', 's1.commit A', 's1.commit2 A', 's1.prove2.1 A', 's1.commit3 A'])
  assert.deepEqual(commits[0]?.proofs, ['s1.prove2.1'])
})

test('where the session’s time is over, what passed is committed without a look', async () => {
  const { seen, commits } = await play(stageOf('A'), { ...WELL, endsAt: 0 }, { provesFixes: true })
  assert.ok(seen.every(({ kind }) => kind !== 'prove'))
  assert.deepEqual([commits.length, commits[0]?.proofs], [1, undefined])
})

test('without the rule, which old sessions lack, and without a verification that passed, nobody looks', async () => {
  for (const rules of [{}, { provesFixes: true, verify: false }]) {
    const { seen, commits } = await play(stageOf('A'), WELL, rules)
    assert.ok(seen.every(({ kind }) => kind !== 'prove'))
    assert.equal(commits[0]?.proofs, undefined)
  }
})
