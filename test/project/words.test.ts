// One meaning a word (docs/architecture.md): the words that the house has left behind stay out of src.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { packageRoot } from '../../src/runtime/home/package-root.ts'
import { exportsOf, identifiersOf, wordsOf } from './words.ts'

const source = join(packageRoot(), 'src')
const files = globSync('**/*.ts', { cwd: source }).map((file) => ({
  file,
  text: readFileSync(join(source, file), 'utf8'),
}))

/** Each with what is said instead. */
const banned: Readonly<Record<string, readonly string[]>> = {
  'issue group': ['knot', 'knots'],
  selection: ['pick', 'picks'],
  'stage state': ['ledger', 'desk'],
  'apply, store': ['lay', 'lays', 'laid', 'laying'],
  heartbeat: ['beat', 'beats', 'beating'],
  'message, text, response, receive': ['say', 'says', 'said', 'hear', 'hears', 'heard'],
  baseline: ['ground'],
  validate: ['weigh', 'weighs', 'weighed', 'weighing'],
  'send, report, append, show': ['tell', 'tells', 'told', 'telling'],
  'resolve, close, decide': ['settle', 'settles', 'settled', 'settling'],
  'gate, compare, classify': ['judge', 'judges', 'judged', 'judging'],
  'preview, dry run': ['foretell', 'foretold', 'foretelling'],
  'activity context': ['workshop', 'shop'],
  verdict: ['opinion', 'opinions'],
  'flaky, maybe flaky': ['wavers', 'unsure'],
  'record, message': ['noted', 'noting'],
  operator: ['whoever'],
}

const allowed: Readonly<Record<string, string>> = {
  Pick: 'of TypeScript',
  pick: 'of zod',
  allSettled: 'of JavaScript',
  settled: 'a field of replies and results, on record and in reports',
  says: 'a field of the event that a message was refused',
  judged: 'a block of the prompt, by its name',
}

/** Types of one of several by its name, as zod's own `TypeOf`. */
const allowedOf = new Set(['MessageOf', 'ReplyOf'])

const isBanned = new Map(Object.entries(banned).flatMap(([instead, words]) => words.map((word) => [word, instead])))

test('src has no word of the old house in a name', () => {
  const found = files.flatMap(({ file, text }) =>
    [...identifiersOf(text)].flatMap((name) => {
      if (Object.hasOwn(allowed, name)) return []
      const word = wordsOf(name).find((each) => isBanned.has(each))
      return word === undefined ? [] : [`${file}: ${name}: instead of ${word}: ${isBanned.get(word)}`]
    }),
  )
  assert.deepEqual(found, [])
})

test('src has no function that says only whose thing it gives: parse, load, to, list or find say how', () => {
  const found = files.flatMap(({ file, text }) =>
    [...text.matchAll(/\b(?:function\*?|const|type|async) (\w+[a-z]Of)\b/g)].flatMap(([, name = '']) =>
      allowedOf.has(name) ? [] : [`${file}: ${name}`],
    ),
  )
  assert.deepEqual(found, [])
})

test('src declares each exported name in one file', () => {
  const places = new Map<string, string[]>()
  for (const { file, text } of files) {
    for (const name of exportsOf(text)) places.set(name, [...(places.get(name) ?? []), file])
  }
  assert.deepEqual(
    [...places].filter(([, where]) => where.length > 1),
    [],
  )
})

test('words: every allowed name is one that src has', () => {
  const names = new Set(files.flatMap(({ text }) => [...identifiersOf(text)]))
  assert.deepEqual(
    [...Object.keys(allowed), ...allowedOf].filter((name) => !names.has(name)),
    [],
  )
})

test('words: identifiers are read out of code, and not out of comments, texts and patterns', () => {
  const code = [
    `const oneTwo = \`a \${\`b \${three({ four: "e" })}\`} f\` // five`,
    "const six = /seven'/.test(eight) ? nine / ten : 'el\\'even' /* twelve */",
  ].join('\n')
  assert.deepEqual(
    [...identifiersOf(code)],
    ['const', 'oneTwo', 'three', 'four', 'six', 'test', 'eight', 'nine', 'ten'],
  )
  assert.deepEqual(wordsOf('parseHTMLPage_of'), ['parse', 'html', 'page', 'of'])
  assert.deepEqual(exportsOf('export const a = 1\nexport async function b() {}\nexport type { C }\nconst d = 1'), [
    'a',
    'b',
  ])
})
