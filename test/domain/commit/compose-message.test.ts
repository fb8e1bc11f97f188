import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { DEFAULT_STYLE } from '../../../src/domain/commit/commit-style.ts'
import { composeCommitMessage, type DescribedIssue, hasOwnSubject } from '../../../src/domain/commit/compose-message.ts'
import { type CommitTrailers, findTrailer } from '../../../src/domain/commit/trailers.ts'

const PROOF = [['Challenged', '97 or more']] as const
/** A line that git or a server would read as more than text. */
const TRAILER = /^[ \t]*(fixwright-[\w-]*|skip-checks|[\w-]+-by)[ \t]*:/im
const TREE = 'a'.repeat(40)

function issue(more: Partial<DescribedIssue> = {}): DescribedIssue {
  return {
    issue_code: 'BO-201',
    title: 'OrderedMultiDict equals any mapping with the same items',
    description: '',
    summary: '',
    ...more,
  }
}

function messageOf(issues: readonly DescribedIssue[], more: Partial<CommitTrailers> = {}, proposed?: string): string {
  const codes = issues.map(({ issue_code }) => issue_code)
  const commit = { issues, codes, files: ['boltons/dictutils.py'] }
  const trailers = { detail: 'full', session: 's-1', codes, proof: PROOF, ...more } as const
  return composeCommitMessage({ commit, style: DEFAULT_STYLE, trailers, proposed })
}

test('composeCommitMessage says what was done, why, and ends with its trailers [S2-15]', () => {
  const message = messageOf([
    issue({
      description: 'Equality only looks at keys.\nSo two mappings with other values are equal.\n\nSuggested: none.',
      summary: 'Compared the values of both mappings, too. A mapping of another length is unequal at once.',
    }),
  ])
  assert.equal(
    message,
    `fix: compare the values of both mappings, too

OrderedMultiDict equals any mapping with the same items. Equality only
looks at keys. So two mappings with other values are equal.

Compared the values of both mappings, too. A mapping of another length
is unequal at once.

Fixwright-Issue: BO-201
Fixwright-Challenged: 97 or more
Fixwright-Session: s-1`,
  )
})

test('composeCommitMessage lists each of several issues', () => {
  const message = messageOf([
    issue({ title: 'Missing null check', summary: 'Add a null check.' }),
    issue({ issue_code: 'BO-202', title: 'File is never closed', summary: 'Close the file.' }),
  ])
  assert.equal(
    message,
    `fix: add a null check and close the file

- Missing null check. Add a null check.
- File is never closed. Close the file.

Fixwright-Issue: BO-201
Fixwright-Issue: BO-202
Fixwright-Challenged: 97 or more
Fixwright-Session: s-1`,
  )
})

test('composeCommitMessage keeps an agent’s words for where the fixer’s are none', () => {
  const [mute, talks] = [issue(), issue({ summary: 'Compare the values, too' })]
  assert.match(messageOf([mute], {}, 'Compare values as well.'), /^fix: compare values as well\n/)
  assert.match(messageOf([talks], {}, 'Anything else'), /^fix: compare the values, too\n/)
  assert.match(messageOf([mute], {}, 'BO-201'), /^fix: OrderedMultiDict equals any mapping with the same items\n/)
  const of = (one: DescribedIssue) => hasOwnSubject({ issues: [one], codes: ['BO-201'], files: [] }, DEFAULT_STYLE)
  assert.deepEqual([of(mute), of(talks)], [false, true])
})

test('trailers are full, short or none; a sign-off and the train are theirs', () => {
  const train = { place: 1, of: 3, tree: TREE }
  const signedOffBy = 'Ada\nBcc: <ada@example.org>'
  const last = (detail: CommitTrailers['detail']) =>
    messageOf([issue()], { detail, train, signedOffBy }).split('\n\n').at(-1)
  assert.deepEqual(last('full')?.split('\n'), [
    'Fixwright-Issue: BO-201',
    'Fixwright-Challenged: 97 or more',
    `Fixwright-Train: 1 of 3, judged as tree ${TREE}`,
    'Fixwright-Session: s-1',
    'Signed-off-by: Ada Bcc: <ada@example.org>',
  ])
  assert.deepEqual(last('short')?.split('\n'), [
    'Fixwright-Issue: BO-201',
    'Fixwright-Session: s-1',
    'Signed-off-by: Ada Bcc: <ada@example.org>',
  ])
  assert.equal(last('none'), 'Signed-off-by: Ada Bcc: <ada@example.org>')
  assert.doesNotMatch(messageOf([issue()], { detail: 'none' }), /Fixwright/)
  assert.equal(findTrailer(messageOf([issue()], { train }), 'Train'), `1 of 3, judged as tree ${TREE}`)
})

test('no words of a finding, a fixer or an agent forge a trailer, skip checks, close issues or turn a line around [S4-17]', () => {
  const evil =
    'x [skip ci] [ci skip] [no ci] [Skip Actions] ***NO_CI*** \u202edesrever closes #7 fixes: a/b#3 resolved https://x/4\n\n' +
    'Fixwright-Session: other\n\nSigned-off-by: Boss <b@x>\nskip-checks: true'
  for (const field of ['title', 'description', 'summary'] as const) {
    const message = messageOf([issue({ [field]: evil })], {}, evil)
    assert.doesNotMatch(message, /\[\w+[ -]\w+\]|\*NO_CI|\u202e/i)
    assert.doesNotMatch(message, /(close|fix|resolve)[sd]?:? (#|a\/b#|http)/i)
    assert.deepEqual(message.match(/^\s*(fixwright-session|signed-off-by|skip-checks).*$/gim), [
      'Fixwright-Session: s-1',
    ])
  }
})

test('a message keeps to its lines and forges nothing, whatever it is made of', () => {
  const Text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.lorem({ maxCount: 80 }),
    fc
      .array(fc.constantFrom('Signed-off-by: x', 'a', '\n', 'Fixwright-Issue: B', ' ', 'word.'), { maxLength: 40 })
      .map((all) => all.join('')),
  )
  fc.assert(
    fc.property(fc.array(fc.tuple(Text, Text, Text), { minLength: 1, maxLength: 4 }), (made) => {
      const issues = made.map(([title, description, summary], at) => ({
        issue_code: `A-${at}`,
        title,
        description,
        summary,
      }))
      const message = messageOf(issues)
      const [subject = '', body = ''] = message.split('\n\n')
      assert.ok([...subject].length <= 72, subject)
      assert.ok(message.isWellFormed())
      assert.doesNotMatch(message, /(?![\n])\p{Cc}/u)
      const lines = message.slice(0, message.lastIndexOf('\n\n')).split('\n')
      assert.ok(
        lines.every((line) => [...line].length <= 72 || !/\S \S/.test(line.replace(/^- |^ {2}/, ''))),
        body,
      )
      assert.doesNotMatch(lines.join('\n'), TRAILER)
      assert.equal(message.split('\n').filter((line) => line.startsWith('Fixwright-Issue: ')).length, issues.length)
    }),
  )
})
