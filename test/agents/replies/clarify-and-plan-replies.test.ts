// What the clarifier and the planner answer, and that nobody begins because a question was lost on the way.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type ValidatedReply, validateReply } from '../../../src/agents/replies/validate-reply.ts'
import type { ReplyName } from '../../../src/domain/stage/reply-schemas.ts'

const QUESTION = { id: 'A-q1', issue_code: 'A', question: 'Strict or lenient?', context: 'a.py:3' }
const READY = { has_questions: false, questions: [], message: 'Everything is clear.', ready_to_fix: true }
const ASKING = { has_questions: true, questions: [QUESTION], message: 'One thing.', ready_to_fix: false }

function readable<Name extends ReplyName>(parsed: ValidatedReply<Name>): ValidatedReply<Name> & { kind: 'valid' } {
  assert.equal(parsed.kind, 'valid', JSON.stringify(parsed))
  return parsed as ValidatedReply<Name> & { kind: 'valid' }
}

function problemOf(reply: unknown, name: ReplyName = 'clarify'): string {
  const parsed = validateReply(name, { text: typeof reply === 'string' ? reply : JSON.stringify(reply) })
  assert.equal(parsed.kind, 'unreadable', JSON.stringify(parsed))
  return parsed.kind === 'unreadable' ? parsed.problem : ''
}

function clarify(reply: unknown) {
  return readable(validateReply('clarify', { text: JSON.stringify(reply) }))
}

test('a clarification is read as the documents have it, and so is one that asks nothing [S2-3]', () => {
  assert.deepEqual(clarify(ASKING).value, ASKING)
  assert.deepEqual(clarify(READY).value, READY)
  const bare = { questions: [{ question: 'Which one?', issue_code: 'general' }, 'And why?'], ready_to_fix: 'false' }
  const { value, notes } = clarify(bare)
  assert.deepEqual(
    value.questions.map(({ id, question, context, issue_code }) => [id, question, context, issue_code]),
    [
      ['', 'Which one?', '', undefined],
      ['', 'And why?', '', undefined],
    ],
  )
  assert.deepEqual([value.has_questions, value.ready_to_fix, notes], [true, false, []])
})

test('whoever asks is not ready, whatever they say, and it is noted [S2-3]', () => {
  const { value, notes } = clarify({ ...ASKING, has_questions: false, ready_to_fix: true })
  assert.deepEqual([value.ready_to_fix, value.has_questions], [false, true])
  assert.match(notes.join(), /ready and asks questions/)
})

test('half a reply, or one that contradicts itself, is unreadable and never ready [S2-3]', () => {
  assert.match(problemOf({ ...READY, ready_to_fix: undefined }), /ready_to_fix/)
  assert.match(problemOf({ ...READY, ready_to_fix: null }), /ready_to_fix/)
  assert.match(problemOf({ ...READY, ready_to_fix: 'yes' }), /ready_to_fix/)
  assert.match(problemOf({ ...READY, has_questions: true }), /has questions, and holds none/)
  assert.match(problemOf({ ...READY, ready_to_fix: false }), /asks nothing/)
  assert.match(problemOf({ ...READY, questions: { A: 'Strict?' } }), /questions/)
  for (const question of [{ ...QUESTION, question: '' }, { id: 'A-q1' }, 7, null])
    assert.match(problemOf({ ...READY, questions: [QUESTION, question] }), /questions\.1/)
  assert.match(problemOf(JSON.stringify(READY).slice(0, -1)), /breaks off/)
  assert.match(problemOf(`${JSON.stringify(ASKING)}\n${JSON.stringify(READY)}`), /2 answers that differ/)
  assert.match(problemOf('Everything is clear, I am ready to fix!'), /no JSON object/)
})

test('no reply that holds a question is ready, whatever else stands in it [S2-3]', () => {
  const anything = fc.oneof(fc.boolean(), fc.string(), fc.constant(null), fc.constant(undefined), fc.integer())
  const question = fc.oneof(
    fc.constant(QUESTION),
    fc.string(),
    fc.record({ question: fc.string(), issue_code: anything }),
  )
  fc.assert(
    fc.property(anything, anything, fc.array(question, { minLength: 1 }), (has_questions, ready, questions) => {
      const text = JSON.stringify({ has_questions, questions, ready_to_fix: ready })
      const parsed = validateReply('clarify', { text })
      assert.ok(parsed.kind === 'unreadable' || !parsed.value.ready_to_fix, text)
    }),
  )
})

test('very long and very many questions are kept within bounds, and whoever asked them stays not ready [S2-3]', () => {
  const questions = Array.from({ length: 60 }, () => ({ question: 'q'.repeat(5_000), context: 'c'.repeat(9_000) }))
  const { value, notes } = clarify({ questions, ready_to_fix: false })
  assert.equal(value.questions.length, 50)
  assert.ok(value.questions.every(({ question, context }) => question.length === 2_000 && context.length === 4_000))
  assert.match(notes.join(), /of 60 questions the first 50/)
  assert.equal(value.ready_to_fix, false)
})

test('a plan is read with context, approach, steps and verification, also where a list of one is a text [S1-11]', () => {
  const text = JSON.stringify({
    issues: [
      {
        issue_code: ' A ',
        context: { snippets: 'a.py:3 x', related_files: ['t.py'], existing_patterns: null },
        approach: ['First.', 'Second.'],
        steps: ['one', 'two'],
        verification: 'pytest t.py',
      },
    ],
    execution_steps: [{ step: 1, issues: [{ code: 'A' }, 'B'] }, ['C'], 'D'],
  })
  const { value, notes } = readable(validateReply('plan', { text }))
  assert.deepEqual(value, {
    issues: [
      {
        issue_code: 'A',
        context: { snippets: ['a.py:3 x'], related_files: ['t.py'], existing_patterns: [] },
        approach: 'First.\nSecond.',
        steps: ['one', 'two'],
        verification: ['pytest t.py'],
      },
    ],
    execution_steps: [['A', 'B'], ['C'], ['D']],
  })
  assert.deepEqual(notes, [])
})

test('of a plan what can’t be read is left out and told: an entry, a second one for the same issue, the order [S1-10]', () => {
  const issues = [{ issue_code: 'A' }, 'do it well', { approach: 'whose?' }, { issue_code: 'A', approach: 'the last' }]
  const text = JSON.stringify({ issues, execution_steps: [['A'], { of: 'nothing' }] })
  const { value, notes } = readable(validateReply('plan', { text }))
  assert.deepEqual(
    value.issues.map(({ issue_code, approach }) => [issue_code, approach]),
    [['A', 'the last']],
  )
  assert.equal(value.execution_steps, undefined)
  assert.deepEqual(
    ['entry 2', 'entry 3', 'A was planned twice', 'the order'].map((what) => notes.some((note) => note.includes(what))),
    [true, true, true, true],
  )
  assert.match(problemOf({ issues: 'none' }, 'plan'), /issues/)
  assert.match(problemOf({ execution_steps: [['A']] }, 'plan'), /issues/)
})

test('a plan is advice of bounded length', () => {
  const many = Array.from({ length: 100 }, () => 'x'.repeat(10_000))
  const context = { snippets: many, related_files: many, existing_patterns: many }
  const issue = { issue_code: 'A', context, approach: many[0], steps: many, verification: many }
  const { value } = readable(validateReply('plan', { text: JSON.stringify({ issues: [issue] }) }))
  assert.ok(JSON.stringify(value).length < 150_000)
})
