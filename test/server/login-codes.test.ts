import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLoginCodes } from '../../src/app/access/login-codes.ts'
import { temporaryStore } from '../store/support.ts'

test('a user whose name a token may not have signs in, too', async (t) => {
  const store = await temporaryStore(t)
  const logins = createLoginCodes()
  const sender = { by: 'CORP\\jürgen', from: 'HTTP' }
  const created = await logins.redeem({ store, sender }, logins.create())
  assert.equal(created?.token.name, 'login of CORP_j_rgen')
})
