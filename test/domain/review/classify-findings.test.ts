import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { classifyFindings, countFindings } from '../../../src/domain/review/classify-findings.ts'
import { mergeDuplicates } from '../../../src/domain/review/merge-duplicates.ts'
import { refuteDismissed } from '../../../src/domain/review/refute-dismissed.ts'
import type { DisproofReply } from '../../../src/domain/review/replies.ts'
import { takeInFindings } from '../../../src/domain/review/take-in-findings.ts'
import { pinned, reported } from './support.ts'

type Verdict = DisproofReply['verdicts'][number]
const files = pinned({ 'a.py': 'one\ntwo\nthree\n' })
const there = [{ file: 'a.py', line: '2', quote: 'two' }]

function judge(verdicts: readonly Verdict[]) {
  const [finding] = takeInFindings([{ findings: [reported({ id: 'X' })] }], files)
  const [judged] = classifyFindings(finding ? [finding] : [], verdicts, files)
  return judged?.verdict
}

test('a verdict counts only with a place that holds what it quotes', () => {
  const verdict = { id: 'F001', verdict: 'refuted', reason: 'the caller checks it' } as const
  assert.equal(judge([{ ...verdict, evidence: there }])?.state, 'refuted')
  assert.equal(judge([{ ...verdict, evidence: [{ file: 'a.py', line: '2', quote: 'invented' }] }])?.state, 'unverified')
  assert.equal(judge([{ ...verdict, evidence: [] }])?.state, 'unverified')
})

test('silence and contradiction leave a finding unverified', () => {
  assert.deepEqual(judge([]), { state: 'unverified', reason: 'the verifier did not report on it' })
  const both = (['confirmed', 'refuted'] as const).map((verdict) => ({
    id: 'F001',
    verdict,
    reason: 'so',
    evidence: there,
  }))
  assert.equal(judge(both)?.state, 'unverified')
})

test('findings that say the same are merged, and the merged one keeps who said it and a severity between the two', () => {
  const [one, other] = [
    reported({ id: 'L-1', failure: 'With an empty list, it divides by zero.', effect: 'crash', reach: 'normal' }),
    reported({
      id: 'B-1',
      failure: 'with an empty list it divides by zero',
      effect: 'degraded',
      reach: 'stated_conditions',
      experts: ['be-quality'],
    }),
  ]
  const different = reported({ id: 'L-2', failure: 'with None, it raises' })
  const taken = takeInFindings([{ findings: [one, other, different] }], files)
  const { findings, merged } = mergeDuplicates(taken)
  assert.deepEqual(
    [...merged],
    [['F002', { state: 'merged', into: 'F001', reason: 'the same place and the same failure' }]],
  )
  assert.deepEqual([findings[0]?.experts, findings[0]?.severity], [['language', 'be-quality'], 'high'])
  assert.equal(findings.length, 3)
})

test('a dismissed finding comes back refuted, in the same words or with the same quote, unless it brings new evidence', () => {
  const dismissed = [
    {
      id: 'fx-1:F007',
      file: 'a.py',
      quote: 'two',
      category: 'clean_code',
      failure: 'with x, y happens',
      reason: 'x is never given',
    },
  ]
  const taken = takeInFindings(
    [
      {
        findings: [
          reported({ id: 'words', failure: 'With X, y happens!' }),
          reported({ id: 'quote', line: '2', quote: 'two', failure: 'in other words' }),
          reported({ id: 'evidence', failure: 'with x, y happens', new_evidence: 'line 3 gives x' }),
          reported({ id: 'other', failure: 'something else' }),
          reported({ id: 'other category', line: '2', quote: 'two', failure: 'else', category: 'security' }),
        ],
      },
    ],
    files,
  )
  const refuted = refuteDismissed(taken, dismissed)
  const aliases = taken.filter(({ id }) => refuted.has(id)).map(({ alias }) => alias)
  assert.deepEqual(aliases.sort(), ['quote', 'words'])
})

const states = fc.constantFrom('confirmed' as const, 'refuted' as const, 'unverified' as const)

test('every finding ends in exactly one state, whatever the verifier says about which ids', () => {
  const verdict = fc.record({
    id: fc.constantFrom('F001', 'F002', 'F003', 'F099', 'constructor'),
    verdict: states,
    reason: fc.constant('so'),
    evidence: fc.constantFrom(there, []),
  })
  const finding = fc.record({
    id: fc.constantFrom('A', 'B'),
    quote: fc.constantFrom('one', 'two'),
    failure: fc.constantFrom('x', 'y'),
  })
  fc.assert(
    fc.property(fc.array(finding, { maxLength: 8 }), fc.array(verdict, { maxLength: 12 }), (given, verdicts) => {
      const { findings, merged } = mergeDuplicates(takeInFindings([{ findings: given.map(reported) }], files))
      const judged = classifyFindings(findings, verdicts, files, { decided: merged })
      const { confirmed, refuted, unverified, merged: gone } = countFindings(judged)
      assert.equal(judged.length, given.length)
      assert.equal(confirmed + refuted + unverified + gone, given.length)
      for (const { verdict: end } of judged)
        if (end.state === 'merged')
          assert.ok(judged.some(({ id, verdict: { state } }) => id === end.into && state !== 'merged'))
    }),
  )
})
