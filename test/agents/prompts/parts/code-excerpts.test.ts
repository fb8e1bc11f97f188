// What prompts show of code: lines around findings, and hunks of the change that was reviewed, in whatever language, of whatever length.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  type IssueLocation,
  renderExcerpts,
  type SourceFile,
} from '../../../../src/agents/prompts/parts/code-excerpts.ts'
import { renderNearbyHunks } from '../../../../src/agents/prompts/parts/diff-excerpts.ts'

const LONG = Array.from({ length: 300 }, (_, index) => `line ${index + 1}`).join('\n')
const PLENTY = 100_000
const spot = (issue_code: string, line?: string, file = 'a.py'): IssueLocation => ({
  issue_code,
  file,
  ...(line === undefined ? {} : { line }),
})
const text = (content: string): SourceFile => ({ kind: 'text', text: content })

function shown(spots: readonly IssueLocation[], content: string | SourceFile, limit = PLENTY): string {
  return renderExcerpts(spots, new Map([['a.py', typeof content === 'string' ? text(content) : content]]), limit)
}
const heads = (all: string): string[] => all.split('\n').filter((line) => line.startsWith('a.py'))

test('of a file the numbered lines around each finding are shown, and findings near each other share a piece [S4-7]', () => {
  const one = shown([spot('A', '150-152')], LONG).split('\n')
  assert.deepEqual(
    [one[0], one[1], one.at(-1)],
    ['a.py, lines 130 to 172 of 300 (A at 150-152)', '130  line 130', '172  line 172'],
  )
  const three = shown([spot('A', '100'), spot('C', '250'), spot('B', '135')], LONG)
  assert.deepEqual(heads(three), [
    'a.py, lines 80 to 155 of 300 (A at 100, B at 135)',
    'a.py, lines 230 to 270 of 300 (C at 250)',
  ])
  assert.equal(three.split('110  line 110').length, 2, 'no line stands twice')
  // Of a finding without a line the beginning; of lines that are gone the end; of half a file both its ends.
  assert.deepEqual(heads(shown([spot('A')], LONG)), ['a.py, lines 1 to 21 of 300 (A)'])
  assert.deepEqual(heads(shown([spot('A', '9999')], LONG)), ['a.py, lines 280 to 300 of 300 (A at 9999)'])
  assert.deepEqual(heads(shown([spot('A', '20-290')], LONG)), [
    'a.py, lines 1 to 80 of 300 (A at 20-290)',
    'a.py, lines 230 to 300 of 300 (A at 20-290)',
  ])
  assert.deepEqual(heads(shown([spot('A', '67-45')], LONG)), ['a.py, lines 25 to 87 of 300 (A at 67-45)'])
  assert.equal(shown([spot('A', '1')], 'one\r\ntwo\r\n'), 'a.py, lines 1 to 2 of 2 (A at 1)\n1  one\n2  two')
})

test('what is missing, huge, binary or minified is said, and fills no prompt [S4-7]', () => {
  assert.equal(shown([spot('A', '3')], { kind: 'no_file' }), 'a.py (A at 3): there is no such file')
  assert.equal(renderExcerpts([spot('A')], new Map(), PLENTY), 'a.py (A): there is no such file')
  assert.match(
    shown([spot('A')], { kind: 'too_long', bytes: 5e9 }),
    /^a\.py \(A\): a file of 5000000000 bytes, which is not shown$/,
  )
  for (const binary of ['ELF\0\0', '\ufffd'.repeat(50)])
    assert.equal(shown([spot('A')], binary), 'a.py (A): not a text')
  const minified = shown([spot('A', '1')], `${'🙂'.repeat(100_000)}\nlast`)
  assert.ok(minified.length < 500)
  assert.ok(minified.isWellFormed(), 'no character is cut in two')
  assert.match(minified, / … \(200000 characters\)\n2 {2}last$/)
})

