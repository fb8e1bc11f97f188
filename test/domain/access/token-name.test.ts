import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TokenName } from '../../../src/domain/access/access-token.ts'
import { toTokenName } from '../../../src/domain/access/token-name.ts'
import { findSelfApproval } from '../../../src/domain/people/check-approver.ts'

test('toTokenName keeps a name that a token may have, and makes of each other one a name of its own', () => {
  for (const name of ['sam', 's_m', 'Sam Vimes', 'sam@corp.example', 'j.doe-2']) assert.equal(toTokenName(name), name)
  const users = [
    'söm',
    'sóm',
    's_m',
    'CORP\\sam',
    'CORP/sam',
    '王小明',
    '王大明',
    'ö',
    `${'a'.repeat(90)}1`,
    `${'a'.repeat(90)}2`,
  ]
  const names = users.map(toTokenName)
  assert.equal(new Set(names).size, users.length, names.join(', '))
  for (const name of names) assert.ok(TokenName.safeParse(name).success, name)
  assert.equal(toTokenName('so\u0308m'), toTokenName('söm'), 'one name in two spellings')
  assert.match(toTokenName('söm'), /^s_m-[0-9a-f]{8}$/)
})

test('four eyes: a name with other letters is the same person at the terminal and as a token, and nobody else', () => {
  const approve = (by: string) => findSelfApproval({ starter: 'Söm' }, { by, isChecked: true })?.code
  assert.deepEqual([approve('söm'), approve(toTokenName('Söm'))], ['self_approval', 'self_approval'])
  assert.deepEqual([approve('sóm'), approve(toTokenName('sóm')), approve('sam')], [undefined, undefined, undefined])
})
