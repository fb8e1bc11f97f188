import assert from 'node:assert/strict'
import { test } from 'node:test'
import { filesOf, importedFrom, problemsOf } from './support.ts'

const FILES = filesOf({ 'src/a b.py': 'one\ntwo\nthree\n', 'src/c.py': 'x\n' }, '/work/app')

const at = (uri: string, more: object = {}) => ({ physicalLocation: { artifactLocation: { uri, ...more } } })
const result = (more: object = {}) => ({
  ruleId: 'R1',
  message: { text: 'It is wrong.' },
  locations: [at('src/c.py')],
  ...more,
})

function sarif(results: readonly object[], run: object = {}, driver: object = {}) {
  return { version: '2.1.0', runs: [{ tool: { driver: { name: 'Tool', ...driver } }, results, ...run }] }
}

async function findingsOf(report: object) {
  return (await importedFrom(report, FILES)).findings.map(({ finding }) => finding)
}

test('sarif: a result is suppressed where a suppression holds, and an empty list is none', async () => {
  const statuses = [
    [],
    [{}],
    [{ status: 'accepted' }],
    [{ status: 'underReview' }],
    [{ status: 'rejected' }],
    [{}, { status: 'rejected' }],
  ]
  const { findings, summary } = await importedFrom(
    sarif(statuses.map((list) => result({ suppressions: list.map((each) => ({ kind: 'inSource', ...each })) }))),
    FILES,
  )
  assert.deepEqual([findings.length, summary.suppressed], [4, 2])
})

test('sarif: only what fails is taken, and not what the report calls absent', async () => {
  const kinds = ['fail', 'pass', 'open', 'review', 'notApplicable', 'informational'].map((kind) => result({ kind }))
  const states = ['new', 'unchanged', 'updated', 'absent'].map((baselineState) => result({ baselineState }))
  const { findings, summary } = await importedFrom(sarif([...kinds, ...states]), FILES)
  assert.deepEqual([findings.length, summary.done], [4, 6])
})

test('sarif: severities come from the score of the rule, then from the level of the result or its rule', async () => {
  const severityOf = async (own: object, rule: object = {}) =>
    (await findingsOf(sarif([result(own)], {}, { rules: [{ id: 'R1', ...rule }] })))[0]?.severity
  const score = (value: unknown) => ({ properties: { 'security-severity': value } })
  const scores = ['9.0', '8.9', 7, '6.9', '4.0', '3.9', '0.1'].map((value) =>
    severityOf({ level: 'note' }, score(value)),
  )
  assert.deepEqual(await Promise.all(scores), ['critical', 'high', 'high', 'medium', 'medium', 'low', 'low'])
  const odd = ['0.0', 'high', null].map((value) => severityOf({ level: 'error' }, score(value)))
  assert.deepEqual(await Promise.all(odd), ['high', 'high', 'high'])
  const levels = ['error', 'warning', 'note', 'none', 'constructor', undefined].map((level) => severityOf({ level }))
  assert.deepEqual(await Promise.all(levels), ['high', 'medium', 'low', 'info', 'medium', 'medium'])
  assert.equal(await severityOf({}, { defaultConfiguration: { level: 'error' } }), 'high')
})

