import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findAddressProblem } from '../../../src/platform/web/address-rules.ts'
import { post } from '../../../src/platform/web/post.ts'

const METADATA = [
  '169.254.169.254',
  '169.254.170.2',
  'fe80::1',
  'fd00:ec2::254',
  '::ffff:169.254.169.254',
  '0.0.0.0',
  '::',
  '224.0.0.1',
]
const PRIVATE = [
  ...['127.0.0.1', '127.1.2.3', '10.0.0.1', '172.16.5.4', '172.31.255.255', '192.168.1.1', '100.64.0.1', '198.18.0.1'],
  ...[
    '::1',
    'fc00::1',
    'fdab::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:10.0.0.1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
  ],
]
const PUBLIC = ['1.1.1.1', '172.32.0.1', '100.128.0.1', '192.169.0.1', '2606:4700::1111', '::ffff:1.1.1.1']

test('addresses of this machine and its networks need the operator’s word, those of metadata get none', () => {
  for (const address of METADATA)
    for (const mayBePrivate of [false, true])
      assert.notEqual(findAddressProblem(address, mayBePrivate), undefined, address)
  for (const address of PRIVATE) {
    assert.notEqual(findAddressProblem(address, false), undefined, address)
    assert.equal(findAddressProblem(address, true), undefined, address)
  }
  for (const address of PUBLIC) assert.equal(findAddressProblem(address, false), undefined, address)
  assert.notEqual(findAddressProblem('example.com', true), undefined)
})

test('a name, and a number that is written otherwise, is judged by the address that it leads to', async () => {
  for (const host of ['localhost', '2130706433', '0x7f.1', '127.1', '[::ffff:127.0.0.1]']) {
    const asked = { url: `http://${host}:1/`, headers: {}, body: '', timeoutMs: 5_000, mayBePrivate: false }
    const outcome = await post(asked)
    assert.equal(outcome.kind, 'refused', host)
  }
})
