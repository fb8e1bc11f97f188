import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isMeantAsUrl, isNamedHost, parseRemoteUrl } from '../../../src/domain/repository/remote-url.ts'

function parsed(text: string): string {
  const remote = parseRemoteUrl(text)
  return remote.kind === 'remote' ? `${remote.scheme} ${remote.host}:${remote.port} ${remote.url}` : 'unusable'
}

test('addresses by https and ssh are read, and written in one way', () => {
  assert.equal(parsed('https://GitHub.com/acme/shop.git'), 'https github.com:443 https://github.com/acme/shop.git')
  assert.equal(
    parsed('https://git.example.com:8443/a/b/'),
    'https git.example.com:8443 https://git.example.com:8443/a/b',
  )
  assert.equal(parsed('git@github.com:acme/shop.git'), 'ssh github.com:22 ssh://git@github.com/acme/shop.git')
  assert.equal(parsed('ssh://git@[::1]:2222/~me/x'), 'ssh [::1]:2222 ssh://git@[::1]:2222/~me/x')
  assert.equal(parsed('https://dev.example.com/My%20Project/_git/x').startsWith('https dev'), true)
})

test('any other protocol, an option, a secret and a path that leads out are refused', () => {
  for (const text of [
    'http://github.com/a/b',
    'git://github.com/a/b',
    'file:///etc',
    'ext::sh -c id',
    'fd::3',
    'ftp://x/y',
    'https://user@github.com/a',
    'https://user:secret@github.com/a',
    'ssh://git:secret@github.com/a',
    'ssh://-oProxyCommand=id/a',
    'ssh://git@-oProxyCommand=id/a',
    '-oProxyCommand=id@host:a',
    'https:///a',
    'https://github.com/',
    'https://github.com/../a',
    'https://github.com/a/%2e%2e/b',
    'https://github.com/a/%2fb',
    'https://github.com/a/-b',
    'https://github.com/a b',
    'https://github.com/a\nb',
    'https://github.com/a?x=1',
    'https://github.com/a#b',
    'https://git hub.com/a',
    'https://github.com:0/a',
    'https://github.com:99999/a',
    'https://127.0.0.1\\@github.com/a',
  ])
    assert.equal(parsed(text), 'unusable', text)
})

test('a host is named with its port unless that is the usual one', () => {
  const named = (text: string, ...hosts: string[]) => {
    const remote = parseRemoteUrl(text)
    assert.ok(remote.kind === 'remote')
    return isNamedHost(remote, hosts)
  }
  assert.ok(named('https://github.com/a', 'GitHub.com'))
  assert.ok(named('ssh://git@github.com/a', 'github.com'))
  assert.ok(named('https://github.com:8443/a', 'github.com:8443'))
  assert.ok(!named('https://github.com:8443/a', 'github.com'))
  assert.ok(!named('https://github.com.evil.example/a', 'github.com'))
  assert.ok(!named('https://sub.github.com/a', 'github.com'))
  assert.ok(!named('https://github.com/a'))
})

test('folders are not taken for addresses', () => {
  for (const url of ['https://a/b', 'ext::x', 'file:///x', 'git@host:x']) assert.ok(isMeantAsUrl(url), url)
  for (const folder of ['.', '../my-app', '/srv/app', 'my-app', 'a:b/c', './git@host:x'])
    assert.ok(!isMeantAsUrl(folder), folder)
})
