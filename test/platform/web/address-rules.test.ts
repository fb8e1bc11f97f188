import assert from 'node:assert/strict'
import { syncBuiltinESMExports } from 'node:module'
import os from 'node:os'
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
  ...['168.63.129.16', '100.100.100.200', '192.0.0.192', 'fd20:ce::254', '::168.63.129.16'],
  ...['64:ff9b::a9fe:a9fe', '64:ff9b::169.254.169.254', '2002:a9fe:a9fe::1', '::169.254.169.254'],
  ...['::ffff:0:a9fe:a9fe', '64:ff9b:1:a9fe:a9:fe00::', '2001:0:a9fe:a9fe::1'],
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
  ...['::127.0.0.1', '::ffff:0:127.0.0.1', 'fec0::1', '64:ff9b::10.0.0.1', '::1.1.1.1', '2002:101:101::'],
]
const PUBLIC = [
  '1.1.1.1',
  '172.32.0.1',
  '100.128.0.1',
  '192.169.0.1',
  '2606:4700::1111',
  '::ffff:1.1.1.1',
  '64:ff9b::1.1.1.1',
]

test('addresses of this machine and its networks need the operator’s word, those of metadata get none', () => {
  for (const address of METADATA)
    for (const mayBePrivate of [false, true])
      assert.notEqual(findAddressProblem(address, mayBePrivate), undefined, address)
  for (const address of PRIVATE) {
    assert.notEqual(findAddressProblem(address, false), undefined, address)
    assert.equal(findAddressProblem(address, true), undefined, address)
  }
  for (const address of PUBLIC) assert.equal(findAddressProblem(address, false), undefined, address)
  for (const none of ['example.com', '', 'fe80::1%eth0', '1.2.3'])
    assert.notEqual(findAddressProblem(none, true), undefined, none)
})

test('an address of this machine needs the operator’s word also where it is a public one', (t) => {
  const own = { netmask: '', mac: '', internal: false, cidr: null }
  const interfaces = {
    eth0: [
      { ...own, address: '1.2.3.4', family: 'IPv4' as const },
      { ...own, address: '2a01:4f8::1', family: 'IPv6' as const, scopeid: 0 },
    ],
  }
  t.mock.method(os, 'networkInterfaces', () => interfaces)
  syncBuiltinESMExports()
  t.after(() => {
    t.mock.restoreAll()
    syncBuiltinESMExports()
  })
  for (const address of ['1.2.3.4', '::ffff:1.2.3.4', '2a01:4f8:0::1', '64:ff9b::1.2.3.4']) {
    assert.match(findAddressProblem(address, false) ?? '', /of this machine/, address)
    assert.equal(findAddressProblem(address, true), undefined, address)
  }
  assert.equal(findAddressProblem('1.2.3.5', false), undefined)
})

test('a name, and a number that is written otherwise, is judged by the address that it leads to', async () => {
  for (const host of ['localhost', '2130706433', '0x7f.1', '127.1', '[::ffff:127.0.0.1]']) {
    const asked = { url: `http://${host}:1/`, headers: {}, body: '', timeoutMs: 5_000, mayBePrivate: false }
    const outcome = await post(asked)
    assert.equal(outcome.kind, 'refused', host)
  }
})
