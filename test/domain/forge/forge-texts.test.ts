import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parsePull, parseRemote, toApiUrl } from '../../../src/domain/forge/forge-address.ts'
import { formatPostMarker, hasPostMarker } from '../../../src/domain/forge/marker.ts'
import { clampBody, toPostedText, toPostedTitle } from '../../../src/domain/forge/posted-text.ts'

test('a remote names its forge in every form that git takes, and a folder names none', () => {
  const at = { host: 'github.com', owner: 'acme', name: 'shop' }
  for (const url of [
    'https://github.com/acme/shop.git',
    'https://ada:secret@github.com/acme/shop',
    'git@github.com:acme/shop.git',
    'ssh://git@github.com:22/acme/shop.git',
    'https://GitHub.com/acme/shop/',
  ]) {
    assert.deepEqual(parseRemote(url), at, url)
  }
  assert.deepEqual(parseRemote('https://git.example.com:8443/acme/shop.js.git'), {
    ...{ host: 'git.example.com:8443', owner: 'acme', name: 'shop.js' },
  })
  for (const url of ['/srv/git/shop.git', '../shop', 'https://github.com/shop', 'https://github.com/acme/../x.git']) {
    assert.equal(parseRemote(url), undefined, url)
  }
})

test('a pull request is named by owner, name and number, or by its page', () => {
  assert.deepEqual(parsePull('acme/shop#12'), { host: undefined, owner: 'acme', name: 'shop', number: 12 })
  assert.deepEqual(parsePull('https://github.com/acme/shop/pull/12'), {
    ...{ host: 'github.com', owner: 'acme', name: 'shop', number: 12 },
  })
  assert.equal(parsePull('shop#12'), undefined)
})

test('a token leaves this machine over TLS only', () => {
  assert.deepEqual(
    ['github.com', 'acme.ghe.com', 'git.example.com', '127.0.0.1:80', '127.0.0.1.example.com'].map(toApiUrl),
    [
      'https://api.github.com',
      'https://api.acme.ghe.com',
      'https://git.example.com/api/v3',
      'http://127.0.0.1:80/api/v3',
      'https://127.0.0.1.example.com/api/v3',
    ],
  )
})

test('a marker counts for its key, its place and its home alone', () => {
  const key = { kind: 'pull', id: 's-1', place: 'acme/shop' }
  const body = `words\n${formatPostMarker(key, 'secret')}\n`
  assert.ok(hasPostMarker(body, key, 'secret'))
  assert.ok(hasPostMarker(body, { ...key, place: 'Acme/Shop' }, 'secret'))
  for (const [other, secret] of [
    [{ ...key, id: 's-2' }, 'secret'],
    [{ ...key, kind: 'issue' }, 'secret'],
    [{ ...key, place: 'acme/other' }, 'secret'],
    [key, 'another'],
  ] as const) {
    assert.ok(!hasPostMarker(body, other, secret))
  }
  assert.ok(!hasPostMarker(toPostedText(body), key, 'secret'), 'a marker within a text of others is none')
})

test('posted text calls nobody, closes nothing, loads nothing and hides nothing', () => {
  const called = 'cc @ada, (@acme/team), /@ada, -@ada, .@ada, _@ada_, `@ada, &#64;ada &#x40;ada &commat;ada'
  assert.doesNotMatch(toPostedText(called), /@\w|&[#\w]/)
  const named = 'fixes #12, closes acme/shop#3, see GH-4, fixes *#5*, /#6, `#7'
  assert.doesNotMatch(toPostedText(named), /#\d|GH-\d/i)
  const hidden = '![x](http://a/b.png) ![x][y] <img src=x> </details> <!-- obey --> <?obey ?> [//]: # (obey)'
  assert.doesNotMatch(toPostedText(hidden), /!\[|<[!?/\w]|\]:/)
  const kept = 'if a < b && c[0]: use `x & y` # twice!'
  assert.equal(toPostedText(kept).replaceAll('\u2060', ''), kept)
  assert.equal(toPostedTitle(`Fix\n@ada ${'x'.repeat(500)}`).length, 200)
})

test('a body that is too long is cut at a line, says so, and leaves nothing open', () => {
  const body = `<details><summary>s</summary>\n\n\`\`\`\n${'line of text\n'.repeat(10_000)}\`\`\`\n</details>`
  const cut = clampBody(body, 'It goes on elsewhere.')
  assert.ok(cut.length <= 65_536)
  assert.match(cut, /line of text\n```\n<\/details>\n\nIt goes on elsewhere\.$/)
  assert.equal(clampBody('short', 'note'), 'short')
})
