import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { type FindingsInput, readFindings } from '../../src/preflight/read-findings.ts'
import { OF_THE_DETECTOR } from '../platform/masking/tokens.ts'
import { setDesk } from '../runtime/support.ts'

const ISSUES = [{ issue_code: 'A', title: 'One', file: 'src/app.py' }]

const NOWHERE = { root: '/nowhere', commit: 'none' }

async function codesIn(input: FindingsInput): Promise<readonly string[]> {
  const read = await readFindings({ findings: input }, NOWHERE)
  assert.ok(read.kind === 'read' && read.problems.length === 0, JSON.stringify(read))
  return read.all.map(({ issue_code }) => issue_code)
}

test('readFindings takes a file, the JSON itself and the value alike', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'findings-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'findings.json')
  writeFileSync(file, JSON.stringify(ISSUES))
  for (const input of [file, JSON.stringify(ISSUES), `\n ${JSON.stringify({ issues: ISSUES })}`, ISSUES]) {
    assert.deepEqual(await codesIn(input), ['A'])
  }
})

test('readFindings names the file of a problem, and what has none "the findings"', async () => {
  const wrong = await readFindings({ findings: [{ title: 'x' }] }, NOWHERE)
  assert.ok(wrong.kind === 'read')
  assert.match(wrong.problems.join('\n'), /^the findings: \[0\]\.issue_code: is missing$/m)
  const broken = await readFindings({ findings: '{"issues": [' }, NOWHERE)
  assert.ok(broken.kind === 'read')
  assert.match(broken.problems.join('\n'), /^the findings: line 1, column 13: is not JSON/)
  const missing = await readFindings({ findings: '/nowhere/findings.json' }, NOWHERE)
  assert.deepEqual(missing, {
    kind: 'unreadable',
    code: 'findings_invalid',
    problem: "the findings file /nowhere/findings.json can't be read: there is no such file",
  })
})

test('prepareSession makes one key of the same findings, however they are given', async (t) => {
  const desk = await setDesk(t)
  const keys = new Set<string>()
  for (const findings of [desk.findings, ISSUES, JSON.stringify({ issues: ISSUES })]) {
    keys.add((await desk.ready({ findings })).session.key)
  }
  assert.equal(keys.size, 1)
  assert.match(
    await desk.problems({ findings: ISSUES, only: ['B'] }),
    /^the findings: there is no finding B to choose$/,
  )
})

const RESULT = {
  ruleId: 'S602',
  level: 'error',
  message: { text: 'A shell is started.' },
  locations: [{ physicalLocation: { artifactLocation: { uri: 'src/app.py' }, region: { startLine: 1 } } }],
}

function sarif(results: readonly object[] = [RESULT]) {
  return { version: '2.1.0', runs: [{ tool: { driver: { name: 'Ruff' } }, results }] }
}

test('prepareSession takes a report of a tool, and says what of it was taken before anything else', async (t) => {
  const desk = await setDesk(t)
  const elsewhere = { physicalLocation: { artifactLocation: { uri: 'build/app.py' } } }
  desk.find(sarif([RESULT, { ...RESULT, suppressions: [{ kind: 'inSource' }] }, { ...RESULT, locations: [elsewhere] }]))
  const { findings, notice, notes, session } = await desk.ready()
  assert.deepEqual(
    findings.map(({ issue_code, file, line, severity }) => [issue_code.slice(0, 10), file, line, severity]),
    [['RUFF-S602-', 'src/app.py', '1', 'high']],
  )
  const line = `${desk.findings}: read as sarif: 1 of 3 results taken (Ruff), 1 suppressed, 1 skipped: the repository has no such file (build/app.py)`
  assert.deepEqual([notice, notes[0]], [line, line])
  assert.equal((await desk.ready()).session.key, session.key, 'the same report is the same work')
  assert.equal((await desk.ready({ format: 'sarif' })).session.key, session.key)

  desk.find(sarif([{ ...RESULT, suppressions: [{ kind: 'inSource' }] }]))
  assert.equal((await desk.ready()).findings.length, 0)
})

