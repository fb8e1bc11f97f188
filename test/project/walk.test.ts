// The walk of a fix, as docs/development/walk-of-a-fix.md tells it, is the walk of the code.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { packageRoot } from '../../src/runtime/home/package-root.ts'

/** The lengths that the walk once had; less is better. */
const [MOST_FUNCTIONS, MOST_FILES] = [157, 103]

const PAGE = readFileSync(join(packageRoot(), 'docs/development/walk-of-a-fix.md'), 'utf8')

interface Hop {
  readonly file: string
  readonly name: string
  /** Temporal or a worker calls it, so no file before it names it. */
  readonly isCalledByName: boolean
}

const hops = [...PAGE.matchAll(/^- `(src\/[^`]+)`( \(called by name\))?: (.+)$/gm)].flatMap(
  ([, file = '', byName, names = '']) =>
    names.split(' → ').map(
      (quoted, index): Hop => ({
        file,
        name: quoted.replaceAll('`', ''),
        isCalledByName: byName !== undefined && index === 0,
      }),
    ),
)

function read(file: string): string {
  const path = join(packageRoot(), file)
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}

function isNamed(name: string, text: string): boolean {
  return new RegExp(`\\b${name}\\b`).test(text)
}

test('the walk of a fix names functions that are where it says', () => {
  const lost = hops.filter(
    ({ file, name }) => !new RegExp(`^(?:export )?(?:async )?(?:function|const) ${name}\\b`, 'm').test(read(file)),
  )
  assert.deepEqual(lost, [])
})

test('the walk of a fix goes on only to what a file before it calls', () => {
  const stray = hops.filter(
    ({ name, isCalledByName }, index) =>
      index > 0 && !isCalledByName && !hops.slice(0, index).some(({ file }) => isNamed(name, read(file))),
  )
  assert.deepEqual(stray, [])
})

test('the walk of a fix is as long as it says, and no longer than it was', () => {
  const [, functions, files] = /(\d+) functions in (\d+) files/.exec(PAGE) ?? []
  const counted = [
    new Set(hops.map(({ file, name }) => `${file}:${name}`)).size,
    new Set(hops.map(({ file }) => file)).size,
  ]
  assert.deepEqual([Number(functions), Number(files)], counted)
  assert.equal(hops.length, counted[0], 'a function stands twice')
  assert.ok(counted[0]! <= MOST_FUNCTIONS && counted[1]! <= MOST_FILES, `${counted}`)
})