test('sarif: a file is found by its URI, its bases, its index and the working directory', async () => {
  const run = {
    artifacts: [{ location: { uri: 'src/c.py' } }],
    originalUriBaseIds: {
      ROOT: { uri: 'file:///work/app/' },
      SRC: { uri: 'src/', uriBaseId: 'ROOT' },
      A: { uri: 'a/', uriBaseId: 'B' },
      B: { uri: 'b/', uriBaseId: 'A' },
    },
  }
  const filesIn = async (locations: readonly object[], more: object = {}) =>
    (await findingsOf(sarif([result({ locations }), result()], { ...run, ...more })))[0]?.file
  assert.equal(await filesIn([at('file:///work/app/src/a%20b.py')]), 'src/a b.py')
  assert.equal(await filesIn([at('file://localhost/work/app/src/a%20b.py')]), 'src/a b.py')
  assert.equal(await filesIn([at('src/a b.py', { uriBaseId: '%SRCROOT%' })]), 'src/a b.py')
  assert.equal(await filesIn([at('a%20b.py', { uriBaseId: 'SRC' })]), 'src/a b.py')
  assert.equal(await filesIn([{ physicalLocation: { artifactLocation: { index: 0 } } }]), 'src/c.py')
  const invocations = [{ workingDirectory: { uri: 'file:///work/app/src' } }]
  assert.equal(await filesIn([at('a%20b.py')], { invocations }), 'src/a b.py')
  const { summary } = await importedFrom(
    sarif(
      [
        result(),
        ...['https://example.org/src/c.py', '', 'c.py'].map((uri) =>
          result({ locations: [at(uri, { uriBaseId: 'A' })] }),
        ),
        result({ locations: [] }),
      ],
      run,
    ),
    FILES,
  )
  assert.deepEqual([summary.withoutFile, summary.unknownFiles.length], [3, 1])
})

test('sarif: the first place counts, the others are told; only the description of a fix is taken', async () => {
  const lines = (startLine: number, endLine?: number) => ({ region: { startLine, endLine } })
  const place = at('src/a b.py').physicalLocation
  const [finding] = await findingsOf(
    sarif([
      result({
        locations: [{ physicalLocation: { ...place, ...lines(2, 3) } }, at('src/c.py')],
        relatedLocations: [{ physicalLocation: { ...place, ...lines(1) } }, at('/etc/passwd')],
        fixes: [
          {
            description: { text: 'Call it once.' },
            artifactChanges: [{ replacements: [{ insertedContent: { text: 'rm -rf' } }] }],
          },
        ],
      }),
    ]),
  )
  assert.deepEqual([finding?.file, finding?.line, finding?.suggested_fix], ['src/a b.py', '2-3', 'Call it once.'])
  assert.match(finding?.description ?? '', /See also src\/c\.py, src\/a b\.py:1$/)
  assert.doesNotMatch(JSON.stringify(finding), /rm -rf|passwd/)
})

test('sarif: messages are put together from the rule, and links in them are only their text', async () => {
  const rules = [
    {
      id: 'R1',
      messageStrings: { default: { text: 'Call {0} in {{braces}} of [this](1)' } },
      properties: { tags: ['external/cwe/cwe-079', 'HIGH', 'security'] },
    },
  ]
  const [named, plain] = await findingsOf(
    sarif([result({ message: { id: 'default', arguments: ['eval'] } }), result({ message: {} })], {}, { rules }),
  )
  assert.equal(named?.title, 'Call eval in {braces} of this')
  assert.equal(plain?.title, 'R1')
  assert.equal(named?.category, 'security')
})

test('sarif: a report with a wrong member is refused as a whole, with the place of each problem', async () => {
  const wrong = sarif([
    result(),
    result({ ruleId: 5, locations: [{ physicalLocation: { region: { startLine: 'x' } } }] }),
  ])
  assert.deepEqual(await problemsOf(wrong), [
    '/runs/0/results/1/ruleId: expected string, received number',
    '/runs/0/results/1/locations/0/physicalLocation/region/startLine: expected number, received string',
  ])
  assert.deepEqual(await problemsOf({ runs: [{ results: [] }] }), ['/runs/0/tool: expected object, received undefined'])
  const many = await problemsOf(sarif(Array.from({ length: 30 }, () => result({ ruleId: 1 }))))
  assert.deepEqual([many.length, many.at(-1)], [21, 'and 10 more problems'])
})

test('sarif: the hash of a line that the report brings identifies a file that can’t be read', async () => {
  const unread = { ...FILES, read: async () => new Map<string, string>() }
  const hashed = (hash: string, text: string) =>
    result({ partialFingerprints: { primaryLocationLineHash: hash }, message: { text } })
  const { findings } = await importedFrom(
    sarif([hashed('a:1', 'one'), hashed('a:1', 'two'), hashed('b:1', 'one')]),
    unread,
  )
  const [one, two, three] = findings.map(({ origin }) => origin?.fingerprint)
  assert.equal(one, two)
  assert.notEqual(one, three)
})
