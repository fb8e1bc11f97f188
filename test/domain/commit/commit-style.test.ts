import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEFAULT_STYLE, readCommitStyle, stripNumbers } from '../../../src/domain/commit/commit-style.ts'

const log = (subjects: string) =>
  subjects
    .trim()
    .split('\n')
    .map((subject) => subject.trim())

test('readCommitStyle knows conventional subjects, their types and whether fixes have scopes', () => {
  const style = readCommitStyle(
    log(`fix(parser): close the file
      feat(cli): add --json
      fix(store): keep the order (#12)
      chore: bump fast-check from 1.0 to 2.0
      fix(parser): accept an empty line
      docs: say how
      fix(cli): exit with 2`),
  )
  assert.deepEqual(
    [style.prefix, style.fixType, [...style.scopes].sort(), style.isCapitalised, style.mood],
    ['type', 'fix', ['cli', 'parser', 'store'], false, 'imperative'],
  )
  const without = readCommitStyle(log('Fix: A\nFix: B\nFeat: C\nFix: D\nFix(x): E\nDocs: F'))
  assert.deepEqual([without.prefix, without.fixType, without.scopes, without.isCapitalised], ['type', 'Fix', [], true])
  assert.equal(readCommitStyle(log('bugfix: a\nbugfix: b\nfix: c\nfeat: d\nfeat: e')).fixType, 'bugfix')
})

test('readCommitStyle knows areas before the colon, as Go projects have them', () => {
  const style = readCommitStyle(
    log('net/http: fix leak\nnet/http: add test\ncmd/go: drop flag\nos: retry on EINTR\nall: fix typos\nUpdate go.mod'),
  )
  assert.equal(style.prefix, 'area')
  assert.deepEqual([...style.scopes].sort(), ['all', 'cmd/go', 'net/http', 'os'])
})

test('readCommitStyle knows plain subjects, their mood, capitals, full stops and length', () => {
  const past = readCommitStyle(
    log('Fixed the parser.\nAdded a test.\nRemoved dead code.\nMoved x to y.\nUpdated docs.\nSmall cleanup.'),
  )
  assert.deepEqual(
    [past.prefix, past.mood, past.isCapitalised, past.hasFullStop, past.maxLength],
    ['none', 'past', true, true, 50],
  )
  assert.equal(readCommitStyle(log('Fixes a\nAdds b\nRemoves c\nFixes d\nAdds e\nAdd f')).mood, 'present')
  const lower = readCommitStyle(log('fix a\nadd b\nremove c\nkeep d\nuse e'))
  assert.deepEqual(
    [lower.prefix, lower.mood, lower.isCapitalised, lower.hasFullStop],
    ['none', 'imperative', false, false],
  )
  const long = 'Add a very long subject that goes on and on until nobody reads it any more at all'
  assert.equal(readCommitStyle(log(Array(6).fill(long).join('\n'))).maxLength, 72)
})

test('readCommitStyle takes no manner from a few commits, from tools, tickets or numbers', () => {
  assert.equal(readCommitStyle(log('Start\nMore')), DEFAULT_STYLE)
  assert.equal(
    readCommitStyle(log('Merge x\nRevert "y"\n1.2.3\nv1.2.4\nRelease 2.0.0\nfixup! a\nFixed a')),
    DEFAULT_STYLE,
  )
  const tickets = readCommitStyle(log('ABC-1: Fix a\n[ABC-2] Add b\nGH-3: Drop c\n#4 Keep d (#5)\nbpo-6: Use e'))
  assert.deepEqual([tickets.prefix, tickets.isCapitalised], ['none', true])
  assert.equal(stripNumbers('[ABC-12] Fix it (#34)'), 'Fix it')
  assert.equal(stripNumbers('🐛 Fix `x`'), 'Fix `x`')
  assert.equal(stripNumbers('`x` is fixed'), '`x` is fixed')
})
