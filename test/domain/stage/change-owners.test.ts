import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  assignOwners,
  countOwnedPaths,
  guessOwners,
  listOwnerSets,
  listPathsOwnedBy,
  listUnclaimed,
  restrictOwners,
} from '../../../src/domain/stage/change-owners.ts'

const A = { code: 'A', file: 'src/a.py', claimedFiles: [] }
const B = { code: 'B', file: 'src/b.py', claimedFiles: ['src/helper.py'] }
const C = { code: 'C', file: 'src/b.py', claimedFiles: [] }

test('a changed file belongs to the issues that name it and to those that claim it', () => {
  const claimsA = { ...A, claimedFiles: ['src/b.py'] }
  assert.deepEqual(assignOwners([{ path: 'src/a.py' }, { path: 'src/helper.py' }], [A, B], {}), {
    'src/a.py': ['A'],
    'src/helper.py': ['B'],
  })
  assert.deepEqual(assignOwners([{ path: 'src/b.py' }], [claimsA, B, C], {}), { 'src/b.py': ['A', 'B', 'C'] })
})

test('a changed file that nobody names or claims belongs to all issues of the call', () => {
  assert.deepEqual(assignOwners([{ path: 'setup.cfg' }], [A, B], {}), { 'setup.cfg': ['A', 'B'] })
})

test('an issue for which nothing is said to be changed owns only what is changed where it is and nobody else claims', () => {
  const none = { ...C, claimsFalsePositive: true }
  assert.deepEqual(assignOwners([{ path: 'src/b.py' }, { path: 'setup.cfg' }], [A, B, none], {}), {
    'src/b.py': ['B'],
    'setup.cfg': ['A', 'B'],
  })
  assert.deepEqual(assignOwners([{ path: 'src/b.py' }], [A, none], {}), { 'src/b.py': ['C'] })
  assert.deepEqual(assignOwners([{ path: 'setup.cfg' }], [none], {}), { 'setup.cfg': ['C'] })
})

test('a file that nobody is about or claims belongs to the issues whose text names it, and to no others of the call', () => {
  const names = { ...C, namedFiles: ['setup.cfg', 'src/a.py'] }
  assert.deepEqual(assignOwners([{ path: 'setup.cfg' }, { path: 'src/a.py' }], [A, B, names], {}), {
    'setup.cfg': ['C'],
    'src/a.py': ['A'],
  })
  assert.deepEqual(assignOwners([{ path: 'setup.cfg' }], [A, { ...names, claimsFalsePositive: true }], {}), {
    'setup.cfg': ['C'],
  })
})

test('both ends of a rename have the same owners, whichever of them is claimed, and those that either had before', () => {
  const moved = [{ path: 'src/new.py', from: 'src/a.py' }]
  assert.deepEqual(assignOwners(moved, [A, B], { 'src/a.py': ['Z'] }), {
    'src/a.py': ['A', 'Z'],
    'src/new.py': ['A', 'Z'],
  })
})

test('owners are carried from attempt to attempt: whoever touches a file later joins those who had it', () => {
  const before = { 'src/a.py': ['A'], 'src/other.py': ['B'] }
  assert.deepEqual(assignOwners([{ path: 'src/a.py' }], [{ ...C, claimedFiles: ['src/a.py'] }], before), {
    'src/a.py': ['A', 'C'],
    'src/other.py': ['B'],
  })
})

test('a file that nobody claims in a call stays with the issues of the call that had it', () => {
  assert.deepEqual(assignOwners([{ path: 'setup.cfg' }], [A, B], { 'setup.cfg': ['A'] }), { 'setup.cfg': ['A'] })
  assert.deepEqual(assignOwners([{ path: 'setup.cfg' }], [A, B], { 'setup.cfg': ['Z'] }), {
    'setup.cfg': ['A', 'B', 'Z'],
  })
})

test('a file is unclaimed if no issue is about it, claims it or names it, by either end of a rename', () => {
  const names = { ...C, namedFiles: ['setup.cfg'] }
  const changes = [{ path: 'new.py', from: 'src/a.py' }, { path: 'two.py', from: 'one.py' }, { path: 'setup.cfg' }]
  assert.deepEqual(listUnclaimed(changes, [A, B, names]), ['two.py', 'one.py'])
})

