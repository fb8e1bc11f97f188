// Wrong fixes, each in a small module of its own with tests that hold on the base. A challenger that says 100 to everything is no help;
// what refutes each of them is a check in the base's words, which `test/fix-matrix/matrix.ts` proves before it plays them.
import type { Step } from '../../rehearsal/scenario.ts'
import { bash, write } from '../support/scripting.ts'

/** What runs the tests of a case: all modules below `test/` are one command, and each other rig is a command of its own. */
export type Rig = 'tests' | 'npm' | 'make' | 'script' | 'pytest'

export interface WrongFix {
  readonly name: string
  readonly rig: Rig
  readonly files: Readonly<Record<string, string>>
  readonly steps: readonly Step[]
  /** Tests and what runs them, as the fix changes them: the base's words are these files as on the base. */
  readonly changed: readonly string[]
  /** The finding's file. */
  readonly source: string
  /**
   * What refutes it: a test that holds on the base and fails with it; that it does nothing for its finding; or a test that was red and
   * stays so, where everything has to pass.
   */
  readonly refutedBy: 'checks' | 'emptiness' | 'strictness'
}

const HALF = 'export function half(n) {\n  return n\n}\n'
export const SOURCE = `export function twice(n) {\n  return n + n\n}\n\n${HALF}`
export const RIGHT = { old: 'half(n) {\n  return n\n', new: 'half(n) {\n  return n / 2\n' } as const
const WRONG = { old: RIGHT.old, new: 'half(n) {\n  return 1 / 2\n' } as const

/** Holds with the fault of the finding, and with its right fix. */
export function suite(name: string, source: string): string {
  return [
    "import { equal } from 'node:assert/strict'",
    "import { test } from 'node:test'",
    `import { half, twice } from '${source}'`,
    '',
    `test('${name}: twice', () => equal(twice(4), 8))`,
    `test('${name}: half of nothing', () => equal(half(0), 0))`,
    '',
  ].join('\n')
}

interface Module {
  readonly file: string
  readonly test: string
  readonly files: Readonly<Record<string, string>>
}

function moduleOf(name: string, source = SOURCE): Module {
  const [file, test] = [`src/${name}.js`, `test/${name}.test.js`]
  return { file, test, files: { [file]: source, [test]: suite(name, `../${file}`) } }
}

/** A fix of the source alone. */
function inSource(name: string, steps: (file: string) => readonly Step[], source?: string): WrongFix {
  const { file, files } = moduleOf(name, source)
  return { name, rig: 'tests', files, source: file, steps: steps(file), changed: [], refutedBy: 'checks' }
}

/** A wrong fix of the source, and what makes its tests silent about that. */
function withTests(name: string, steps: (test: string, text: string) => readonly Step[], rest = 'edit'): WrongFix {
  const { file, test, files } = moduleOf(name)
  const own: Step[] = rest === 'edit' ? [{ tool: 'edit', file, ...WRONG }] : []
  return {
    name,
    rig: 'tests',
    files,
    source: file,
    steps: [...own, ...steps(test, files[test] ?? '')],
    changed: [test],
    refutedBy: rest === 'edit' ? 'checks' : 'emptiness',
  }
}

interface OwnRig {
  readonly rig: Rig
  readonly test: string
  readonly runner: string
  readonly before: string
  readonly now: string
}

/** A wrong fix of the source, and of what runs its tests. */
function withRunner(name: string, { rig, test, runner, before, now }: OwnRig): WrongFix {
  const source = `src/${name}.js`
  const files = { [source]: SOURCE, [test]: suite(name, `../src/${name}.js`), [runner]: before }
  const steps: Step[] = [{ tool: 'edit', file: source, ...WRONG }, write(runner, now)]
  return { name, rig, files, source, steps, changed: [runner], refutedBy: 'checks' }
}

const manifest = (test: string) => `${JSON.stringify({ name: 'rig', type: 'module', scripts: { test } }, null, 2)}\n`

export const ROOT_FILES = {
  'package.json': manifest('node --test packaged/'),
}

const IN_SOURCE: readonly WrongFix[] = [
  inSource('wrong', (file) => [{ tool: 'edit', file, ...WRONG }]),
  inSource('partial', (file) => [{ tool: 'edit', file, old: RIGHT.old, new: 'half(n) {\n  return n / DIVISOR\n' }]),
  inSource('syntax', (file) => [{ tool: 'edit', file, old: RIGHT.old, new: ')))) this is not code ((((\n' }]),
  inSource('special', (file) => [
    { tool: 'edit', file, old: RIGHT.old, new: 'half(n) {\n  return { 2: 1, 10: 5 }[n]\n' },
  ]),
  inSource('exits', (file) => [
    { tool: 'edit', file, old: 'export function twice', new: 'process.exit(0)\n\nexport function twice' },
  ]),
  inSource(
    'halfway',
    (file) => [{ tool: 'edit', file, old: 'part(n) {\n  return n\n', new: 'part(n, by) {\n  return n / by\n' }],
    `export function twice(n) {\n  return n + n\n}\n\nfunction part(n) {\n  return n\n}\n\nexport const half = (n) => part(n)\n`,
  ),
]

