// The report of a tool in place of findings: from SARIF to a commit, and from our own report of a session back to its issues.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { DryPlan } from '../../src/domain/session/dry-run.ts'
import { checkInvariants } from '../support/invariants.ts'
import { setMadeStage } from '../support/session.ts'

test('fix takes the SARIF of a tool, says what of it is taken, and ends in a commit; its report goes back in', async (t) => {
  const stage = await setMadeStage(t, 1)
  const [made] = stage.made.findings.issues
  assert.ok(made)
  const at = (path: string) => ({
    physicalLocation: { artifactLocation: { uri: `file:///ci/app/${path}` }, region: { startLine: 1 } },
  })
  const result = {
    ruleId: 'made',
    level: 'error',
    message: { text: made.description },
    locations: [at(made.file ?? '')],
  }
  const results = [
    result,
    { ...result, suppressions: [{ kind: 'inSource' }] },
    { ...result, locations: [at('build/generated.py')] },
  ]
  const sarif = join(stage.folder, 'scan.sarif')
  writeFileSync(sarif, JSON.stringify({ version: '2.1.0', runs: [{ tool: { driver: { name: 'Ruff' } }, results }] }))

  const line =
    'scan.sarif: read as sarif: 1 of 3 results taken (Ruff), 1 suppressed, 1 skipped: the repository has no such file (/ci/app/build/generated.py)'
  const dry = await stage.fix(sarif, { args: ['--dry-run'] })
  const plan = JSON.parse(dry.stdout) as DryPlan
  const [note = ''] = plan.notes
  assert.ok(note.endsWith(line), note)
  const code = plan.stages[0]?.batches[0]?.steps[0]?.[0] ?? ''
  assert.match(code, /^RUFF-made-[0-9a-f]{8}$/)

  const { issues } = stage.made.scenario
  stage.model.setScenario({ ...stage.made.scenario, issues: { [code]: issues?.[made.issue_code] ?? {} } })
  const task = ['--task', 'scan']
  const { result: fixed, stderr } = await stage.fix(sarif, { args: task })
  assert.ok(stderr.includes(line), stderr)
  assert.deepEqual(
    fixed?.results.map(({ issue_code, status }) => [issue_code, status]),
    [[code, 'completed']],
  )
  assert.match(stage.git('log', '-1', '--format=%B', `${fixed?.branch_name}`), new RegExp(code))

  const report = join(stage.folder, 'report.sarif')
  const session = fixed?.session_id ?? ''
  await stage.command('report', session, '--format', 'sarif', '--output', report).ended
  const again = await stage.fix(report, { args: task })
  assert.match(
    again.stderr,
    /report\.sarif: read as sarif: 0 of 1 results taken, 1 fixed or passed already\n.*nothing to do/s,
  )
  // As if it had not been fixed: the same issue comes back.
  const log = JSON.parse(readFileSync(report, 'utf8'))
  Object.assign(log.runs[0].results[0], { baselineState: 'unchanged', suppressions: [] })
  writeFileSync(report, JSON.stringify(log))
  const { result: same } = await stage.fix(report, { args: [...task, '--max-iterations', '0'] })
  assert.deepEqual(
    same?.results.map(({ issue_id }) => issue_id),
    fixed?.results.map(({ issue_id }) => issue_id),
  )
  await checkInvariants(stage)
})
