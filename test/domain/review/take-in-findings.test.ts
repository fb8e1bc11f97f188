import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { groupIntoSteps } from '../../../src/domain/plan/plan.ts'
import { takeInFindings } from '../../../src/domain/review/take-in-findings.ts'
import { pinned, reported } from './support.ts'

test('findings get ids in the order of file and line, and keep the ids of their reviewer [S3-3]', () => {
  const files = pinned({ 'a.py': 'one\ntwo\nthree\n', 'b.py': 'one\n' })
  const findings = takeInFindings(
    [
      {
        findings: [reported({ id: 'X', file: 'b.py' }), reported({ id: 'X', file: 'a.py', line: '3', quote: 'three' })],
      },
      {
        findings: [
          reported({ id: 'Y', file: 'a.py', line: '9', quote: 'four' }),
          reported({ id: 'Z', file: './a.py' }),
        ],
      },
    ],
    files,
  )
  assert.deepEqual(
    findings.map(({ id, alias, file, anchor, group }) => [id, alias, file, anchor.kind, group]),
    [
      ['F001', 'Z', 'a.py', 'anchored', 1],
      ['F002', 'X', 'a.py', 'anchored', 0],
      ['F003', 'Y', 'a.py', 'unanchored', 1],
      ['F004', 'X', 'b.py', 'anchored', 0],
    ],
  )
})

test('a renamed file is found by both names, a deleted line on the old side, a binary file and a path outside not at all', () => {
  const files = pinned({ 'new.py': 'one\n', 'logo.png': null }, { 'old.py': 'one\ngone\n' }, [
    { from: 'old.py', to: 'new.py' },
  ])
  const findings = takeInFindings(
    [
      {
        findings: [
          reported({ id: 'renamed', file: 'old.py' }),
          reported({ id: 'deleted', file: 'new.py', side: 'old', line: '2', quote: 'gone' }),
          reported({ id: 'deleted, wrong side', file: 'new.py', line: '2', quote: 'gone' }),
          reported({ id: 'binary', file: 'logo.png' }),
          reported({ id: 'outside', file: '../../etc/passwd' }),
          reported({ id: 'missing', file: 'nowhere.py' }),
        ],
      },
    ],
    files,
  )
  const by = new Map(findings.map((each) => [each.alias, `${each.file} ${each.anchor.kind}`]))
  assert.deepEqual(Object.fromEntries(by), {
    renamed: 'new.py anchored',
    deleted: 'old.py anchored',
    'deleted, wrong side': 'new.py unanchored',
    binary: 'logo.png unanchored',
    outside: '../../etc/passwd unanchored',
    missing: 'nowhere.py unanchored',
  })
})

test('severity follows from effect and reach, and the reviewer can only lower it [C17]', () => {
  const severities = [
    reported({ id: '1', effect: 'crash', reach: 'normal' }),
    reported({ id: '2', effect: 'crash', reach: 'stated_conditions', severity: 'critical' }),
    reported({ id: '3', effect: 'wrong_result', reach: 'normal', severity: 'minor' }),
    reported({ id: '4', effect: 'degraded', reach: 'normal', severity: 'urgent' }),
  ].map((each) => takeInFindings([{ findings: [each] }], pinned({ 'a.py': 'one' }))[0]?.severity)
  assert.deepEqual(severities, ['critical', 'medium', 'low', 'medium'])
})

const anyFinding = fc.record({
  id: fc.constantFrom('F001', 'F002', 'same'),
  file: fc.constantFrom('a.py', 'b.py', '/etc/passwd', '..', '.git/config', 'c.bin'),
  line: fc.option(fc.constantFrom('1', '2-3', '0', 'soon'), { nil: null }),
  side: fc.constantFrom('new' as const, 'old' as const),
  quote: fc.constantFrom('one', 'two', '', 'one\ntwo'),
})

test('no finding is ever dropped: as many come out as went in, each with an id of its own', () => {
  const files = pinned({ 'a.py': 'one\ntwo\none\n', 'c.bin': null }, { 'b.py': 'two\n' })
  fc.assert(
    fc.property(fc.array(fc.array(anyFinding, { maxLength: 6 }), { maxLength: 4 }), (groups) => {
      const given = groups.map((findings) => ({ findings: findings.map(reported) }))
      const taken = takeInFindings(given, files)
      assert.equal(taken.length, given.flatMap(({ findings }) => findings).length)
      assert.equal(new Set(taken.map(({ id }) => id)).size, taken.length)
      assert.deepEqual(
        taken.map(({ alias }) => alias).sort(),
        given.flatMap(({ findings }) => findings.map(({ id }) => id)).sort(),
      )
    }),
  )
})

test('the groups of a review become steps: all findings, in their groups, no two of one file in a step [S3-5]', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ file: fc.constantFrom('a', 'b', 'c'), group: fc.nat(3) }), { maxLength: 20 }),
      (findings) => {
        const named = findings.map((each, index) => ({ ...each, issue_code: `F${index}` }))
        const steps = groupIntoSteps(named).map((step) => named.filter(({ issue_code }) => step.includes(issue_code)))
        assert.equal(steps.flat().length, findings.length)
        for (const step of steps) {
          assert.equal(new Set(step.map(({ file }) => file)).size, step.length)
          assert.equal(new Set(step.map(({ group }) => group)).size, 1)
        }
      },
    ),
  )
})
