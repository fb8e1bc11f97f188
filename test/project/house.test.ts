import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { packageRoot } from '../../src/runtime/home/package-root.ts'
import { importCycles, roomOf, rooms, violations } from './house.ts'
import { importsOf } from './imports.ts'

const source = join(packageRoot(), 'src')

const files = new Map(
  globSync('**/*.ts', { cwd: source }).map((file) => [file, readFileSync(join(source, file), 'utf8')]),
)

for (const room of Object.keys(rooms)) {
  test(`${room} knows only whom it may`, () => {
    const found = [...files].flatMap(([file, text]) => (roomOf(file) === room ? violations(file, text) : []))
    assert.deepEqual(found, [])
  })
}

test('the terminal does not reach into the store that it hands to a use case', () => {
  const reaching = [...files].filter(([file, text]) => file.startsWith('cli/') && /\.store\b/.test(text))
  assert.deepEqual(
    reaching.map(([file]) => file),
    [],
  )
})

test('every file lives in a room of the house', () => {
  assert.deepEqual(
    [...files.keys()].filter((file) => roomOf(file) === undefined),
    [],
  )
})

test('no folder holds more than 16 files', () => {
  const folders = Map.groupBy(files.keys(), dirname)
  const full = [...folders].filter(([, inside]) => inside.length > 16)
  assert.deepEqual(
    full.map(([folder, inside]) => `${folder}: ${inside.length}`),
    [],
  )
})

test('no files know each other in a circle, not by their types either', () => {
  assert.deepEqual(importCycles(files), [])
})

test('a circle of types is found', () => {
  const circle = new Map([
    ['a/a.ts', "import type { B } from '../b.ts'"],
    ['b.ts', "import type { A } from './a/a.ts'"],
    ['c.ts', "import { b } from './b.ts'"],
  ])
  assert.deepEqual(importCycles(circle), [['a/a.ts', 'b.ts']])
})

test('an import of a value is told from one of types only', () => {
  const code = [
    "import type { A } from './a.ts'",
    "import { b, type B } from './b.ts'",
    "import {\n  c,\n  d,\n} from './c.ts'",
    "import * as e from 'e'",
    "export { f } from './f.ts'",
    "export type * from './g.ts'",
    "import './h.ts'",
    "const i = await import('./i.ts')",
    "type J = import('./j.ts').J",
  ].join('\n')
  const kinds = Object.fromEntries(importsOf(code).map(({ specifier, only }) => [specifier, only]))
  assert.deepEqual(kinds, {
    './a.ts': 'type',
    './b.ts': 'value',
    './c.ts': 'value',
    e: 'value',
    './f.ts': 'value',
    './g.ts': 'type',
    './h.ts': 'value',
    './i.ts': 'value',
    './j.ts': 'type',
  })
})

const forbidden: readonly (readonly [file: string, code: string, sentence: string])[] = [
  ['domain/plan/plan.ts', "import { a } from '../../platform/git/a.ts'", 'domain may know nobody'],
  ['domain/plan/plan.ts', "import { a } from 'node:fs'", 'domain has no side effects, node:fs may'],
  ['workflows/x/a.ts', "import { a } from '../../activities/a.ts'", 'workflows may know domain'],
  [
    'workflows/stage/a.ts',
    "import type { a } from '../people/a.ts'",
    'workflows/stage may not know workflows/temporal',
  ],
  ['client/a.ts', "import type { a } from '../store/a.ts'", 'client may know domain and the types of workflows'],
  ['client/a.ts', "import { a } from '../workflows/a.ts'", 'client may know only the types of workflows'],
  ['platform/git/a.ts', "import { a } from '../sandbox/a.ts'", 'platform/git may know platform/processes'],
  ['runtime/settings/a.ts', "import { a } from '../worker/a.ts'", 'runtime/settings may know domain, runtime/home'],
  ['app/a.ts', "import { a } from '../store/sqlite/a.ts'", 'only store may know store/sqlite'],
  ['store/a.ts', "import 'kysely'", 'only store/sqlite may, because the tables are known to the store alone'],
  ['store/a.ts', "import { spawn } from 'node:child_process'", 'who spawns a process must see to its end'],
  [
    'activities/fix/a.ts',
    "import { execa } from 'execa'",
    'only platform/processes, platform/sandbox/egress/relay-main.ts',
  ],
  [
    'runtime/home/home.ts',
    "import { DatabaseSync } from 'node:sqlite'",
    'only store/sqlite, store/open-store.ts, runtime/instance/lock.ts',
  ],
  ['activities/a.ts', "import { z } from 'zod'", 'schemas parse at the edges'],
  [
    'cli/commands/a.ts',
    "import { a } from '../../store/a.ts'",
    'cli may know app, runtime/home, server and the types of domain',
  ],
  ['cli/commands/a.ts', "import { a } from '../../domain/a.ts'", 'cli may know only the types of domain'],
  ['cellar/a.ts', '', 'is in no room of the house'],
  ['platform/a.ts', '', 'is in no room of the house'],
]
for (const [file, code, sentence] of forbidden) {
  test(`refused: ${file} with ${code || 'any code'}`, () => {
    const [found = 'nothing found'] = violations(file, code)
    assert.ok(found.includes(sentence), found)
  })
}

const allowed: readonly (readonly [file: string, code: string])[] = [
  ['client/a.ts', "import type { fixSession } from '../workflows/fix-session.ts'"],
  ['workflows/a.ts', "import { sleep } from '@temporalio/workflow'"],
  ['workflows/stage/a.ts', "import { b } from '../provider-backoff.ts'"],
  ['runtime/worker/worker.ts', "import { fixing } from '../../activities/fix/fixing.ts'"],
  ['activities/a.ts', "import { a } from '../platform/git/a.ts'"],
  ['runtime/settings/a.ts', "import { z } from 'zod'"],
  ['platform/git/a.ts', "import { b } from './workspace/b.ts'"],
]
for (const [file, code] of allowed) {
  test(`allowed: ${file} with ${code}`, () => assert.deepEqual(violations(file, code), []))
}
