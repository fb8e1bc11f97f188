import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseDiff } from '../../../src/domain/text/unified-diff.ts'
import { findCommentPlace } from '../../../src/domain/vote/comment-place.ts'

const DIFF = `diff --git a/src/old.ts b/src/new.ts
similarity index 90%
rename from src/old.ts
rename to src/new.ts
--- a/src/old.ts
+++ b/src/new.ts
@@ -10,4 +10,5 @@ function one() {
 ten
-eleven
+eleven, anew
+twelve, new
 twelve\r
 thirteen
@@ -40,2 +41,2 @@
-forty
+forty-one
 last
diff --git a/gone.ts b/gone.ts
deleted file mode 100644
--- a/gone.ts
+++ /dev/null
@@ -1,2 +0,0 @@
-one
-two
diff --git a/picture.png b/picture.png
Binary files a/picture.png and b/picture.png differ
`

const place = (file: string, side: 'new' | 'old', line: number, end_line = line) =>
  findCommentPlace({ file, side, anchor: { kind: 'anchored', line, end_line } }, parseDiff(DIFF))

test('a comment stands on shown lines of its side, context included, by the new name of the file', () => {
  const at = { path: 'src/new.ts' }
  assert.deepEqual(place('src/new.ts', 'new', 12), { ...at, side: 'RIGHT', line: 12 })
  assert.deepEqual(place('src/new.ts', 'new', 14), { ...at, side: 'RIGHT', line: 14 })
  assert.deepEqual(place('src/old.ts', 'old', 11), { ...at, side: 'LEFT', line: 11 })
  assert.deepEqual(place('src/old.ts', 'old', 40), { ...at, side: 'LEFT', line: 40 })
  assert.deepEqual(place('gone.ts', 'old', 2), { path: 'gone.ts', side: 'LEFT', line: 2 })
  assert.deepEqual(place('src/new.ts', 'new', 11, 12), { ...at, side: 'RIGHT', line: 12, start_line: 11 })
})

test('a comment over two hunks keeps its first line, and one that no hunk shows stands nowhere', () => {
  assert.deepEqual(place('src/new.ts', 'new', 13, 41), { path: 'src/new.ts', side: 'RIGHT', line: 13 })
  for (const [file, side, line] of [
    ['src/new.ts', 'new', 15],
    ['src/new.ts', 'new', 9],
    ['src/old.ts', 'new', 11],
    ['src/new.ts', 'old', 14],
    ['gone.ts', 'new', 1],
    ['picture.png', 'new', 1],
    ['other.ts', 'new', 1],
  ] as const)
    assert.equal(place(file, side, line), undefined, `${file}:${line}`)
  const unanchored = { kind: 'unanchored', note: '' } as const
  assert.equal(findCommentPlace({ file: 'gone.ts', side: 'old', anchor: unanchored }, parseDiff(DIFF)), undefined)
})
