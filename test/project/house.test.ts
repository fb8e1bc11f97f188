import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { packageRoot } from '../../src/runtime/package-root.ts'
import { rooms, violations } from './house.ts'
import { importsOf } from './imports.ts'

const source = join(packageRoot(), 'src')

for (const room of Object.keys(rooms)) {
  test(`${room} knows only whom it may`, () => {
    const files = globSync(`${room}/**/*.ts`, { cwd: source })
    const found = files.flatMap((file) => violations(file, readFileSync(join(source, file), 'utf8')))
    assert.deepEqual(found, [])
  })
}

test('every file lives in a room of the house', () => {
  const homeless = globSync('**/*.ts', { cwd: source }).filter((file) => !rooms[file.split('/')[0] ?? ''])
  assert.deepEqual(homeless, [])
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
  ['domain/plan.ts', "import { a } from '../git/a.ts'", 'domain may know nobody'],
  ['domain/plan.ts', "import { a } from 'node:fs'", 'domain has no side effects, node:fs may'],
  ['workflows/x/a.ts', "import { a } from '../../activities/a.ts'", 'workflows may know only the types of activities'],
  ['client/a.ts', "import type { a } from '../store/a.ts'", 'client may know domain and the types of workflows'],
  ['store/a.ts', "import { spawn } from 'node:child_process'", 'who spawns a process must see to its end'],
  [
    'activities/fixing.ts',
    "import { execa } from 'execa'",
    'only processes, sandbox/relay-main.ts, agents, runtime, activities/running-commands.ts may',
  ],
  ['runtime/home.ts', "import { DatabaseSync } from 'node:sqlite'", 'only store, runtime/instance-lock.ts may'],
  ['activities/a.ts', "import { z } from 'zod'", 'schemas parse at the edges'],
  ['cellar/a.ts', '', 'src/cellar is no room of the house'],
]
for (const [file, code, sentence] of forbidden) {
  test(`refused: ${file} with ${code || 'any code'}`, () => {
    const [found = 'nothing found'] = violations(file, code)
    assert.ok(found.includes(sentence), found)
  })
}

const allowed: readonly (readonly [file: string, code: string])[] = [
  ['workflows/a.ts', "import type { Fixing } from '../activities/fixing.ts'"],
  ['workflows/a.ts', "import { sleep } from '@temporalio/workflow'"],
  ['runtime/worker.ts', "import { fixing } from '../activities/fixing.ts'"],
  ['runtime/settings.ts', "import { z } from 'zod'"],
  ['git/a.ts', "import { b } from './b.ts'"],
]
for (const [file, code] of allowed) {
  test(`allowed: ${file} with ${code}`, () => assert.deepEqual(violations(file, code), []))
}
