// docs/security.md says what is tried, and what holds: as the cases have it, none forgotten and none made up.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { packageRoot } from '../../src/runtime/home/package-root.ts'
import { CLASSES, ELSEWHERE, tableOf } from './table.ts'

const read = (name: string) => readFileSync(join(packageRoot(), name), 'utf8')

test('there are eight hostile inputs or more in each of five classes, and no two of one name', () => {
  assert.equal(CLASSES.length, 5)
  for (const { title, cases } of CLASSES) {
    assert.ok(cases.length >= 8, title)
    assert.equal(new Set(cases.map(({ input }) => input)).size, cases.length, title)
  }
})

test('docs/security.md prints the table of hostile inputs as the cases have it', () => {
  const text = read('docs/security.md')
  const tables = CLASSES.map(tableOf).join('\n\n')
  assert.ok(text.includes(tables), `docs/security.md should hold this:\n${tables}`)
})

test('the tests elsewhere that the table names are there', () => {
  for (const { file, title } of ELSEWHERE) assert.ok(read(file).includes(title), `${file}: ${title}`)
})
