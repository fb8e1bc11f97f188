// Replies that say the right thing in a sloppy form, and those whose parts are none. Each assertion here was a mutant that no test noticed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ValidatedReply, validateReply } from '../../../src/agents/replies/validate-reply.ts'
import type { ReplyName } from '../../../src/domain/stage/reply-schemas.ts'

function read<Name extends ReplyName>(name: Name, reply: unknown) {
  const parsed: ValidatedReply<Name> = validateReply(name, { text: JSON.stringify(reply) })
  assert.ok(parsed.kind === 'valid', JSON.stringify(parsed))
  return parsed
}

test('blanks around a code or a status change nothing', () => {
  const { value } = read('challenge', { issues: { ' A ': { score: 95, points: [{ text: 'why', blocker: false }] } } })
  assert.deepEqual(Object.keys(value.issues), ['A'])
  assert.equal(value.issues.A?.points[0]?.id, 'A-p1')
  const fix = read('fix', { results: [{ issue_code: ' A ', status: ' Fixed ', changes_summary: ['one', 'two'] }] })
  const [claim] = fix.value.results
  assert.deepEqual([claim?.issue_code, claim?.status, claim?.changes_summary], ['A', 'fixed', 'one\ntwo'])
})

test('a verdict that is no object gives no score, whatever it is', () => {
  const { value, notes } = read('challenge', {
    issues: { A: 95, B: null, C: ['SOLVED', 95], D: 'SOLVED', E: { score: 91 } },
  })
  assert.deepEqual(Object.keys(value.issues), ['E'])
  for (const code of ['A', 'B', 'C', 'D'])
    assert.ok(
      notes.some((note) => note.startsWith(`the verdict on "${code}" can't`)),
      code,
    )
})

test('what is no text in a list of texts is left out, and null is no answer', () => {
  const points = [{ id: 'P1', text: ['a', 3, 'b'], blocker: true, settled: null }]
  const verdict = { score: 95, status: 7, improvements_needed: ['x', null, { y: 1 }], points }
  const { value, notes } = read('challenge', { issues: { A: verdict } })
  assert.deepEqual(value.issues.A?.improvements_needed, ['x'])
  assert.equal(value.issues.A?.status, undefined)
  assert.deepEqual([value.issues.A?.points[0]?.text, value.issues.A?.points[0]?.settled], ['a\nb', false])
  assert.deepEqual(notes, [])
})

test('the score of a whole diff is said to be none only where it is none', () => {
  const reply = (whole: unknown) => read('challenge', { issues: { A: { score: 95 } }, whole })
  assert.deepEqual([reply({ score: 93, feedback: 'good' }).value.whole?.score, reply({ score: 93 }).notes], [93, []])
  for (const none of [{ feedback: 'good' }, 93, 'fine', { score: 'high' }]) {
    const { value, notes } = reply(none)
    assert.deepEqual([value.whole, notes], [undefined, ['the score of the whole diff is none']], JSON.stringify(none))
  }
  assert.deepEqual(reply(null).notes, [])
})

test('as many points as are taken are not said to be cut, and one more is', () => {
  const notesFor = (count: number) => {
    const points = Array.from({ length: count }, (_, index) => ({ id: `P${index}`, text: 'x', blocker: false }))
    return read('challenge', { issues: { A: { score: 95, points } } }).notes
  }
  assert.deepEqual(notesFor(20), [])
  assert.match(notesFor(21).join(), /of 21 points and 0 improvements the first 20 were taken/)
})

test('the order of a plan is taken from codes under any of their names, and not at all where one is no text', () => {
  const steps = (execution_steps: unknown) => {
    const { value, notes } = read('plan', { issues: [{ issue_code: 'A', approach: 'so' }], execution_steps })
    return [value.execution_steps, notes]
  }
  const order = [['A'], ['B', 'C'], ['D'], ['E']]
  assert.deepEqual(steps(['A', ['B', { code: 'C' }], { issues: ['D'] }, { codes: ['E'] }]), [order, []])
  assert.deepEqual(steps([{ issue_codes: ['A'] }]), [[['A']], []])
  for (const none of [undefined, null]) assert.deepEqual(steps(none), [undefined, []])
  for (const bad of [[['A', 7]], [7], 'A'])
    assert.deepEqual(steps(bad), [undefined, ["the order that it proposes can't be read"]], JSON.stringify(bad))
})
