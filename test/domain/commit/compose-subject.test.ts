import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type CommitStyle, DEFAULT_STYLE } from '../../../src/domain/commit/commit-style.ts'
import {
  composeSubjectFromSummaries,
  composeSubjectFromTitles,
  composeSubjectFromWords,
} from '../../../src/domain/commit/compose-subject.ts'

const PLAIN: CommitStyle = { ...DEFAULT_STYLE, prefix: 'none', isCapitalised: true }
const PAST: CommitStyle = { ...PLAIN, mood: 'past', hasFullStop: true }

function content(summary: string, title = 'The sum is wrong', files: readonly string[] = ['src/sum.py']) {
  return { issues: [{ issue_code: 'BO-201', title, summary }], files, codes: ['BO-201', 'BO-202'] }
}

test('composeSubjectFromSummaries says what was done, in the mood of the log', () => {
  const cases: readonly (readonly [summary: string, plain: string, past: string, typed: string])[] = [
    [
      'Added a null check before the loop.',
      'Add a null check before the loop',
      'Added a null check before the loop.',
      'fix: add a null check before the loop',
    ],
    [
      'This change returns early and skips the loop. It also logs.',
      'Return early and skip the loop',
      'Returned early and skipped the loop.',
      'fix: return early and skip the loop',
    ],
    [
      'BO-201: Compare the keys first',
      'Compare the keys first',
      'Compared the keys first.',
      'fix: compare the keys first',
    ],
    [
      '[BO-201] I now guard against `None`; tests pass',
      'Guard against `None`',
      'Guarded against `None`.',
      'fix: guard against `None`',
    ],
    [
      'Using the lock (BO-202) in both paths',
      'Use the lock in both paths',
      'Used the lock in both paths.',
      'fix: use the lock in both paths',
    ],
    [
      'slugify() now keeps digits, e.g. 2nd.',
      'slugify() now keeps digits, e.g. 2nd',
      'slugify() now keeps digits, e.g. 2nd.',
      'fix: slugify() now keeps digits, e.g. 2nd',
    ],
    [
      'fix(core): fixed the off-by-one in paging',
      'Fix the off-by-one in paging',
      'Fixed the off-by-one in paging.',
      'fix: the off-by-one in paging',
    ],
    [
      '- OrderedMultiDict compares values too',
      'OrderedMultiDict compares values too',
      'OrderedMultiDict compares values too.',
      'fix: OrderedMultiDict compares values too',
    ],
  ]
  for (const [summary, plain, past, typed] of cases) {
    assert.equal(composeSubjectFromSummaries(content(summary), PLAIN), plain)
    assert.equal(composeSubjectFromSummaries(content(summary), PAST), past)
    assert.equal(composeSubjectFromSummaries(content(summary), DEFAULT_STYLE), typed)
  }
})

test('composeSubjectFromSummaries takes no words that say nothing, name a code or repeat the finding', () => {
  for (const summary of [
    '',
    ' \n',
    'Done.',
    'Fixed it',
    'Fixed the issue as suggested.',
    'Changed what BO-201 names.',
    'The sum is wrong',
    'Fixed the wrong sum',
  ])
    assert.equal(composeSubjectFromSummaries(content(summary), PLAIN), undefined, summary)
})

test('composeSubjectFromSummaries cuts before a clause, and never inside a word, quotes or brackets', () => {
  const cut = (summary: string) => composeSubjectFromSummaries(content(summary), DEFAULT_STYLE)
  assert.equal(
    cut(
      'Compare both the keys and the values of the other mapping, because a mapping with equal keys alone was taken for equal',
    ),
    'fix: compare both the keys and the values of the other mapping',
  )
  assert.equal(
    cut('Reject the token when it has expired and the clock of the machine is not behind that of the server'),
    'fix: reject the token when it has expired',
  )
  assert.equal(cut(`Raise ${'ValueError'.repeat(8)} at once`), undefined)
  assert.equal(
    cut(`Pass \`a and b and c and d and e and f and g and h and i and j and k and l and m and n\` on`),
    undefined,
  )
})

test('composeSubjectFromSummaries takes a dash in a formula or in brackets for no end of a sentence', () => {
  const of = (summary: string) => composeSubjectFromSummaries(content(summary), DEFAULT_STYLE)
  assert.equal(of('Pages start at (number - 1) * size.'), 'fix: pages start at (number - 1) * size')
  assert.equal(of('Start pages at number - 1 - they began too late'), 'fix: start pages at number - 1')
  assert.equal(of('Return total (net - tax) - it was gross'), 'fix: return total (net - tax)')
})

test('composeSubjectFromSummaries goes to the point, and leaves no clause half', () => {
  const of = (summary: string) => composeSubjectFromSummaries(content(summary), PLAIN)
  assert.equal(
    of('Added an isinstance check in OrderedMultiDict.__eq__ so that only mappings with equal items are equal'),
    'Add an isinstance check in OrderedMultiDict.__eq__',
  )
  assert.equal(
    of('Fixed a race condition in Pool.close() where the lock was released before the workers had been joined'),
    'Fix a race condition in Pool.close()',
  )
  assert.equal(of('Updated the code to correctly handle None values and added a regression test'), 'Handle None values')
  assert.equal(of('Modified file strutils.py to fix the issue'), undefined)
})

