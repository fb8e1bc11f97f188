import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { describeImport } from '../../../src/integrations/importers/describe-import.ts'
import { importFindings } from '../../../src/integrations/importers/import-findings.ts'
import { FINDINGS_FORMATS, MAX_REPORT_BYTES } from '../../../src/integrations/importers/read-report.ts'
import { filesOf, importedFrom, problemsOf, recorded } from './support.ts'

const FILES = filesOf({ 'src/a.py': 'one\ntwo\n' }, '/work/app')

async function severitiesOf(report: unknown): Promise<string[]> {
  return (await importedFrom(report, FILES)).findings.map(({ finding }) => finding.severity)
}

test('eslint: warnings are medium; what is about the run is no finding', async () => {
  const messages = [
    { ruleId: 'a', severity: 1, message: 'm', line: 1 },
    { ruleId: 'b', severity: 2, message: 'm', line: 1 },
    { ruleId: null, severity: 2, fatal: true, message: 'Parsing error', line: 1 },
    { ruleId: null, severity: 1, message: 'Unused eslint-disable directive', line: 2 },
    { ruleId: null, severity: 1, fatal: false, message: 'File ignored because of a matching ignore pattern.' },
  ]
  assert.deepEqual(await severitiesOf([{ filePath: '/work/app/src/a.py', messages }]), [
    'medium',
    'high',
    'high',
    'medium',
  ])
})

test('semgrep: its words for severities, and what it says to ignore', async () => {
  const results = ['CRITICAL', 'HIGH', 'ERROR', 'MEDIUM', 'WARNING', 'LOW', 'INFO', 'constructor'].map((severity) => ({
    check_id: 'x',
    path: 'src/a.py',
    start: { line: 1 },
    extra: { message: 'm', severity },
  }))
  const ignored = { ...results[0], extra: { message: 'm', severity: 'ERROR', is_ignored: true } }
  const report = { results: [...results, ignored], errors: [{ type: 'Syntax error' }], paths: {} }
  assert.deepEqual(await severitiesOf(report), ['critical', 'high', 'high', 'medium', 'medium', 'low', 'low', 'medium'])
  const { summary } = await importedFrom(report, FILES)
  assert.deepEqual([summary.suppressed, summary.incomplete], [1, ['it names 1 errors of its own']])
})

test('rdjson: a severity is the diagnostic’s own, then the document’s, by name or number', async () => {
  const diagnostic = (severity?: unknown) => ({ message: 'm', location: { path: 'src/a.py' }, severity })
  const diagnostics = ['ERROR', 'WARNING', 'INFO', 'UNKNOWN_SEVERITY', 1, 3].map(diagnostic)
  assert.deepEqual(await severitiesOf({ diagnostics }), ['high', 'medium', 'low', 'medium', 'high', 'low'])
  assert.deepEqual(await severitiesOf({ diagnostics: [diagnostic()], severity: 'ERROR' }), ['high'])
})

test('codeclimate: lines and positions, and what is no issue', async () => {
  const issue = (location: object, more: object = {}) => ({
    description: 'm',
    check_name: 'x',
    location: { path: 'src/a.py', ...location },
    ...more,
  })
  const severities = ['blocker', 'critical', 'major', 'minor', 'info', 'constructor']
  const report = [
    ...severities.map((severity) => issue({ lines: { begin: 1, end: 2 } }, { severity })),
    issue({ positions: { begin: { line: 2, column: 1 }, end: { line: 2 } } }),
    issue({}, { type: 'measurement' }),
  ]
  const { findings, summary } = await importedFrom(report, FILES)
  assert.deepEqual(
    findings.map(({ finding }) => [finding.severity, finding.line]),
    [
      ['critical', '1-2'],
      ['high', '1-2'],
      ['medium', '1-2'],
      ['low', '1-2'],
      ['info', '1-2'],
      ['medium', '1-2'],
      ['medium', '2'],
    ],
  )
  assert.equal(summary.done, 1)
})

test('github: alerts as the API lists them; dismissed ones are suppressed, fixed ones are done', async () => {
  const alert = (number: number, state: string, rule: object = {}) => ({
    number,
    state,
    rule: {
      id: 'js/xss',
      severity: 'error',
      tags: ['security', 'external/cwe/cwe-079'],
      description: 'Cross-site scripting',
      ...rule,
    },
    tool: { name: 'CodeQL', guid: null, version: '2.4.0' },
    most_recent_instance: {
      ref: 'refs/heads/main',
      state,
      message: { text: 'This reaches the page.' },
      location: { path: 'src/a.py', start_line: 2, end_line: 2, start_column: 7, end_column: 67 },
    },
  })
  const report = [
    alert(4, 'open', { security_severity_level: 'critical' }),
    alert(5, 'open', { severity: 'note' }),
    alert(6, 'dismissed'),
    alert(7, 'fixed'),
  ]
  const { findings, summary } = await importedFrom(report, FILES)
  assert.deepEqual(
    findings.map(({ finding, origin }) => [finding.severity, finding.line, finding.category, origin?.toolId]),
    [
      ['critical', '2', 'security', '4'],
      ['low', '2', 'security', '5'],
    ],
  )
  assert.match(findings[0]?.finding.issue_code ?? '', /^CODEQL-js-xss-[0-9a-f]{8}$/)
  assert.deepEqual([summary.format, summary.suppressed, summary.done], ['github', 1, 1])
})

