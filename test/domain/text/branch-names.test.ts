import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { composeBranchName, isSafeBranchName, toSlug } from '../../../src/domain/text/branch-names.ts'

const issue = (title: string, issue_code = 'FUNC-001') => ({ issue_code, title })

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

test('isSafeBranchName takes only characters that mean nothing to a shell [S4-17]', () => {
  for (const name of ['fix/a-b_c.1', 'x']) assert.equal(isSafeBranchName(name), true, name)
  for (const name of ['-x', 'fix/$(x)', 'fix/a;b', 'fix/`x`', 'fix/\u202ex', 'fix/a b', '../x', ''])
    assert.equal(isSafeBranchName(name), false, name)
})
