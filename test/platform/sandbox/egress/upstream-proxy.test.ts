// Which proxy an endpoint is reached through, as the operator's environment says.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findUpstreamProxy } from '../../../../src/platform/sandbox/egress/upstream-proxy.ts'

const HTTPS_PROXY = 'http://me:p%40ss@proxy.example.com:3128'
const model = { host: 'api.example.com', port: 443 }

test('a proxy is used with its password, and where none is set there is none', () => {
  const through = findUpstreamProxy(model, 'https', { HTTPS_PROXY })
  const expected = `Basic ${Buffer.from('me:p@ss').toString('base64')}`
  assert.deepEqual(through, { host: 'proxy.example.com', port: 3128, headers: { 'proxy-authorization': expected } })
  assert.equal(findUpstreamProxy(model, 'http', { HTTPS_PROXY }), undefined)
  assert.equal(findUpstreamProxy(model, 'https', { ALL_PROXY: 'proxy:1' })?.host, 'proxy')
})

test('a proxy that somebody wrote down wrongly ends nobody’s process: it is asked for by every connection', () => {
  const odd = findUpstreamProxy(model, 'https', { HTTPS_PROXY: 'http://me:100%@proxy:1' })
  assert.equal(odd?.headers['proxy-authorization'], `Basic ${Buffer.from('me:100%').toString('base64')}`)
  assert.equal(findUpstreamProxy(model, 'https', { HTTPS_PROXY: 'http://:port' }), undefined)
})

for (const [NO_PROXY, isExcepted] of [
  ['api.example.com', true],
  ['example.com', true],
  ['.example.com:443', true],
  ['*', true],
  ['localhost, *.EXAMPLE.com', true],
  ['example.com:8443', false],
  ['ample.com', false],
  ['', false],
] as const) {
  test(`NO_PROXY=${NO_PROXY} ${isExcepted ? 'excepts' : 'does not except'} ${model.host}`, () => {
    assert.equal(findUpstreamProxy(model, 'https', { HTTPS_PROXY, NO_PROXY }) === undefined, isExcepted)
  })
}

test('no_proxy counts before NO_PROXY, unless it is empty, as it does for git', () => {
  const isExempt = (no_proxy: string, NO_PROXY: string) =>
    findUpstreamProxy(model, 'https', { HTTPS_PROXY, no_proxy, NO_PROXY }) === undefined
  assert.deepEqual(
    [isExempt(model.host, 'x'), isExempt('x', model.host), isExempt('', model.host)],
    [true, false, true],
  )
})