test('where not all fits, every finding keeps some lines rather than the first ones all [S4-7]', () => {
  const spots = Array.from({ length: 7 }, (_, index) => spot(`A${index}`, `${20 + index * 40}`))
  const small = shown(spots, LONG, 1500)
  assert.ok(small.length <= 1500, `${small.length}`)
  assert.equal(heads(small).length, 7)
  for (const { line } of spots) assert.ok(small.includes(`\n${line}  line ${line}`), `${line}`)
  assert.ok(shown(spots, LONG).length > 3000)
})

test('whatever findings and files say, an excerpt names every finding and shows only lines that are there', () => {
  const lines = fc.oneof(
    fc.constant(undefined),
    fc.string(),
    fc.nat(400).map(String),
    fc.tuple(fc.nat(400), fc.nat(400)).map((ab) => ab.join('-')),
  )
  fc.assert(
    fc.property(
      fc.array(lines, { minLength: 1, maxLength: 8 }),
      fc.string({ unit: 'binary', maxLength: 2000 }),
      (all, content) => {
        const spots = all.map((line, index) => spot(`A${index}`, line?.replaceAll('\n', ' ')))
        const result = shown(spots, content.replaceAll('\0', ''))
        for (const { issue_code } of spots) assert.ok(result.includes(issue_code))
      },
    ),
  )
})

const DIFF = `diff --git a/a.py b/a.py
index 1..2 100644
--- a/a.py
+++ b/a.py
@@ -10,6 +10,7 @@ def f():
 line 10
 line 11
-line 12
+line twelve
+line 12b
 line 13
 line 14
 line 15
@@ -200,2 +201,1 @@ def g():
 line 201
-gone
diff --git a/old.py b/old.py
deleted file mode 100644
--- a/old.py
+++ /dev/null
@@ -1 +0,0 @@
-x
diff --git a/has blank.py b/has blank.py
new file mode 100644
--- /dev/null
+++ b/has blank.py\t
@@ -0,0 +1,2 @@
+one
+diff --git a/a.py b/a.py
`

test('of the change under review the hunks near a finding are shown, with the line numbers that the finding has [S4-7]', () => {
  assert.deepEqual(
    renderNearbyHunks(DIFF, [spot('A', '12')], PLENTY)
      .split('\n')
      .slice(0, 6),
    ['a.py (A)', '10   line 10', '11   line 11', '12 - line 12', '12 + line twelve', '13 + line 12b'],
  )
  assert.equal(renderNearbyHunks(DIFF, [spot('B', '215')], PLENTY), 'a.py (B)\n201   line 201\n202 - gone')
  const both = renderNearbyHunks(DIFF, [spot('A', '12'), spot('B', '201')], PLENTY)
  assert.match(both, /^a\.py \(A, B\)\n10 {3}line 10\n[\s\S]*\n…\n201 {3}line 201\n202 - gone$/)
  assert.equal(renderNearbyHunks(DIFF, [spot('A', '100')], PLENTY), '', 'nothing near it was changed')
  assert.equal(renderNearbyHunks(DIFF, [spot('A', '12', 'b.py'), spot('B', '1', 'old.py')], PLENTY), '')
  assert.match(
    renderNearbyHunks(DIFF, [spot('A')], PLENTY),
    /line twelve[\s\S]*gone/,
    'a finding without a line is about all of it',
  )
  assert.match(
    renderNearbyHunks(DIFF, [spot('A', '1', 'has blank.py')], PLENTY),
    /^has blank\.py \(A\)\n1 \+ one\n2 \+ diff --git a\/a\.py b\/a\.py$/,
  )
})

test('a hunk that is long is cut down to the lines around the finding [S4-7]', () => {
  const added = Array.from({ length: 500 }, (_, index) => `+new ${index + 1}`).join('\n')
  const diff = `diff --git a/a.py b/a.py\nnew file mode 100644\n--- /dev/null\n+++ b/a.py\n@@ -0,0 +1,500 @@\n${added}\n`
  const [, first, ...rest] = renderNearbyHunks(diff, [spot('A', '250')], PLENTY).split('\n')
  assert.deepEqual([first, rest.at(-1), rest.length], ['230 + new 230', '270 + new 270', 40])
  assert.match(renderNearbyHunks(diff, [spot('A', '250')], 150), /^a\.py \(A\)\n247 \+ new 247\n/)
})
