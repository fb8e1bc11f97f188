// Issues of the store in place of findings: a report is imported, and a session fixes what the import opened.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { checkInvariants } from '../support/invariants.ts'
import { setMadeStage } from '../support/session.ts'

test('fix --open takes the open issues of a registered repository by severity and import, and resolves those [S0-3]', async (t) => {
  const stage = await setMadeStage(t, 3)
  const issues = stage.made.findings.issues.map((issue, index) => ({
    ...issue,
    severity: index === 1 ? 'low' : 'critical',
  }))
  const [first, second, third] = issues
  const importing = async (name: string, own: readonly object[]): Promise<string> => {
    const file = join(stage.folder, name)
    writeFileSync(file, JSON.stringify({ issues: own }))
    const { stdout, stderr } = await stage.command('import', file, '--repo', 'app').ended
    assert.match(stdout, /^imp-\w+: \d created/, stderr)
    return stdout.split(':')[0] ?? ''
  }
  await stage.command('repo', 'add', stage.repository, '--name', 'app').ended
  const one = await importing('one.json', [first!, second!])
  const two = await importing('two.json', [third!])

  const fix = (...args: string[]) => stage.command('fix', '--repo', 'app', '--open', '--json', ...args).ended
  const dry = JSON.parse((await fix('--dry-run')).stdout)
  assert.deepEqual(
    dry.stages
      .flatMap(({ batches }: { batches: { steps: string[][] }[] }) => batches.flatMap(({ steps }) => steps.flat()))
      .sort(),
    ['T-001', 'T-002', 'T-003'],
  )
  const { result, status, stderr } = await fix('--severity', 'critical,high', '--from-import', one)
  assert.equal(status, 0, stderr)
  assert.deepEqual(
    result?.results.map(({ issue_code, status }) => [issue_code, status]),
    [['T-001', 'completed']],
  )
  assert.equal(result?.task_id, one)
  const left = await stage.read((store) => store.issues.list())
  assert.deepEqual(left.map(({ issue_code, status, task_id }) => [issue_code, status, task_id]).sort(), [
    ['T-001', 'resolved', one],
    ['T-002', 'open', one],
    ['T-003', 'open', two],
  ])
  // Issues of several imports in one session, and then nothing is left.
  const rest = await fix()
  assert.deepEqual(
    rest.result?.results.map(({ status }) => status),
    ['completed', 'completed'],
    rest.stderr,
  )
  assert.match((await fix()).stderr, /nothing to do/)
  assert.match((await stage.command('fix', '--repo', 'app').ended).stderr, /give either findings, or --open/)
  assert.match((await fix('--from-import', 'imp-none')).stderr, /app has no import imp-none/)
  await checkInvariants(stage)
})