test('a format that is named has to be that of the report, and nothing is taken for a report that is none', async () => {
  assert.match(
    (await problemsOf(recorded('eslint.json'), 'sarif')).join(),
    /^is no report in the format sarif, but in the format eslint: /,
  )
  assert.match(
    (await problemsOf('{"a": 1}', 'sarif')).join(),
    /^is no report in the format sarif, and in none that is known: /,
  )
  assert.match(
    (await problemsOf(recorded('eslint.json'), 'fixwright')).join(),
    /^is a report in the format eslint, not fixwright: /,
  )
  for (const unknown of [{ results: [] }, { results: [{ test_id: 'B602' }], errors: [] }, 'null', '"text"', '7']) {
    const [problem = ''] = await problemsOf(unknown)
    assert.match(problem, /^is in no format that is known: .* sarif, eslint, .*; most tools can write SARIF$/)
  }
  assert.match((await problemsOf({ issues: 7 })).join(), /^must be a list of findings/)
  const own = await importFindings([{ issue_code: 'A', title: 'x', file: 'src/a.py' }], 'fixwright', FILES)
  assert.ok(own.kind === 'imported' && own.summary === undefined && own.findings.length === 1)
  for (const format of FINDINGS_FORMATS) {
    const empty = await importFindings('[]', format, FILES)
    assert.equal(
      empty.kind,
      format === 'sarif' || format === 'semgrep' || format === 'rdjson' ? 'problems' : 'imported',
      format,
    )
  }
})

test('a report is taken up to its limits: bytes, results, depth', async () => {
  assert.match((await problemsOf(`[${' '.repeat(MAX_REPORT_BYTES)}]`)).join(), /^is longer than 10 MiB/)
  const messages = (count: number) =>
    Array.from({ length: count }, () => ({ ruleId: 'a', severity: 1, message: 'm', line: 1 }))
  assert.equal(
    (await importedFrom([{ filePath: 'src/a.py', messages: messages(25_000) }], FILES)).findings.length,
    25_000,
  )
  assert.match(
    (await problemsOf([{ filePath: 'src/a.py', messages: messages(25_001) }])).join(),
    /^has 25001 results, and at most 25000/,
  )
  const nested = (depth: number) => `{"runs": [], "x": ${'['.repeat(depth)}${']'.repeat(depth)}}`
  assert.equal((await importFindings(nested(63), 'auto', FILES)).kind, 'imported')
  assert.match((await problemsOf(nested(64))).join(), /^is nested deeper than 64 levels/)
  assert.match((await problemsOf(nested(100_000))).join(), /^is nested deeper than 64 levels/)
})

test('texts that many results share, and texts that are made to take long, cost no more than others', async () => {
  const long = (text: string) => text.repeat(1_000_000 / text.length)
  const result = {
    ruleIndex: 0,
    message: { id: 'm', arguments: [long('x')] },
    locations: [{ physicalLocation: { artifactLocation: { uri: 'src/a.py' } } }],
  }
  const at = (uri: string) => ({ ...result, locations: [{ physicalLocation: { artifactLocation: { uri } } }] })
  const rule = {
    id: long('-.'),
    fullDescription: { text: long('rule ') },
    helpUri: long('https://'),
    messageStrings: { m: { text: long('{0}') } },
  }
  const results = [
    ...Array.from({ length: 5_000 }, () => result),
    ...['/', 'a/', '../', '%2F'].map((text) => at(`${long(text)}x`)),
    ...['[', '\\[', '[x](', '{'].map((text) => ({ ...result, message: { text: long(text) } })),
  ]
  const report = { runs: [{ tool: { driver: { name: long('-a'), rules: [rule] } }, results }] }
  const began = process.cpuUsage()
  const { findings, summary } = await importedFrom(report, FILES)
  const { user } = process.cpuUsage(began)
  assert.deepEqual([findings.length, summary.withoutFile + summary.unknownFiles.length], [5_004, 4])
  assert.ok(user < 10_000_000, `${user} µs`)
  assert.ok(findings.every(({ finding }) => finding.description.length <= 8_000 && finding.issue_code.length <= 80))
  assert.ok(describeImport(summary).length < 2_000)
})

test('no report makes an importer throw, and every finding that comes out is one', async () => {
  const reports = readdirSync(join(import.meta.dirname, 'recorded')).map((name) => JSON.parse(recorded(name)))
  const odd = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom('__proto__', 'constructor', '', '../..', -1, 1e300, null, {}, []),
  )
  const mutation = fc.record({
    report: fc.constantFrom(...reports),
    steps: fc.array(fc.nat(), { maxLength: 12 }),
    value: odd,
  })
  await fc.assert(
    fc.asyncProperty(mutation, async ({ report, steps, value }) => {
      const outcome = await importFindings(mutate(structuredClone(report), steps, value), 'auto', filesOf())
      if (outcome.kind === 'problems') return
      const codes = outcome.findings.map(({ finding }) => finding.issue_code.toLowerCase())
      if (new Set(codes).size !== codes.length) throw new Error(`codes twice: ${codes}`)
    }),
    { numRuns: 500 },
  )
})

/** Goes down by the steps, and puts the value where they end. */
function mutate(node: unknown, [step, ...rest]: readonly number[], value: unknown): unknown {
  if (step === undefined || typeof node !== 'object' || node === null || Object.keys(node).length === 0) return value
  const keys = Object.keys(node)
  const key = keys[step % keys.length] ?? ''
  const container = node as Record<string, unknown>
  container[key] = mutate(container[key], rest, value)
  return node
}
