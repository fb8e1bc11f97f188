import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Severity } from '../../../src/domain/issue/issue.ts'
import type { ReviewFinding } from '../../../src/domain/review/finding.ts'
import { listVoters, mergeVotes } from '../../../src/domain/vote/merge-votes.ts'

let count = 0
function finding(file: string, line: number | undefined, failure: string, severity: Severity = 'high'): ReviewFinding {
  count += 1
  return {
    id: `F${String(count).padStart(3, '0')}`,
    alias: `V${count}`,
    file,
    side: 'new',
    quote: line === undefined ? '' : `line ${line}`,
    anchor:
      line === undefined
        ? { kind: 'unanchored', note: 'it quotes nothing' }
        : { kind: 'anchored', line, end_line: line + 2 },
    title: 'It fails',
    failure,
    effect: 'wrong_result',
    reach: 'realistic',
    severity,
    origin: 'introduced',
    category: 'other',
    experts: [],
    group: 0,
  }
}

const merge = (claude: readonly ReviewFinding[], gemini: readonly ReviewFinding[]) =>
  mergeVotes([
    { voter: 'claude', findings: [...claude] },
    { voter: 'gemini', findings: [...gemini] },
  ])

test('what both voters report is one finding with both on record, and comes first [S0-19]', () => {
  const merged = merge(
    [
      finding('a.ts', 1, 'A missing token crashes the login with a TypeError', 'critical'),
      finding('b.ts', 10, 'An empty basket divides the total by zero'),
    ],
    [
      finding('b.ts', 12, 'The total is divided by zero when the basket is empty', 'low'),
      finding('c.ts', 3, 'The password is written into the log', 'critical'),
    ],
  )
  assert.deepEqual(
    merged.map(({ id, severity, reports }) => [
      id,
      reports[0].finding.file,
      severity,
      reports.map(({ voter }) => voter),
    ]),
    [
      ['F001', 'b.ts', 'medium', ['claude', 'gemini']],
      ['F002', 'a.ts', 'critical', ['claude']],
      ['F003', 'c.ts', 'critical', ['gemini']],
    ],
  )
})

test('another file, other lines, the other side or another failure is another finding', () => {
  const one = finding('a.ts', 10, 'An empty basket divides the total by zero')
  for (const other of [
    { ...one, file: 'b.ts' },
    { ...one, side: 'old' as const },
    { ...one, anchor: { kind: 'anchored', line: 13, end_line: 20 } as const },
    { ...one, failure: 'A negative price is accepted without an error' },
  ]) {
    assert.equal(merge([one], [other]).length, 2)
  }
  const unplaced = finding('a.ts', undefined, 'An empty basket divides the total by zero')
  assert.equal(merge([unplaced], [{ ...unplaced }]).length, 1)
})

const reported = fc
  .record({
    file: fc.constantFrom('a', 'b'),
    line: fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined }),
    severity: fc.constantFrom(...Severity.options),
    failure: fc.constantFrom('the total is divided by zero', 'zero divides the total', 'the password is logged', 'ab'),
  })
  .map(({ file, line, severity, failure }) => finding(file, line, failure, severity))
const findings = fc.array(reported, { maxLength: 6 })

test('merging loses no finding, adds none, and never makes one more severe', () => {
  fc.assert(
    fc.property(findings, findings, (claude, gemini) => {
      const merged = merge(claude, gemini)
      const kept = merged.flatMap(({ reports }) => reports.map((report) => report.finding))
      assert.equal(kept.length, claude.length + gemini.length)
      assert.deepEqual(new Set(kept), new Set([...claude, ...gemini]))
      const voters = merged.map((each) => listVoters(each).length)
      assert.deepEqual(
        voters,
        voters.toSorted((one, other) => other - one),
      )
      for (const { severity, reports } of merged) {
        const ranks = reports.map((each) => Severity.options.indexOf(each.finding.severity))
        const rank = Severity.options.indexOf(severity)
        assert.ok(rank >= Math.min(...ranks) && rank <= Math.max(...ranks))
      }
    }),
  )
})

test('planted duplicates end as one finding each', () => {
  const words = ['overflow', 'timeout', 'deadlock', 'injection', 'truncation']
  const planted = words.map((word, index) => finding(`${index}.ts`, 5, `The ${word} happens with an empty value`))
  const again = planted.flatMap((each, index) => [
    { ...each, id: `F${500 + index}`, failure: `With an empty value ${words[index]} happens` },
    { ...each, id: `F${600 + index}`, anchor: { kind: 'anchored', line: 7, end_line: 9 } as const },
  ])
  assert.equal(merge(planted, again).length, planted.length)
})
