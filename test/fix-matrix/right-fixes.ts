// Right fixes that change tests because they must: what the tests of the base demand is what the finding calls wrong, or is gone with it.
import type { Step } from '../../rehearsal/scenario.ts'
import { bash, write } from '../support/scripting.ts'
import { RIGHT, SOURCE, suite } from './wrong-fixes.ts'

export interface RightFix {
  readonly name: string
  readonly source: string
  readonly files: Readonly<Record<string, string>>
  readonly steps: readonly Step[]
  readonly changed: readonly string[]
}

interface Changes {
  readonly files: Readonly<Record<string, string>>
  readonly steps: (test: string) => readonly Step[]
  readonly changed?: readonly string[]
}

function rightFix(name: string, { files, steps, changed }: Changes): RightFix {
  const [source, test] = [`src/${name}.js`, `test/${name}.test.js`]
  return {
    name,
    source,
    files: { [source]: SOURCE, [test]: suite(name, `../${source}`), ...files },
    steps: [{ tool: 'edit', file: source, ...RIGHT }, ...steps(test)],
    changed: changed ?? [test],
  }
}

const demanding = (name: string, expected: number) =>
  `${suite(name, `../src/${name}.js`)}test('${name}: half of eight', () => equal(half(8), ${expected}))\n`
const shot = (n: number) => `exports[\`shown 1\`] = \`\n${n}\n\`;\n`

export const RIGHT_FIXES: readonly RightFix[] = [
  rightFix('updated', {
    files: { 'test/updated.test.js': demanding('updated', 8) },
    steps: (test) => [write(test, demanding('updated', 4))],
  }),
  rightFix('removed', {
    files: { 'test/removed-half.test.js': demanding('removed', 8) },
    steps: () => [bash('rm test/removed-half.test.js')],
    changed: ['test/removed-half.test.js'],
  }),
  rightFix('shown', {
    files: {
      'test/shown.test.js':
        "import { test } from 'node:test'\nimport { half } from '../src/shown.js'\n\ntest('shown', (t) => t.assert.snapshot(half(8)))\n",
      'test/shown.test.js.snapshot': shot(8),
    },
    steps: () => [write('test/shown.test.js.snapshot', shot(4))],
    changed: ['test/shown.test.js.snapshot'],
  }),
  rightFix('extended', {
    files: {},
    steps: () => [write('test/extended-more.test.js', demanding('extended', 4))],
    changed: ['test/extended-more.test.js'],
  }),
  rightFix('packed', {
    files: {},
    steps: () => [
      { tool: 'edit', file: 'package.json', old: '"name": "rig",', new: '"name": "rig",\n  "version": "1.0.1",' },
    ],
    changed: ['package.json'],
  }),
]
