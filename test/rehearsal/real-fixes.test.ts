// How the difference of two versions is cut into changes, and how these become edits; the real ones are fetched by test/slow/real-fixes.test.ts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { applyPlaces } from '../../rehearsal/real-fixes/apply.ts'
import { changesOf } from '../../rehearsal/real-fixes/edits.ts'
import { readProjects } from '../../rehearsal/real-fixes/projects.ts'

const OLDER = `import os

class Shop:
    def price(self):
        return 1

    def open(self):
        a = 1
        return a

def close():
    return (
        2
    )
`
const NEWER = OLDER.replace('return 1', 'return 10')
  .replace('        a = 1', '        a = 3')
  .replace('\ndef close', '\ndef lock():\n    return 0\n\ndef close')

test('changes of Python are called after the function that they are in, and new functions are changes of their own', () => {
  assert.deepEqual(
    changesOf('shop.py', OLDER, NEWER).map(({ id, place }) => [id, place.start, place.end, place.lines.join('|')]),
    [
      ['Shop.price', 4, 5, '        return 10'],
      ['Shop.open', 7, 8, '        a = 3'],
      ['lock', 9, 9, '|def lock():|    return 0'],
    ],
  )
})

test('changes of Go are called after function, method and variable, and count those of one function', () => {
  const older = 'package p\n\nvar sizes = []int{\n\t1,\n}\n\nfunc (s *Set) Get() int {\n\ta()\n\tb()\n\tc()\n}\n'
  const newer = older.replace('\t1,', '\t1,\n\t2,').replace('a()', 'x()').replace('c()', 'z()')
  assert.deepEqual(
    changesOf('p.go', older, newer).map(({ id }) => id),
    ['sizes', 'Set.Get', 'Set.Get#2'],
  )
})

test('all changes made one after the other, in any order, make the newer version; each edit finds its text once, and not again', () => {
  const places = changesOf('shop.py', OLDER, NEWER).map(({ place }) => place)
  for (const order of [places, places.toReversed()]) {
    const { text, applied } = applyPlaces(OLDER, order)
    assert.equal(text, NEWER)
    let made = OLDER
    for (const edit of applied) {
      assert.equal(made.split(edit.old).length, 2)
      made = made.replace(edit.old, () => edit.new)
      assert.ok(!made.includes(edit.old))
    }
    assert.equal(made, NEWER)
    const lines = NEWER.split('\n')
    for (const [index, edit] of applied.entries()) {
      const [first = 0, last = 0] = edit.lines.split('-').map(Number)
      assert.deepEqual(lines.slice(first - 1, last), order[index]?.lines)
    }
  }
})

test('real fixes: at least 20 of 6 projects in four languages are named', () => {
  const projects = readProjects()
  assert.ok(projects.length >= 6)
  assert.ok(projects.flatMap(({ fixes }) => fixes).length >= 20)
  assert.equal(new Set(projects.map(({ registry }) => registry)).size, 4)
})
