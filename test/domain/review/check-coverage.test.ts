import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callRoll } from '../../../src/domain/review/call-roll.ts'
import { checkCoverage, isWhole } from '../../../src/domain/review/check-coverage.ts'
import { chooseExperts } from '../../../src/domain/review/experts.ts'
import type { FileContent } from '../../../src/domain/review/reviewed-files.ts'
import { reported } from './support.ts'

const HEAD = 'a'.repeat(40)
const text: FileContent = { kind: 'text', text: 'one' }
const change = {
  head: HEAD,
  files: new Map<string, FileContent | undefined>([
    ['a.py', text],
    ['gone.py', undefined],
    ['logo.png', { kind: 'binary' }],
  ]),
}

test('a review covers every changed file, or it is malformed and says what is missing', () => {
  const all = checkCoverage({ head: HEAD, reviewed: ['a.py', 'gone.py'], not_reviewed: [] }, change)
  assert.deepEqual(all, {
    kind: 'covered',
    coverage: { reviewed: ['a.py', 'gone.py'], not_reviewed: [{ path: 'logo.png', why: 'binary' }] },
  })
  const half = checkCoverage({ head: HEAD, reviewed: ['a.py'], not_reviewed: [] }, change)
  assert.match(half.kind === 'malformed' ? half.problem : '', /1 of 3 changed files .* gone\.py/)
  const empty = checkCoverage({ head: HEAD, reviewed: [], not_reviewed: [] }, change)
  assert.match(empty.kind === 'malformed' ? empty.problem : '', /2 of 3/)
  const wrong = checkCoverage({ head: 'b'.repeat(40), reviewed: ['a.py', 'gone.py'], not_reviewed: [] }, change)
  assert.match(wrong.kind === 'malformed' ? wrong.problem : '', /it reviewed bbbb/)
})

test('a file that is said to be reviewed and not reviewed is not reviewed, and the review is not whole', () => {
  const left = { path: 'a.py', why: 'too long to read' }
  const both = checkCoverage({ head: HEAD, reviewed: ['a.py', 'gone.py'], not_reviewed: [left] }, change)
  assert.ok(both.kind === 'covered')
  assert.deepEqual(both.coverage.reviewed, ['gone.py'])
  assert.equal(isWhole(both.coverage), false)
})

test('experts are chosen by what changed, and the spec expert only with a specification [S0-20] [S3-2]', () => {
  const choose = (changed: readonly string[], hasSpec = false) => chooseExperts(changed, { hasSpec })
  assert.deepEqual(choose(['a.py']), ['language', 'be-architecture', 'be-quality'])
  assert.deepEqual(choose(['a.tsx'], true), ['language', 'spec', 'fe-architecture', 'fe-quality'])
  assert.deepEqual(choose(['a.go', 'b.css'], true).length, 6)
  assert.deepEqual(chooseExperts(['a.py'], { asked: ['spec', 'language'], hasSpec: false }), ['language', 'spec'])
})

test('the roll call names each expert that did not start, end, report or read, and each finding that got lost', () => {
  const run = (fields: object) => ({ name: 'language', ended: true, failed: false, found: [], ...fields })
  const reply = { experts: [{ name: 'language', read: ['a.py'], found: [] }], groups: [], merged: [] }
  const roll = (fields: object, said: object = {}) => callRoll(['language'], [run(fields)], { ...reply, ...said })
  assert.deepEqual(roll({}), [])
  assert.deepEqual(callRoll(['language'], [], reply), ['the expert language was never started'])
  assert.deepEqual(roll({ ended: false }), ['the expert language was cut off before it reported'])
  assert.deepEqual(roll({ failed: true }), ['the expert language failed'])
  assert.deepEqual(roll({ found: undefined }), ['the expert language gave no readable report'])
  assert.deepEqual(roll({}, { experts: [] }), ['the expert language is not named in the reply'])
  assert.deepEqual(roll({}, { experts: [{ name: 'language', read: [], found: [] }] }), [
    'the expert language read nothing',
  ])
  assert.deepEqual(
    roll(
      { found: ['L-1', 'L-2', 'L-3'] },
      {
        groups: [{ description: '', findings: [reported({ id: 'L-1' })] }],
        merged: [{ id: 'L-2', into: 'L-1', reason: '' }],
      },
    ),
    ["of the expert language's findings L-3 is missing"],
  )
})
