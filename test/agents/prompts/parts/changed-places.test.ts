// The changed places of a diff: whole functions where they fit, else their first lines and what is around the change.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listChangedNames, renderChangedPlaces } from '../../../../src/agents/prompts/parts/changed-places.ts'
import type { SourceFile } from '../../../../src/agents/prompts/parts/code-excerpts.ts'

const sourceOf = (...lines: readonly string[]) =>
  new Map<string, SourceFile>([['a.py', { kind: 'text', text: `${lines.join('\n')}\n` }]])
const body = (count: number) => Array.from({ length: count }, (_, index) => `    line_${index + 2}()`)
const diffAt = (line: number, text: string) =>
  `diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -${line},0 +${line},1 @@\n+${text}\n`

test('a function that is too long is shown by its first line and the lines around the change', () => {
  const lines = ['def long():', ...body(200)]
  const shown = renderChangedPlaces(diffAt(100, lines[99] ?? ''), sourceOf(...lines), 10_000).split('\n')
  assert.deepEqual(shown.slice(0, 4), [
    'a.py, lines 1 to 1 of 201',
    '1   def long():',
    '',
    'a.py, lines 71 to 129 of 201',
  ])
  assert.ok(shown.includes('100 +     line_100()'))
})

test('with little room every place has fewer lines, and none is left out', () => {
  const lines = [...body(300).map((line) => line.trim()), 'x = 1']
  const diff = `${diffAt(50, 'line_51()')}@@ -250,0 +250,1 @@\n+line_251()\n`
  const [roomy, tight] = [10_000, 600].map((limit) => renderChangedPlaces(diff, sourceOf(...lines), limit))
  assert.ok((roomy?.length ?? 0) > (tight?.length ?? 0))
  for (const shown of [roomy, tight])
    for (const line of ['50 + line_51()', '250 + line_251()']) assert.ok(shown?.includes(line), line)
})

test('a place outside of any function, a removed line and a deleted file', () => {
  const removed = 'diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -2,2 +2,1 @@\n-gone()\n stays()\n'
  assert.equal(
    renderChangedPlaces(removed, sourceOf('first()', 'stays()'), 1000),
    'a.py, lines 1 to 2 of 2\n1   first()\n2   stays()',
  )
  const deleted = 'diff --git a/a.py b/a.py\ndeleted file mode 100644\n--- a/a.py\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-x\n'
  assert.equal(renderChangedPlaces(deleted, new Map(), 1000), '')
  assert.deepEqual(listChangedNames(removed, sourceOf('def f():', '    stays()')), ['f'])
})

test('what can not be shown as text is left out: a huge file, a binary one, one that is not there', () => {
  const diff = diffAt(1, 'x')
  const sources: SourceFile[] = [{ kind: 'too_long', bytes: 9 }, { kind: 'no_file' }, { kind: 'text', text: 'a\0b' }]
  for (const source of sources) assert.equal(renderChangedPlaces(diff, new Map([['a.py', source]]), 1000), '')
})
