// What each fixer is told besides its issues: its own, what is for all, and nothing of anybody else's.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Brief, type Clarification, EMPTY_BRIEF, filterBrief, IssuePlan } from '../../../src/domain/plan/brief.ts'

const CODES = ['FUNC-001', 'FUNC-002', 'FUNC-0010', 'SEC-001', 'general']
const code = fc.constantFrom(...CODES)
const PLAIN = { noNullPrototype: true }

function clarification(id: string, issue_code?: string): Clarification {
  const who = { answered_by: 'mara', answered_at: '2026-11-18T10:00:00.000Z' }
  return {
    id,
    question: `about ${id}`,
    context: '',
    answer: `answer to ${id}`,
    ...who,
    ...(issue_code ? { issue_code } : {}),
  }
}

const briefs = fc
  .record({
    asked: fc.array(fc.option(code, { nil: undefined }), { maxLength: 12 }),
    plans: fc.dictionary(code, fc.constant(IssuePlan.parse({ approach: 'check' })), PLAIN),
    notes: fc.dictionary(code, fc.string({ minLength: 1 }), PLAIN),
  })
  .map(({ asked, plans, notes }): Brief => {
    const clarifications = asked.map((about, index) => clarification(`${about ?? 'general'}-q${index}`, about))
    return { clarifications, plans, notes, remarks: ['corrected'] }
  })

test('the answers to one issue’s questions never reach another; general ones reach all [S2-3]', () => {
  fc.assert(
    fc.property(briefs, fc.subarray(CODES), (brief, codes) => {
      const { clarifications, plans, notes, remarks } = filterBrief(brief, codes)
      for (const { issue_code } of clarifications) assert.ok(issue_code === undefined || codes.includes(issue_code))
      const owed = brief.clarifications.filter(({ issue_code }) => !issue_code || codes.includes(issue_code))
      assert.deepEqual(clarifications, owed)
      for (const [own, all] of [
        [plans, brief.plans],
        [notes, brief.notes],
      ] as const) {
        assert.deepEqual(
          Object.keys(own).sort(),
          Object.keys(all)
            .filter((each) => codes.includes(each))
            .sort(),
        )
      }
      assert.deepEqual(remarks, brief.remarks)
    }),
  )
})

test('codes that begin alike, and an issue that is called general, are issues like others [S2-3]', () => {
  const brief: Brief = {
    ...EMPTY_BRIEF,
    clarifications: CODES.map((each) => clarification(`${each}-q1`, each)).concat(clarification('general-q1')),
  }
  const told = (...codes: readonly string[]) =>
    filterBrief(brief, codes).clarifications.map(({ issue_code, id }) => issue_code ?? id)
  assert.deepEqual(told('FUNC-001'), ['FUNC-001', 'general-q1'])
  assert.deepEqual(told('FUNC-0010', 'SEC-001'), ['FUNC-0010', 'SEC-001', 'general-q1'])
  assert.deepEqual(told('general'), ['general', 'general-q1'])
  assert.deepEqual(told(), ['general-q1'])
})

test('to narrow a brief twice is to narrow it once, and all of it is what all issues are told [S1-12]', () => {
  fc.assert(
    fc.property(briefs, fc.subarray(CODES), (brief, codes) => {
      assert.deepEqual(filterBrief(filterBrief(brief, codes), codes), filterBrief(brief, codes))
      assert.deepEqual(filterBrief(brief, CODES), brief)
    }),
  )
})

test('a plan that leaves things out is read with nothing in their place [S1-11]', () => {
  const empty = { snippets: [], related_files: [], existing_patterns: [] }
  assert.deepEqual(IssuePlan.parse({}), { context: empty, approach: '', steps: [], verification: [] })
  assert.deepEqual(IssuePlan.parse({ context: { related_files: ['a.py'] } }).context, {
    ...empty,
    related_files: ['a.py'],
  })
  assert.deepEqual(Brief.parse(EMPTY_BRIEF), EMPTY_BRIEF)
})
