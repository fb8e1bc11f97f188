// What real analysers reported about the sample repository (scripts/record-importer-fixtures.ts).
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { describeImport } from '../../../src/integrations/importers/describe-import.ts'
import { ANALYSERS } from './analysers.ts'
import { filesOf, importedFrom, recorded } from './support.ts'

const EXPECTED: Readonly<Record<string, string>> = {
  'eslint.json':
    'read as eslint: 10 of 11 results taken (ESLint), 1 suppressed; the run was not complete: it could not parse 1 of the files',
  'eslint.sarif.json':
    'read as sarif: 9 of 10 results taken (ESLint), 1 suppressed; the run was not complete: ESLint says that it did not succeed',
  'eslint.codeclimate.json': 'read as codeclimate: 10 of 10 results taken (Code Climate)',
  'eslint.rdjson.json': 'read as rdjson: 10 of 10 results taken (eslint)',
  'biome.sarif.json': 'read as sarif: 12 of 12 results taken (Biome)',
  'biome.codeclimate.json': 'read as codeclimate: 12 of 12 results taken (Code Climate)',
  'biome.rdjson.json': 'read as rdjson: 12 of 12 results taken (Biome)',
  'oxlint.sarif.json': 'read as sarif: 6 of 6 results taken (oxlint)',
  'oxlint.codeclimate.json': 'read as codeclimate: 6 of 6 results taken (Code Climate)',
  'ruff.sarif.json': 'read as sarif: 9 of 9 results taken (ruff)',
  'ruff.codeclimate.json': 'read as codeclimate: 9 of 9 results taken (Code Climate)',
  'ruff.rdjson.json': 'read as rdjson: 9 of 9 results taken (ruff)',
  'bandit.sarif.json': 'read as sarif: 6 of 6 results taken (Bandit)',
  'semgrep.sarif.json': 'read as sarif: 4 of 5 results taken (Semgrep OSS), 1 suppressed',
  'semgrep.json': 'read as semgrep: 4 of 4 results taken (Semgrep)',
  'gosec.sarif.json': 'read as sarif: 7 of 8 results taken (gosec), 1 suppressed',
  'staticcheck.sarif.json': 'read as sarif: 1 of 2 results taken (Staticcheck), 1 skipped: they name no file',
}

test('every recorded report is recognised, and a line says what of it was taken', async () => {
  for (const [name, line] of Object.entries(EXPECTED)) {
    assert.equal(describeImport((await importedFrom(recorded(name))).summary), line, name)
  }
  const names = Object.values(ANALYSERS).flatMap(({ reports }) => Object.keys(reports))
  assert.deepEqual(names.sort(), Object.keys(EXPECTED).sort())
  assert.deepEqual(readdirSync(join(import.meta.dirname, 'recorded')).sort(), names)
})

test('a finding is the same in all formats of one tool, and wherever the repository is', async () => {
  const idsIn = async (name: string, root?: string) =>
    (await importedFrom(recorded(name), filesOf(undefined, root))).findings
      .map(({ finding, origin }) => `${finding.issue_code} ${finding.file} ${finding.line} ${origin?.fingerprint}`)
      .filter((id) => !/parse-error|no-rule/.test(id))
      .sort()
  for (const group of [
    ['eslint.json', 'eslint.sarif.json', 'eslint.rdjson.json'],
    ['biome.sarif.json', 'biome.rdjson.json'],
    ['ruff.sarif.json', 'ruff.rdjson.json'],
    ['semgrep.json', 'semgrep.sarif.json'],
  ]) {
    const [first, ...others] = await Promise.all(group.map((name) => idsIn(name)))
    for (const each of others) assert.deepEqual(each, first)
  }
  for (const name of Object.keys(EXPECTED)) {
    assert.deepEqual(await idsIn(name, '/home/somebody/else'), await idsIn(name), name)
  }
})

test('a finding holds what its tool says: rule, place, severity, category, fix, and where to read on', async () => {
  const { findings } = await importedFrom(recorded('ruff.sarif.json'))
  const [unused, shell] = findings.map(({ finding }) => finding)
  assert.deepEqual(
    { ...unused, description: '' },
    {
      issue_code: 'RUFF-F401-226c0cd6',
      title: '`os` imported but unused',
      description: '',
      file: 'service/app.py',
      line: '1',
      severity: 'high',
      category: 'ruff',
      suggested_fix: 'Remove unused import: `os`',
    },
  )
  assert.match(shell?.description ?? '', /^`subprocess` call .*\n\nReported by ruff, rule S602: .* \(https:.*\)$/s)
  const bandit = await importedFrom(recorded('bandit.sarif.json'))
  assert.deepEqual(
    bandit.findings.map(({ finding }) => [finding.issue_code.split('-')[1], finding.severity, finding.category]),
    [
      ['B404', 'low', 'security'],
      ['B602', 'high', 'security'],
      ['B602', 'high', 'security'],
      ['B101', 'low', 'security'],
      ['B105', 'low', 'security'],
      ['B307', 'medium', 'security'],
    ],
  )
})

test('gosec names files from the folder that it was given: the one file that ends so is meant, and none where there are two', async () => {
  const { findings } = await importedFrom(recorded('gosec.sarif.json'))
  assert.deepEqual(new Set(findings.map(({ finding }) => finding.file)), new Set(['tools/main.go']))
  const two = { 'tools/main.go': 'package main', 'server/main.go': 'package main' }
  const { summary } = await importedFrom(recorded('gosec.sarif.json'), filesOf(two))
  assert.deepEqual([summary.tools.size, summary.unknownFiles.length], [0, 7])
})

test('an id that a tool gives to several results, or only to its customers, identifies nothing', async () => {
  const sarif = JSON.parse(recorded('semgrep.sarif.json'))
  sarif.runs[0].results.splice(1)
  const json = JSON.parse(recorded('semgrep.json'))
  json.results.splice(1)
  for (const report of [sarif, json]) {
    const { findings } = await importedFrom(report)
    assert.deepEqual(
      findings.map(({ origin }) => origin?.toolId),
      [undefined],
    )
  }
  const ruff = await importedFrom(recorded('ruff.codeclimate.json'))
  assert.ok(ruff.findings.every(({ origin }) => origin?.toolId !== undefined))
  const twice = JSON.parse(recorded('ruff.codeclimate.json')).map((each: object) => ({ ...each, fingerprint: 'same' }))
  const { findings } = await importedFrom(twice)
  const ids = findings.map(({ origin }) => [origin?.rule, origin?.toolId])
  assert.deepEqual(ids.filter(([rule]) => rule === 'S602').flat(), ['S602', undefined, 'S602', undefined])
})
