// A report of ours, taken in place of findings: what is not fixed comes out as it went in.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { renderReport } from '../../../src/app/report/render/formats.ts'
import { importFindings } from '../../../src/integrations/importers/import-findings.ts'
import { filesOf, importedFrom, problemsOf } from '../../integrations/importers/support.ts'
import { issueWith, reportWith } from './support.ts'

const words = fc
  .string({ minLength: 1, unit: 'grapheme' })
  .filter((text) => /\S/.test(text) && !/[\s\p{Cc}]/u.test(text))

test('a report as SARIF, given in place of findings, brings back each open issue with its id, whatever its texts hold', async () => {
  const severity = fc.constantFrom('critical', 'high', 'medium', 'low', 'info')
  await fc.assert(
    fc.asyncProperty(words, severity, async (text, severity) => {
      const finding = {
        ...{
          issue_code: 'BE-001',
          title: text,
          description: `[${text}](1) {0}`,
          file: 'src/not there yet.py',
          line: '4-9',
        },
        ...{ severity, category: text, suggested_fix: text, estimated_effort: 5, estimated_files_count: 2 },
      }
      const issues = [
        issueWith('x', { ...finding, state: 'failed', reason: 'scored 45' }),
        issueWith('x', { issue_code: 'BE-002', state: 'fixed' }),
        issueWith('x', { issue_code: 'BE-003', state: 'false_positive' }),
      ]
      const sarif = renderReport(reportWith('x', issues), 'sarif')
      const { findings, summary } = await importedFrom(sarif, filesOf({}))
      assert.deepEqual(
        findings.map((each) => each.finding),
        [finding],
      )
      assert.deepEqual([findings[0]?.origin?.toolId, summary.done, summary.suppressed], ['id-1', 1, 1])
    }),
  )
})

test('a report as SARIF whose finding was changed into none is refused, with its place', async () => {
  const log = JSON.parse(renderReport(reportWith('x', [issueWith('x', { file: 'a.py' }), issueWith('x')]), 'sarif'))
  log.runs[0].results[1].properties.finding = { issue_code: 'BE-001', title: 'x', file: '../x' }
  const outcome = await importFindings(log, 'auto', filesOf())
  log.runs[0].results[1].properties.finding = { ...log.runs[0].results[0].properties.finding, title: '[0]' }
  assert.deepEqual(await problemsOf(log), [
    '/runs/0/results/1/properties/finding.issue_code: BE-001 is already the code of /runs/0/results/0/properties/finding',
  ])
  assert.deepEqual(outcome, {
    kind: 'problems',
    problems: ['/runs/0/results/1/properties/finding.file: "../x" lies outside of the repository'],
  })
})