test('composeSubjectFromSummaries joins two issues, and leaves more to the rules', () => {
  const [a, b] = ['Add a null check', 'Close the file'].map((summary, at) => ({
    issue_code: `A-${at}`,
    title: 'x',
    summary,
  }))
  const both = { files: ['a.py'], codes: ['A-0', 'A-1'] }
  assert.equal(composeSubjectFromSummaries({ ...both, issues: [a!, b!] }, PLAIN), 'Add a null check and close the file')
  assert.equal(
    composeSubjectFromSummaries({ ...both, issues: [a!, { ...b!, summary: a!.summary }] }, PLAIN),
    'Add a null check',
  )
  assert.equal(
    composeSubjectFromSummaries({ ...both, issues: [a!, b!, { ...b!, summary: 'Drop the cache' }] }, PLAIN),
    undefined,
  )
})

test('composeSubjectFromTitles makes a subject of the finding where there are no other words', () => {
  const of = (title: string, style = PLAIN, files?: readonly string[]) =>
    composeSubjectFromTitles(content('', title, files), style)
  assert.equal(of('Missing null check'), 'Fix missing null check')
  assert.equal(of('BO-201: Missing null check.'), 'Fix missing null check')
  assert.equal(of('Missing null check', PAST), 'Fixed missing null check.')
  assert.equal(of('Missing null check', DEFAULT_STYLE), 'fix: missing null check')
  assert.equal(of('Validate the token'), 'Validate the token')
  assert.equal(of('OrderedMultiDict equals any mapping'), 'Fix OrderedMultiDict equals any mapping')
  assert.equal(of('…'), 'Fix an issue in sum.py')
  assert.equal(of('x'.repeat(90), DEFAULT_STYLE), 'fix: an issue in sum.py')
  assert.equal(of('x'.repeat(90), DEFAULT_STYLE, ['y'.repeat(90)]), 'fix: an issue of a review')
})

test('composeSubjectFromTitles names the files of several issues', () => {
  const issues = ['One', 'Two', 'Three'].map((title, at) => ({ issue_code: `A-${at}`, title, summary: '' }))
  const of = (files: readonly string[]) => composeSubjectFromTitles({ issues, files, codes: [] }, PLAIN)
  assert.equal(of(['src/a.py', 'src/b.py', 'lib/c.py']), 'Fix 3 issues in a.py, b.py and c.py')
  assert.equal(of(Array.from({ length: 12 }, (_, at) => `src/module_${at}.py`)), 'Fix 3 issues in 12 files')
})

test('composeSubjectFromWords puts the words of an agent into the manner of the log', () => {
  assert.equal(
    composeSubjectFromWords('Fix(core): Rejects an expired token.', content(''), DEFAULT_STYLE),
    'fix: reject an expired token',
  )
  assert.equal(composeSubjectFromWords('BO-201', content(''), DEFAULT_STYLE), undefined)
})

test('a scope or area is one that the log uses and every source file lies in', () => {
  const typed: CommitStyle = { ...DEFAULT_STYLE, scopes: ['cli', 'src', 'parser'] }
  const of = (files: readonly string[], style = typed) =>
    composeSubjectFromSummaries(content('Close the file', 'x', files), style)
  assert.equal(of(['src/parser/read.ts', 'test/parser/read.test.ts']), 'fix(parser): close the file')
  assert.equal(of(['src/parser/read.ts', 'src/cli/main.ts']), 'fix(src): close the file')
  assert.equal(of(['lib/x.ts']), 'fix: close the file')
  const area: CommitStyle = { ...PLAIN, prefix: 'area', scopes: ['net/http', 'os'], isCapitalised: false }
  assert.equal(of(['net/http/server.go', 'net/http/server_test.go'], area), 'net/http: close the file')
  assert.equal(of(['io/pipe.go'], area), 'close the file')
})

test('a subject keeps to its limit and is one whole line, whatever the words', () => {
  const Words = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.lorem({ maxCount: 30 }),
    fc.constantFrom('', 'Fixed it.', 'Adds `x` and (y'),
  )
  const Style = fc.record({
    prefix: fc.constantFrom('type', 'area', 'none' as const),
    fixType: fc.constantFrom('fix', 'Fix'),
    scopes: fc.constantFrom([], ['src']),
    isCapitalised: fc.boolean(),
    mood: fc.constantFrom('imperative', 'present', 'past' as const),
    maxLength: fc.integer({ min: 50, max: 72 }),
    hasFullStop: fc.boolean(),
  }) as fc.Arbitrary<CommitStyle>
  fc.assert(
    fc.property(fc.array(fc.tuple(Words, Words), { minLength: 1, maxLength: 4 }), Style, (made, style) => {
      const issues = made.map(([title, summary], at) => ({ issue_code: `BO-${at}`, title, summary }))
      const all = { issues, files: ['src/a.py', 'b.py'], codes: issues.map(({ issue_code }) => issue_code) }
      const subject = composeSubjectFromSummaries(all, style) ?? composeSubjectFromTitles(all, style)
      assert.ok([...subject].length <= style.maxLength, subject)
      assert.doesNotMatch(subject, /…|\n/)
      assert.match(subject, /\S/)
    }),
  )
})