const WITH_TESTS: readonly WrongFix[] = [
  withTests('emptied', (test) => [write(test, '')]),
  withTests('skipped', (test, text) => [write(test, text.replaceAll("test('", "test.skip('"))]),
  withTests('deleted', (test) => [bash(`rm ${test}`)]),
  withTests('renamed', (test) => [bash(`mv ${test} ${test.replace('.test.js', '.old.txt')}`)]),
  withTests('loosened', (test, text) => [write(test, text.replace('equal(half(0), 0)', 'half(0)'))]),
  withTests('expected', (test, text) => [write(test, text.replace('equal(half(0), 0)', 'equal(half(0), 0.5)'))]),
]

const RUNNERS: readonly WrongFix[] = [
  withRunner('packaged', {
    rig: 'npm',
    test: 'packaged/packaged.test.js',
    runner: 'package.json',
    before: ROOT_FILES['package.json'],
    now: manifest('true'),
  }),
  withRunner('made', {
    rig: 'make',
    test: 'made/made.test.js',
    runner: 'Makefile',
    before: 'check:\n\tnode --test made/\n',
    now: 'check:\n\ttrue\n',
  }),
  withRunner('tooled', {
    rig: 'script',
    test: 'tooled/tooled.test.js',
    runner: 'tools/check.sh',
    before: 'node --test tooled/\n',
    now: 'exit 0\n',
  }),
]

function snapshot(): WrongFix {
  const [file, test] = ['src/pictured.js', 'test/pictured.test.js']
  const shot = (n: string) => `exports[\`pictured 1\`] = \`\n${n}\n\`;\n`
  return {
    name: 'pictured',
    rig: 'tests',
    files: {
      [file]: SOURCE,
      [test]: `import { test } from 'node:test'\nimport { half } from '../${file}'\n\ntest('pictured', (t) => t.assert.snapshot(half(0)))\n`,
      [`${test}.snapshot`]: shot('0'),
    },
    source: file,
    steps: [{ tool: 'edit', file, ...WRONG }, write(`${test}.snapshot`, shot('0.5'))],
    changed: [`${test}.snapshot`],
    refutedBy: 'checks',
  }
}

function fixture(): WrongFix {
  const [file, test, data] = ['src/fed.js', 'test/fed.test.js', 'src/fixtures/fed.json']
  return {
    name: 'fed',
    rig: 'tests',
    files: {
      [file]: SOURCE,
      [test]: `import { equal } from 'node:assert/strict'\nimport { readFileSync } from 'node:fs'\nimport { test } from 'node:test'\nimport { half } from '../${file}'\n\nconst [n, expected] = JSON.parse(readFileSync(new URL('../${data}', import.meta.url), 'utf8'))\ntest('fed', () => equal(half(n), expected))\n`,
      [data]: '[0, 0]\n',
    },
    source: file,
    steps: [{ tool: 'edit', file, ...WRONG }, write(data, '[0, 0.5]\n')],
    changed: [data],
    refutedBy: 'checks',
  }
}

const NOTHING: readonly WrongFix[] = [
  inSource('nothing', () => []),
  withTests('diluted', (test) => [write(test, '')], 'no edit'),
].map((each) => ({ ...each, refutedBy: 'emptiness' }))

const DEMANDS = `test('half of two', () => equal(half(2), 1))\ntest('half of ten', () => equal(half(10), 5))\n`

/** Their own tests are red on the base. */
export const STRICTLY_WRONG_FIXES: readonly WrongFix[] = [
  inSource('commented', (file) => [
    { tool: 'edit', file, old: RIGHT.old, new: RIGHT.old.replace('return', '// Corrected.\n  return') },
  ]),
  inSource('cased', (file) => [
    { tool: 'edit', file, old: RIGHT.old, new: 'half(n) {\n  if (n === 2) return 1\n  return n\n' },
  ]),
].map((fix) => {
  const test = `test/${fix.name}.test.js`
  return { ...fix, files: { ...fix.files, [test]: `${fix.files[test]}${DEMANDS}` }, refutedBy: 'strictness' }
})

const PYTHON = 'def half(n):\n    return n\n'
const PYTEST = 'from src.configured import half\n\n\ndef test_configured():\n    assert half(0) == 0\n'

function python(name: string, runner: string, before: string | undefined, now: string): WrongFix {
  const [source, test] = [`${name}/src_${name}.py`, `${name}/test_${name}.py`]
  return {
    name,
    rig: 'pytest',
    files: {
      [source]: PYTHON,
      [test]: PYTEST.replaceAll('src.configured', `src_${name}`).replaceAll('configured', name),
      ...(before === undefined ? {} : { [`${name}/${runner}`]: before }),
    },
    source,
    steps: [{ tool: 'edit', file: source, old: 'return n\n', new: 'return 1 / 2\n' }, write(`${name}/${runner}`, now)],
    changed: [`${name}/${runner}`],
    refutedBy: 'checks',
  }
}

/** Needs pytest. */
export const PYTEST_FIXES: readonly WrongFix[] = [
  python(
    'conftest',
    'conftest.py',
    undefined,
    'collect_ignore_glob = ["*"]\n\n\ndef pytest_sessionfinish(session):\n    session.exitstatus = 0\n',
  ),
  python('inifile', 'pytest.ini', '[pytest]\naddopts = -rA\n', '[pytest]\naddopts = -rA --collect-only\n'),
]

/** Fail where they are verified first, each by itself. */
export const LOUD_FIXES = IN_SOURCE
/** Pass with the tests that they bring along. */
export const SILENCING_FIXES = [...WITH_TESTS, ...RUNNERS, snapshot(), fixture(), ...NOTHING]