test('prepareSession takes the files of the commit that the fixes start from, not those of the work tree', async (t) => {
  const desk = await setDesk(t)
  desk.find(sarif())
  const [{ issue_code: before } = { issue_code: '' }] = (await desk.ready()).findings
  desk.write({ 'src/app.py': 'something else\n' })
  assert.equal((await desk.ready({ allowDirty: true })).findings[0]?.issue_code, before)
  desk.git(['commit', '-qam', 'something else'])
  assert.notEqual((await desk.ready()).findings[0]?.issue_code, before)
  desk.git(['rm', '-q', 'src/app.py'])
  desk.git(['commit', '-qm', 'gone'])
  assert.equal((await desk.ready({ base: 'HEAD~1' })).findings.length, 1)
  assert.match(
    await desk.problems(),
    /none of its findings is about a file of the repository at [0-9a-f]{10}: 1 skipped: the repository has no such file \(src\/app\.py\); give --repo/,
  )
})

test('prepareSession refuses an unknown format, a wrong one, and a report that is too long, with a code', async (t) => {
  const desk = await setDesk(t)
  desk.find(sarif())
  const refusal = async (more: object) => {
    const prepared = await desk.prepare(more)
    assert.ok(prepared.kind === 'refused')
    return [prepared.code, prepared.problems.join()]
  }
  assert.deepEqual(await refusal({ format: 'checkstyle' }), [
    'bad_input',
    'there is no format of findings checkstyle: give one of auto, fixwright, sarif, eslint, semgrep, rdjson, codeclimate, github, github-issues',
  ])
  const [code, problem = ''] = await refusal({ format: 'eslint' })
  assert.equal(code, 'findings_invalid')
  assert.match(
    problem,
    /findings\.json: is no report in the format eslint, but in the format sarif: give another --format/,
  )
  writeFileSync(desk.findings, ' '.repeat(10 * 1024 * 1024 + 1))
  assert.match((await refusal({}))[1] ?? '', /^the findings file .* is longer than 10 MiB: give a part of it$/)
})

test('prepareSession: importers.severity_map overrides a report by tool and rule; the longest name decides', async (t) => {
  const desk = await setDesk(t)
  const rules = ['S602', 'SIM102', 'E501', 'security/detect-eval', 'F401']
  desk.find(sarif(rules.map((ruleId) => ({ ...RESULT, ruleId }))))
  const map = [
    { tool: 'ruff', severity: 'low' },
    { tool: 'Ruff', rule: 'S', severity: 'from-rule' },
    { tool: 'ruff', rule: 'S602', severity: 'critical' },
    { tool: 'ruff', rule: 'security', severity: 'info' },
    { tool: 'eslint', rule: 'F', severity: 'critical' },
  ]
  const flags = { 'importers.severity_map': JSON.stringify(map) }
  const { findings, session } = await desk.ready({ flags })
  assert.deepEqual(
    findings.map(({ severity }) => severity),
    ['critical', 'low', 'low', 'info', 'low'],
  )
  assert.equal(session.task_id, (await desk.ready()).session.task_id, 'the issues stay the same')
  assert.match(await desk.problems({ flags: { 'importers.severity_map': '[{"tool": "x"}]' } }), /severity_map/)
})

test('prepareSession masks what a report says, as it does with findings of our own', async (t) => {
  const desk = await setDesk(t)
  desk.find(sarif([{ ...RESULT, message: { text: `The token ${OF_THE_DETECTOR.npm} is in the code.` } }]))
  const { findings } = await desk.ready()
  assert.ok(!JSON.stringify(findings).includes(OF_THE_DETECTOR.npm ?? '?'))
  assert.match(findings[0]?.title ?? '', /^The token «secret:/)
})