test('an unclaimed file is whose file it is called like, else who alone speaks of what is in it, and whose changes are nowhere else', () => {
  const claimed = { 'src/a.py': ['A'], 'src/b.py': ['B'], 'src/helper.py': ['C'] }
  const guess = (path: string, speaker?: string, owners: typeof claimed | Record<string, string[]> = claimed) =>
    guessOwners({ path, speaker }, [A, B, C], owners)
  assert.deepEqual(guess('tests/test_a.py', 'C'), ['A'])
  assert.deepEqual(guess('web/b.spec.ts'), ['B', 'C'])
  assert.deepEqual(guess('notes.md', 'C'), ['C'])
  assert.deepEqual(guess('notes.md', 'A', { 'src/a.py': ['A'], 'src/b.py': ['B'] }), ['A', 'C'])
  assert.equal(guess('notes.md'), undefined)
  const none = { ...A, claimsFalsePositive: true }
  assert.equal(guessOwners({ path: 'a_test.go', speaker: 'A' }, [none, B], claimed), undefined)
})

test('an unclaimed file does not go to an issue that the fixer says it did not fix', () => {
  const notFixed = { ...C, claimsNoChange: true }
  const claimed = { 'src/a.py': ['A'], 'src/helper.py': ['B'] }
  assert.equal(guessOwners({ path: 'go.sum', speaker: 'C' }, [A, B, notFixed], claimed), undefined)
  assert.deepEqual(guessOwners({ path: 'b_test.py', speaker: 'C' }, [A, B, notFixed], claimed), ['B'])
})

test('an unclaimed file binds none of its owners', () => {
  const owners = { 'a.py': ['A', 'B'], 'setup.cfg': ['A', 'B', 'C'] }
  assert.deepEqual(listOwnerSets(owners, ['setup.cfg']), [['A', 'B']])
  assert.deepEqual(listPathsOwnedBy(owners, ['A', 'B']), ['a.py'])
})

test('a change that was undone belongs to nobody', () => {
  assert.deepEqual(restrictOwners({ a: ['A'], b: ['B'] }, new Set(['b'])), { b: ['B'] })
})

test('only sets of two and more make a knot, each of them once', () => {
  assert.deepEqual(listOwnerSets({ a: ['A'], b: ['A', 'B'], c: ['A', 'B'], d: ['B', 'C'] }), [
    ['A', 'B'],
    ['B', 'C'],
  ])
})

test('a shared file is taken over only together with all its owners', () => {
  const owners = { a: ['A'], shared: ['A', 'B'] }
  assert.deepEqual(listPathsOwnedBy(owners, ['A']), ['a'])
  assert.deepEqual(listPathsOwnedBy(owners, ['B', 'A']), ['a', 'shared'])
  assert.equal(countOwnedPaths(owners, 'B'), 1)
})

test('a file may be called like something that every object has', () => {
  const names = ['constructor', '__proto__', 'toString', 'hasOwnProperty']
  const owners = assignOwners(
    names.map((path) => ({ path })),
    [A],
    {},
  )
  assert.deepEqual(Object.keys(owners).sort(), [...names].sort())
  assert.equal(countOwnedPaths(owners, 'A'), 4)
  assert.deepEqual(listPathsOwnedBy(owners, ['A']).sort(), [...names].sort())
})

const Path = fc.constantFrom('a', 'b', 'c', 'd', 'dir/e', '__proto__')
const Claimants = fc.array(
  fc.record({
    code: fc.constantFrom('A', 'B', 'C', 'D'),
    file: Path,
    claimedFiles: fc.array(Path, { maxLength: 3 }),
    claimsFalsePositive: fc.boolean(),
  }),
  { minLength: 1, maxLength: 4 },
)
const Changes = fc.array(fc.record({ path: Path, from: fc.option(Path, { nil: undefined }) }), { maxLength: 5 })

test('no change is without an owner, no owner is lost, and taking every issue takes every path', () => {
  fc.assert(
    fc.property(Changes, Changes, Claimants, (earlier, later, claimants) => {
      const before = assignOwners(earlier, claimants, {})
      const owners = assignOwners(later, claimants, before)
      for (const { path, from } of later) {
        assert.ok(Object.hasOwn(owners, path) && (owners[path]?.length ?? 0) > 0)
        assert.ok(from === undefined || Object.hasOwn(owners, from))
      }
      for (const [path, codes] of Object.entries(before)) {
        assert.ok(codes.every((code) => owners[path]?.includes(code)))
      }
      const everyone = claimants.map(({ code }) => code)
      assert.deepEqual(listPathsOwnedBy(owners, everyone), Object.keys(owners))
    }),
  )
})
