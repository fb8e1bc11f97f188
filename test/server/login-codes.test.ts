import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLoginCodes } from '../../src/app/access/login-codes.ts'
import { findSelfApproval } from '../../src/domain/people/check-approver.ts'
import { temporaryStore } from '../store/support.ts'

test('a user whose name a token may not have signs in, too', async (t) => {
  const store = await temporaryStore(t)
  const logins = createLoginCodes()
  const sender = { by: 'CORP\\jürgen', from: 'HTTP' }
  const created = await logins.redeem({ store, sender }, logins.create())
  assert.match(`${created?.token.name}`, /^CORP_j_rgen-[0-9a-f]{8}$/)
})

test('who signs in is called as at the terminal, so a session of theirs is still theirs', async (t) => {
  const store = await temporaryStore(t)
  const logins = createLoginCodes()
  for (const by of ['alice', 'Alice', '_svc', 'CORP\\jürgen', '王', `${'x'.repeat(90)}ü`]) {
    const created = await logins.redeem({ store, sender: { by, from: 'HTTP' } }, logins.create())
    const approver = { by: created?.token.name, isChecked: true }
    assert.equal(findSelfApproval({ starter: by }, approver)?.code, 'self_approval', by)
    assert.equal(findSelfApproval({ starter: 'bob' }, approver), undefined, by)
  }
})
