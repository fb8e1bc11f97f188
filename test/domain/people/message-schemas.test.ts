// What people may send: everything that is misspelt, empty or too much is told, and nothing of it is taken.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  MESSAGE_NAMES,
  type MessageInput,
  type MessageName,
  type MessageOf,
  parseMessage,
} from '../../../src/domain/people/message-schemas.ts'

function read<Name extends MessageName>(name: Name, input: unknown): MessageOf<Name> {
  const said = parseMessage(name, input)
  if (said.kind === 'refused') assert.fail(`${JSON.stringify(input)}: ${said.reason}`)
  return said.message
}

function problem(name: MessageName, input: unknown): string {
  const said = parseMessage(name, input)
  if (said.kind === 'read') assert.fail(`${name} ${JSON.stringify(input)} should have been refused`)
  return said.reason
}

const OTHERWISE: readonly unknown[] = [null, 'yes', 7, [], true, Number.NaN]

test('an answer names its question, and is trimmed; without one, the message has to skip [S2-4]', () => {
  const message = { answers: { 'FUNC-001-q1': '  the strict one\n', 'general-q12': 'yes' } }
  const taken = read('answerClarification', message)
  assert.deepEqual(taken, { answers: { 'FUNC-001-q1': 'the strict one', 'general-q12': 'yes' }, skip: false })
  assert.deepEqual(read('answerClarification', { skip: true }), { answers: {}, skip: true })
  for (const nothing of [{}, { answers: {} }, { skip: false }]) {
    assert.match(problem('answerClarification', nothing), /holds no answer, and does not skip/)
  }
})

test('what is no answer is refused: an id that is none, no words, too many words', () => {
  for (const id of [
    'FUNC-001',
    'q1',
    '-q1',
    'FUNC-001-q',
    'FUNC-001-q12345',
    'FUNC-001-q1\n',
    `${'x'.repeat(121)}-q1`,
  ]) {
    assert.match(problem('answerClarification', { answers: { [id]: 'yes' } }), /answers/, id)
  }
  for (const words of ['', '  ', 'x'.repeat(8001), 5, null, ['yes']]) {
    assert.match(problem('answerClarification', { answers: { 'A-q1': words } }), /answers\.A-q1/)
  }
  const many = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`A-q${index}`, 'x'.repeat(8000)]))
  assert.match(problem('answerClarification', { answers: many }), /more than 64000 characters in all/)
})

test('a key that is misspelt is told in every message, and nothing is taken', () => {
  const right: { readonly [Name in MessageName]: MessageInput<Name> } = {
    answerClarification: { skip: true },
    decidePlan: { decision: 'approve' },
    decideScope: { decision: 'reject' },
    cancel: { reason: 'wrong branch' },
    pause: { reason: 'the quota is needed elsewhere' },
    resume: {},
  }
  for (const name of MESSAGE_NAMES) {
    read(name, { ...right[name], by: 'mara', from: 'a script' })
    assert.match(problem(name, { ...right[name], form: 'a script' }), /form/)
    assert.match(problem(name, { ...right[name], by: '' }), /by/)
    assert.match(problem(name, { ...right[name], from: 'x'.repeat(201) }), /from/)
    for (const otherwise of OTHERWISE) problem(name, otherwise)
  }
})

test('a plan is approved, edited or rejected: a rejection says why, an edit says what [S1-9]', () => {
  assert.deepEqual(read('decidePlan', { decision: 'edit', edit: { drop: ['FUNC-002'] } }).edit, {
    drop: ['FUNC-002'],
    order: [],
    notes: {},
  })
  read('decidePlan', { decision: 'approve', request: 'plan.p1', edit: { notes: { 'FUNC-001': 'keep the name' } } })
  read('decidePlan', { decision: 'reject', reason: 'too wide' })
  const refused: readonly [unknown, RegExp][] = [
    [{}, /decision/],
    [{ decision: 'yes' }, /decision/],
    [{ decision: 'reject' }, /needs a reason/],
    [{ decision: 'reject', reason: ' ' }, /reason/],
    [{ decision: 'reject', reason: 'no', edit: { drop: ['A'] } }, /rejected or edited, not both/],
    [{ decision: 'edit' }, /nothing that is to be changed/],
    [{ decision: 'edit', edit: {} }, /nothing that is to be changed/],
    [{ decision: 'edit', edit: { drop: ['../A'] } }, /edit\.drop\.0/],
    [{ decision: 'edit', edit: { order: ['A', 'B', 'A'] } }, /the order names an issue twice/],
    [{ decision: 'edit', edit: { notes: { 'not a code': 'x' } } }, /edit\.notes/],
    [{ decision: 'edit', edit: { dropped: ['A'] } }, /dropped/],
    [{ decision: 'approve', request: '' }, /request/],
  ]
  for (const [message, why] of refused) assert.match(problem('decidePlan', message), why)
})

test('an approval is for the session unless it says otherwise; a rejection is for all files [S2-31]', () => {
  assert.deepEqual(read('decideScope', { decision: 'approve' }), { decision: 'approve', remember: 'session' })
  const named = read('decideScope', {
    decision: 'approve',
    paths: ['./docs//', '.env', './.', 'a/./b'],
    remember: 'once',
  })
  assert.deepEqual(named.paths, ['docs/', '.env', '.', 'a/./b'])
  const refused: readonly [unknown, RegExp][] = [
    [{ decision: 'edit' }, /decision/],
    [{ decision: 'approve', paths: [] }, /paths/],
    [{ decision: 'approve', paths: [''] }, /paths/],
    [{ decision: 'approve', paths: 'docs/' }, /paths/],
    [{ decision: 'approve', remember: 'forever' }, /remember/],
    [{ decision: 'reject', paths: ['docs/'] }, /a rejection names no paths: it is for all/],
  ]
  for (const [message, why] of refused) assert.match(problem('decideScope', message), why)
})

test('to cancel needs no words: also an empty signal does', () => {
  assert.deepEqual(read('cancel', undefined), {})
  assert.deepEqual(read('cancel', {}), {})
  assert.deepEqual(read('cancel', { reason: ' enough ' }), { reason: 'enough' })
  for (const name of ['answerClarification', 'decidePlan', 'decideScope'] as const) problem(name, undefined)
})

test('what would fill a session’s history is refused, in few words', () => {
  const deep = 'a/'.repeat(200)
  const paths = Array.from({ length: 400 }, (_, index) => `${deep}${index}`)
  assert.match(problem('decideScope', { decision: 'approve', paths }), /paths: it is more than 64000 characters in all/)
  const strange = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`${'x'.repeat(1000)}${index}`, 'yes']))
  assert.ok(problem('answerClarification', { answers: strange }).length < 3000)
  assert.ok(problem('answerClarification', { skip: true, ...strange }).length < 3000)
})

test('a message can’t reach into our objects', () => {
  const message = JSON.parse('{"answers": {"A-q1": "yes", "__proto__": {"polluted": true}}, "skip": false}')
  const taken = parseMessage('answerClarification', message)
  if (taken.kind === 'read') assert.deepEqual(Object.keys(taken.message.answers), ['A-q1'])
  problem('decidePlan', JSON.parse('{"decision": "edit", "edit": {"notes": {"constructor": "x"}}}'))
  assert.equal(({} as Record<string, unknown>).polluted, undefined)
})
