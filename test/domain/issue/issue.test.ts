// The life of an issue: which status may follow which, and on whose word.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  allowedNext,
  Issue,
  IssueCode,
  IssueStatus,
  isActionable,
  type Mover,
  transitionProblem,
} from '../../../src/domain/issue/issue.ts'

const MOVERS: readonly Mover[] = ['session', 'person', 'merge']
const status = fc.constantFrom(...IssueStatus.options)
const mover = fc.constantFrom(...MOVERS)

function allowed(from: IssueStatus, to: IssueStatus, mover: Mover, note?: string): boolean {
  return transitionProblem({ from, to, mover, note }) === undefined
}

test('an issue goes from open to in progress, to resolved or failed, and to merged when its pull request is [S0-16, S1-8]', () => {
  assert.ok(allowed('open', 'in_progress', 'session'))
  assert.ok(allowed('in_progress', 'resolved', 'session'))
  assert.ok(allowed('in_progress', 'failed', 'session'))
  assert.ok(allowed('resolved', 'merged', 'merge'))
})

test('a session never resolves an issue that it did not take up, and gives back what it did not finish [S0-15, S1-8]', () => {
  for (const from of IssueStatus.options)
    assert.equal(allowed(from, 'resolved', 'session'), ['in_progress', 'resolved'].includes(from))
  assert.ok(allowed('in_progress', 'open', 'session'))
})

test('a code is never a name that every object has: records are kept by code', () => {
  for (const code of ['constructor', 'toString', 'hasOwnProperty']) assert.ok(!IssueCode.safeParse(code).success, code)
  for (const code of ['Constructor', 'FUNC-001', 'tostring']) assert.ok(IssueCode.safeParse(code).success, code)
})

test('only the news of a merge makes an issue merged, only from resolved [S0-16]', () => {
  for (const from of IssueStatus.options) {
    for (const mover of MOVERS) {
      if (from !== 'merged')
        assert.equal(allowed(from, 'merged', mover, 'note'), from === 'resolved' && mover === 'merge')
    }
  }
})

test('merged is final [C8]', () => {
  for (const mover of MOVERS) assert.deepEqual(allowedNext('merged', mover), [])
  assert.match(transitionProblem({ from: 'merged', to: 'open', mover: 'person' }) ?? '', /can no longer change/)
})

test('a person sets issues aside as ignored or duplicate, and takes them up again [S0-17]', () => {
  for (const side of ['ignored', 'duplicate'] as const) {
    assert.ok(allowed('open', side, 'person'))
    assert.ok(allowed('failed', side, 'person'))
    assert.ok(allowed(side, 'open', 'person'))
    assert.deepEqual(allowedNext(side, 'session'), [])
  }
})

test('a session may ignore a false positive, and never calls an issue a duplicate [S0-17]', () => {
  assert.ok(allowed('in_progress', 'ignored', 'session'))
  for (const from of IssueStatus.options) if (from !== 'duplicate') assert.ok(!allowed(from, 'duplicate', 'session'))
})

test('a failed issue may go back to open or straight into progress [C8]', () => {
  assert.ok(allowed('failed', 'open', 'person'))
  assert.ok(allowed('failed', 'in_progress', 'session'))
})

test('a person resolves an open issue only with a note [C8]', () => {
  assert.match(transitionProblem({ from: 'open', to: 'resolved', mover: 'person' }) ?? '', /only with a note/)
  assert.match(
    transitionProblem({ from: 'open', to: 'resolved', mover: 'person', note: '  \n' }) ?? '',
    /only with a note/,
  )
  assert.ok(allowed('open', 'resolved', 'person', 'fixed by hand in 1.2'))
})

test('what is refused says what is allowed instead, and what is allowed is not refused [S0-16, S0-17]', () => {
  fc.assert(
    fc.property(status, status, mover, (from, to, by) => {
      const problem = transitionProblem({ from, to, mover: by, note: 'a note' })
      if (from === to) return assert.equal(problem, undefined)
      assert.equal(problem === undefined, allowedNext(from, by).includes(to))
      if (problem) for (const next of allowedNext(from, by)) assert.ok(problem.includes(next), problem)
    }),
  )
})

test('every status can be reached from open, and every one but merged can be left [S0-16]', () => {
  const reached = new Set<IssueStatus>(['open'])
  for (const from of reached) for (const by of MOVERS) for (const to of allowedNext(from, by)) reached.add(to)
  assert.deepEqual([...reached].sort(), [...IssueStatus.options].sort())
  for (const from of IssueStatus.options) {
    assert.equal(
      MOVERS.some((by) => allowedNext(from, by).length > 0),
      from !== 'merged',
    )
  }
})

test('a session takes up what is open, failed or was left in progress, and nothing that is settled', () => {
  assert.deepEqual(IssueStatus.options.filter(isActionable), ['open', 'in_progress', 'failed'])
  for (const taken of IssueStatus.options.filter(isActionable)) assert.ok(allowed(taken, 'in_progress', 'session'))
})

test('a code is safe as a file name, a ref and a trailer', () => {
  for (const code of ['FUNC-001', 'F001', 'a', 'A.b_c-9', '0']) assert.ok(IssueCode.safeParse(code).success, code)
  const bad = [
    '',
    '-x',
    '.x',
    'a b',
    'a/b',
    'a..b',
    'a.',
    'a.lock',
    'é',
    'a\n',
    'a:b',
    'a~1',
    'a^',
    'x'.repeat(81),
    '@{u}',
  ]
  for (const code of bad) assert.ok(!IssueCode.safeParse(code).success, JSON.stringify(code))
  fc.assert(
    fc.property(fc.string(), (code) => {
      if (IssueCode.safeParse(code).success) assert.match(code, /^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$/)
    }),
  )
})

test('an effort is a whole number from 1 to 5, a number of files at least 1, and both may be missing [S0-5]', () => {
  const issue = { issue_id: 'i', issue_code: 'A', title: 't', description: '', file: 'a.py', severity: 'low' }
  const fits = (more: object): boolean => Issue.safeParse({ ...issue, ...more }).success
  assert.ok(fits({}))
  for (const effort of [1, 2, 3, 4, 5]) assert.ok(fits({ estimated_effort: effort }))
  for (const effort of [0, 6, -1, 1.5, '3', Number.NaN]) assert.ok(!fits({ estimated_effort: effort }))
  assert.ok(fits({ estimated_files_count: 1 }) && fits({ estimated_files_count: 400 }))
  for (const files of [0, -1, 1.5]) assert.ok(!fits({ estimated_files_count: files }))
})
