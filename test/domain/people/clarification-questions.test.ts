import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { nextQuestionId, selectNewQuestions } from '../../../src/domain/people/clarification-questions.ts'
import { isQuestionId } from '../../../src/domain/people/message-schemas.ts'

const codes = ['A', 'FUNC-001', 'general']
const ask = (question: string, more: { id?: string; issue_code?: string | null; context?: string } = {}) => ({
  id: '',
  question,
  context: '',
  ...more,
})

describe('questions', () => {
  test('belong to the issue they name, by code or by the id they were given, and else to all', () => {
    const found = selectNewQuestions(
      [
        ask('one', { issue_code: 'FUNC-001' }),
        ask('two', { id: 'A-q9' }),
        ask('three', { issue_code: 'func-001' }),
        ask('four', { issue_code: null, id: 'NOBODY-q1' }),
        ask('five', { issue_code: 'FUNC-001', id: 'A-q1' }),
      ],
      { codes, known: [] },
    )
    assert.deepEqual(
      found.map(({ id, code, question }) => [id, code, question]),
      [
        ['FUNC-001-q1', 'FUNC-001', 'one'],
        ['A-q1', 'A', 'two'],
        ['general-q1', undefined, 'three'],
        ['general-q2', undefined, 'four'],
        ['FUNC-001-q2', 'FUNC-001', 'five'],
      ],
    )
    for (const { id } of found) assert.ok(isQuestionId(id), id)
  })

  test('are numbered on from those before, also where an issue is called as the questions about all are', () => {
    const known = [{ id: 'A-q2' }, { id: 'general-q1' }, { id: 'A-b-q7' }]
    assert.equal(nextQuestionId('A', known), 'A-q3')
    assert.equal(nextQuestionId(undefined, known), 'general-q2')
    assert.equal(nextQuestionId('general', known), 'general-q2')
    assert.equal(nextQuestionId('b', known), 'b-q1')
  })

  test('are asked once, in whatever words, and for each issue apart', () => {
    const known = [{ id: 'A-q1', code: 'A', question: 'Strict or\n loose?', context: '' }]
    const asked = ['strict or loose?', 'Really?', 'really? '].map((question) => ask(question, { issue_code: 'A' }))
    const found = selectNewQuestions([...asked, ask('Strict or loose?', { issue_code: 'FUNC-001' })], { codes, known })
    assert.deepEqual(
      found.map(({ id, question }) => [id, question]),
      [
        ['A-q2', 'Really?'],
        ['FUNC-001-q1', 'Strict or loose?'],
      ],
    )
  })

  test('are at most twenty at once, of a bounded length, and steer no terminal', () => {
    const asked = Array.from({ length: 30 }, (_, index) =>
      ask(`${index} ${'🙂'.repeat(2000)}`, { context: 'x'.repeat(9000) }),
    )
    const found = selectNewQuestions(asked, { codes, known: [] })
    assert.equal(found.length, 20)
    assert.ok(found.every(({ question, context }) => question.length <= 1000 && context.length <= 2000))
    assert.ok(found.every(({ question }) => question.isWellFormed()))
    const [steering] = selectNewQuestions([ask('\u001b[2Jclear?\u0007\nyes\tno\u009b1m')], { codes, known: [] })
    assert.equal(steering?.question, '[2Jclear?\nyes\tno1m')
    assert.deepEqual(selectNewQuestions([ask('\u001b\u0007')], { codes, known: [] }), [])
  })
})
