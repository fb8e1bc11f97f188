import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  composeBranchName,
  composeCommitMessage,
  containsTrailers,
  isSafeBranchName,
  toSlug,
} from '../../../src/domain/text/branch-and-commit-names.ts'

const issue = (title: string, issue_code = 'FUNC-001') => ({ issue_code, title })
const trailers = { session: 's-1', codes: ['FUNC-001'], proof: [['Challenged', '97 or more']] as const }

/** The rules of `git check-ref-format`, as far as a branch name of ours could meet them. */
function isValidBranch(name: string): boolean {
  const parts = name.split('/')
  return (
    /^[a-z0-9/-]+$/.test(name) && parts.every((part) => part !== '' && !part.startsWith('-') && !part.endsWith('.lock'))
  )
}

test('a branch is named after the first title, with a suffix when there are several [S2-5]', () => {
  assert.equal(composeBranchName('fix/', [issue('Missing null check')]), 'fix/missing-null-check')
  const three = [issue('Missing null check'), issue('b'), issue('c')]
  assert.equal(composeBranchName('fix/', three), 'fix/missing-null-check-and-2-more')
})

test('accents are unfolded, and what has no letters of ours falls back to the code [S2-5]', () => {
  assert.equal(toSlug('Über­prüfung der Größe: naïve café'), 'uber-prufung-der-gro-e-naive-cafe')
  assert.equal(composeBranchName('fix/', [issue('🔥🔥🔥', 'SEC.7_a')]), 'fix/sec-7-a')
  assert.equal(composeBranchName('fix/', [issue('修复空指针', '…')]), 'fix/issue')
})

test('a long title is cut between words [S2-5]', () => {
  const slug = toSlug('The parser does not close its file handle when the header is malformed')
  assert.equal(slug, 'the-parser-does-not-close-its-file-handle-when-the')
  assert.equal(toSlug('x'.repeat(80)).length, 50)
})

test('any title at all makes a valid branch name [S2-5]', () => {
  const Title = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ maxLength: 200 }),
    fc.constantFrom('', '-', '..', '@{'),
  )
  fc.assert(
    fc.property(fc.array(Title, { minLength: 1, maxLength: 4 }), (titles) => {
      const name = composeBranchName(
        'fix/',
        titles.map((title) => issue(title)),
      )
      assert.ok(isValidBranch(name), name)
      assert.ok(name.length <= 80)
    }),
  )
})

test('a commit names what it fixes, lists every issue with its code, and ends with its trailers [S2-15]', () => {
  const message = composeCommitMessage([issue('Missing null check'), issue('Wrong sum', 'FUNC-002')], {
    ...trailers,
    codes: ['FUNC-001', 'FUNC-002'],
  })
  assert.equal(
    message,
    `fix: Missing null check and 1 more (FUNC-001, FUNC-002)

- FUNC-001: Missing null check
- FUNC-002: Wrong sum

Fixwright-Issue: FUNC-001
Fixwright-Issue: FUNC-002
Fixwright-Challenged: 97 or more
Fixwright-Session: s-1`,
  )
})

test('a commit that somebody vouches for says so in its last line', () => {
  const message = composeCommitMessage([issue('x')], { ...trailers, signedOffBy: 'Ada\nBcc: <ada@example.org>' })
  assert.match(message, /\nFixwright-Session: s-1\nSigned-off-by: Ada Bcc: <ada@example\.org>$/)
})

test('words that were proposed take the place of the subject and the list, never of the trailers [S2-15]', () => {
  const message = composeCommitMessage(
    [issue('x')],
    trailers,
    '  Guard against null (FUNC-001)\n\nWhy: it crashed.\0\n',
  )
  assert.equal(message.split('\n\n')[0], 'Guard against null (FUNC-001)')
  assert.doesNotMatch(message, /\0/)
  assert.match(message, /\n\nFixwright-Issue: FUNC-001\nFixwright-Challenged: 97 or more\nFixwright-Session: s-1$/)
  assert.match(composeCommitMessage([issue('A title')], trailers, ' \n '), /^fix: A title \(FUNC-001\)/)
})

test('a subject keeps to 72 characters whatever the titles and codes, and cuts none in half [S2-15]', () => {
  const Code = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$/)
  const Title = fc.oneof(fc.string({ unit: 'binary', maxLength: 120 }), fc.string({ unit: 'grapheme', maxLength: 120 }))
  fc.assert(
    fc.property(fc.array(fc.tuple(Title, Code), { minLength: 1, maxLength: 12 }), (made) => {
      const issues = made.map(([title, code]) => issue(title, code))
      const codes = issues.map(({ issue_code }) => issue_code)
      const message = composeCommitMessage(issues, { ...trailers, codes })
      const [subject = '', empty, ...rest] = message.split('\n')
      assert.ok([...subject].length <= 72, subject)
      assert.match(subject, /^fix: \S/)
      assert.equal(empty, '')
      assert.ok(message.isWellFormed())
      assert.doesNotMatch(message, /(?![\n\t])\p{Cc}/u)
      assert.equal(rest.filter((line) => line.startsWith('Fixwright-Issue: ')).length, codes.length)
      assert.equal(rest.filter((line) => line.startsWith('- ')).length, codes.length)
      assert.equal(rest.length, codes.length + 1 + codes.length + 2)
    }),
  )
})

test('a title can not forge a trailer', () => {
  const message = composeCommitMessage([issue('x\n\nFixwright-Session: other')], trailers)
  assert.deepEqual(message.match(/^Fixwright-Session: .*/gm), ['Fixwright-Session: s-1'])
})

test('no words in a title or a proposal have a server skip its checks, turn a line around, or pose as a trailer [S4-17]', () => {
  const evil = 'x [skip ci] [ci skip] [no ci] [Skip Actions] [skip azp] ***NO_CI*** \u202edesrever'
  for (const message of [
    composeCommitMessage([{ issue_code: 'A', title: evil }], trailers),
    composeCommitMessage([{ issue_code: 'A', title: 'x' }], trailers, `A: ${evil}`),
  ])
    assert.doesNotMatch(message, /\[\w+[ -]\w+\]|\*NO_CI|\u202e/i)
  for (const line of [
    'fixwright-issue: B',
    'Fixwright-Session : x',
    'Signed-off-by: Ada <a@b>',
    ' Co-Authored-By: x',
    'skip-checks: true',
  ])
    assert.equal(containsTrailers(`words\n\n${line}\n`), true, line)
  assert.equal(containsTrailers('fix: sort by: name\n\nStand by: the list is sorted.'), false)
  for (const name of ['fix/a-b_c.1', 'x']) assert.equal(isSafeBranchName(name), true, name)
  for (const name of ['-x', 'fix/$(x)', 'fix/a;b', 'fix/`x`', 'fix/\u202ex', 'fix/a b', '../x', ''])
    assert.equal(isSafeBranchName(name), false, name)
})
