import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  deriveSessionKey,
  deriveTaskId,
  hashIssueText,
  toWorkflowId,
} from '../../../src/domain/session/idempotency-key.ts'

const Ids = fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 8 })
const shuffled = (ids: readonly string[]) => fc.shuffledSubarray([...ids], { minLength: ids.length })

test('the order in which issues are named does not make another session [S2-32]', () => {
  const property = fc.property(
    Ids.chain((ids) => fc.tuple(fc.constant(ids), shuffled(ids))),
    ([ids, again]) => assert.equal(deriveSessionKey('/repo', 'task', ids), deriveSessionKey('/repo', 'task', again)),
  )
  fc.assert(property)
})

test('another repository, another task or another set of issues is another session [S2-32]', () => {
  const key = deriveSessionKey('/repo', 'task', ['a', 'b'])
  const others = [
    deriveSessionKey('/repo2', 'task', ['a', 'b']),
    deriveSessionKey('/repo', 'task2', ['a', 'b']),
    deriveSessionKey('/repo', 'task', ['a']),
    deriveSessionKey('/repo', 'task', ['a', 'b', 'c']),
    deriveSessionKey('/repo', 'task', ['ab']),
    deriveSessionKey('/repo', 'task', ['a,b']),
    deriveSessionKey('/repotask', '', ['a', 'b']),
  ]
  assert.equal(new Set([key, ...others]).size, others.length + 1)
})

test('the session names its workflow, so that people find one by the other, and Temporal refuses to start it twice [S2-32]', () => {
  assert.equal(toWorkflowId('fx-abcd2345'), 'fix-session/fx-abcd2345')
})

test('a task is told apart by what its findings say, not by their order: codes start again in every review', () => {
  const one = { issue_code: 'F001', title: 'null check' }
  const two = { issue_code: 'F002', title: 'wrong sum' }
  assert.equal(deriveTaskId([one, two]), deriveTaskId([two, one]))
  assert.notEqual(deriveTaskId([one, two]), deriveTaskId([one, { ...two, title: 'wrong product' }]))
  assert.notEqual(deriveTaskId([one]), deriveTaskId([one, one]))
  assert.match(deriveTaskId([one]), /^task-[0-9a-f]{16}$/)
})

test('an issue is the same as long as its text is: a change of any part makes it another [S2-2]', () => {
  const issue = {
    title: 'Null check',
    description: 'It may be null.',
    file: 'src/a.py',
    line: '3',
    suggested_fix: 'Check.',
  }
  const others = [
    { ...issue, title: 'Null checks' },
    { ...issue, description: '' },
    { ...issue, file: 'src/b.py' },
    { ...issue, line: '4' },
    { ...issue, line: undefined },
    { ...issue, suggested_fix: undefined },
    { ...issue, suggested_fix: '' },
    { ...issue, title: 'It may be null.', description: 'Null check' },
    { ...issue, line: 'Check.', suggested_fix: '3' },
  ]
  assert.equal(hashIssueText({ ...issue }), hashIssueText(issue))
  const otherwise = { ...issue, severity: 'low', category: 'style', issue_code: 'FUNC-002' }
  assert.equal(hashIssueText(otherwise), hashIssueText(issue))
  assert.equal(new Set([issue, ...others].map(hashIssueText)).size, others.length + 1)
})
