import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RefusedError, toRefusal } from '../../../src/domain/errors/fixwright-error.ts'

test('toRefusal has the code of its reasons, and bad_input where they are of several kinds', () => {
  assert.equal(toRefusal({ findings_invalid: [], branch_unusable: [] }), undefined)
  assert.deepEqual(toRefusal({ findings_invalid: ['one', 'two'], branch_unusable: [] }), {
    kind: 'refused',
    code: 'findings_invalid',
    problems: ['one', 'two'],
  })
  assert.deepEqual(toRefusal({ branch_unusable: ['b'], findings_invalid: ['f'] }), {
    kind: 'refused',
    code: 'bad_input',
    problems: ['b', 'f'],
  })
})

test('RefusedError says one problem in a line, and several each in its own', () => {
  assert.equal(new RefusedError('bad_input', ['a is wrong']).message, 'nothing was changed: a is wrong')
  assert.equal(new RefusedError('bad_input', ['a', 'b']).message, 'nothing was changed: \n  a\n  b')
})
