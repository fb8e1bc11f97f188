import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type CulpritSearch, countMaxTrials, findCulprits } from '../../../src/domain/stage/find-culprits.ts'

interface Searched extends CulpritSearch<string> {
  readonly tried: readonly string[]
}

/** Each bad set fails as soon as all of it is in the tree. */
async function search(
  all: string,
  bad: readonly string[],
  suspects = '',
  limit = Number.POSITIVE_INFINITY,
): Promise<Searched> {
  const known = new Map<string, boolean>([[all, false]])
  const tried: string[] = []
  const found = await findCulprits([...all], [...suspects], async (parts) => {
    const tree = [...parts].sort().join('')
    if (known.has(tree)) return known.get(tree)
    if (tried.length >= limit) return undefined
    tried.push(tree)
    const passes = !bad.some((set) => [...set].every((part) => tree.includes(part)))
    known.set(tree, passes)
    return passes
  })
  return { ...found, tried }
}

test('find culprits: one of three is found, and the others pass together', async () => {
  for (const guilty of 'ABC') {
    const { passing, culprits, tried } = await search('ABC', [guilty])
    assert.equal([...passing].sort().join(''), 'ABC'.replace(guilty, ''))
    assert.deepEqual(culprits, [{ part: guilty, failsWith: [] }])
    assert.ok(tried.length <= 4, `${tried}`)
  }
})

test('find culprits: a right suspicion costs one run, a wrong one no part', async () => {
  assert.deepEqual((await search('ABCDEFGH', ['F'], 'F')).tried, ['ABCDEGH'])
  const wrong = await search('ABCD', ['B'], 'D')
  assert.deepEqual([wrong.passing.join(''), wrong.culprits], ['ACD', [{ part: 'B', failsWith: [] }]])
})

test('find culprits: of two that only fail together the later one is left out, and both are named', async () => {
  const { passing, culprits } = await search('ABCDE', ['BD'])
  assert.deepEqual([passing.join(''), culprits], ['ABCE', [{ part: 'D', failsWith: ['B'] }]])
})

test('find culprits: a part that fails only for want of a later one stays with it', async () => {
  const tried: string[] = []
  const found = await findCulprits([...'ABC'], [], async (parts) => {
    const tree = [...parts].sort().join('')
    tried.push(tree)
    return !tree.includes('C') && (!tree.includes('A') || tree.includes('B'))
  })
  assert.deepEqual([[...found.passing].sort().join(''), found.culprits.map(({ part }) => part)], ['AB', ['C']])
})

test('find culprits: without further runs, what is not known to pass is left open', async () => {
  const { passing, undecided } = await search('ABCD', ['A', 'D'], '', 2)
  assert.deepEqual([passing, undecided.length > 0], [[], true])
})

test('find culprits: what passes passes as a whole, nothing more fits, and the runs stay few', async () => {
  const letters = 'ABCDEFGHIJKLMNOP'
  const Case = fc.integer({ min: 1, max: 16 }).chain((count) => {
    const all = letters.slice(0, count)
    const sets = fc.array(fc.subarray([...all], { minLength: 1, maxLength: Math.min(count, 2) }), {
      minLength: 1,
      maxLength: 4,
    })
    return fc.record({
      all: fc.constant(all),
      bad: sets,
      suspects: fc.subarray([...all], { maxLength: Math.min(count, 2) }),
    })
  })
  await fc.assert(
    fc.asyncProperty(Case, async ({ all, bad, suspects }) => {
      const sets = bad.map((set) => set.join(''))
      const { passing, culprits, undecided, tried } = await search(all, sets, suspects.join(''))
      const fails = (parts: readonly string[]) => bad.some((set) => set.every((part) => parts.includes(part)))
      assert.ok(!fails(passing))
      assert.deepEqual(undecided, [])
      assert.deepEqual([...passing, ...culprits.map(({ part }) => part)].sort(), [...all])
      for (const { part, failsWith } of culprits) {
        assert.ok(fails([...passing, part]))
        if (failsWith) assert.ok(fails([part, ...failsWith]))
      }
      const each = 2 * Math.ceil(Math.log2(all.length)) + 3
      assert.ok(
        tried.length <= culprits.length * each + 1,
        `${tried.length} runs for ${culprits.length} of ${all.length}`,
      )
      if (culprits.length <= 1) assert.ok(tried.length <= countMaxTrials(all.length) + 1)
    }),
  )
})
