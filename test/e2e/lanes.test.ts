// Several batches at the same time, each in a work tree of its own, with the real CLIs.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { checkInvariants } from '../support/invariants.ts'
import { kill, QUICK } from '../support/killing.ts'
import { amends, attempts, bash, wrongEdit } from '../support/scripting.ts'
import { branchesOf, gitAt, setMadeStage } from '../support/session.ts'
import { HAS_TMUX, openWindow } from '../support/tmux.ts'
import { until } from '../support/until.ts'

test('three lanes fix twelve findings side by side, and a fixer that changes the file of another lane loses nothing', {
  timeout: 300_000,
}, async (t) => {
  const stage = await setMadeStage(t, 12, {
    change: (made) => {
      // T-001 is wrong at first, and its call changes the file of T-007, which another lane works on.
      const { file } = made.findings.issues.find(({ issue_code }) => issue_code === 'T-007') ?? assert.fail()
      attempts(made, 'T-001', [wrongEdit(made, 'T-001'), bash(`echo '// looked at' >> ${file}`)], amends(made, 'T-001'))
    },
  })
  const { result, stdout } = await stage.fix(stage.made.findings, { args: ['--lanes', '3'] })
  assert.ok(result, stdout)
  assert.equal(result.issues_fixed, 12, JSON.stringify(result.results.filter(({ status }) => status !== 'completed')))
  const calls = stage.model.calls().filter(({ role }) => role !== 'auxiliary')
  const spans = [...Map.groupBy(calls, ({ call }) => call).values()].map(
    (all) => [all[0]?.startedAt ?? 0, all.at(-1)?.endedAt ?? 0] as const,
  )
  assert.ok(
    spans.some(([start], index) => spans.some(([from, to], other) => other !== index && from < start && start < to)),
    'two agents were at work at once',
  )
  await checkInvariants(stage, 'three-lanes')
})

const ONE_BY_ONE = ['--lanes', '3', '--set', 'limits.max_issues_per_cli_call=1']
const HELD = ['T-001', 'T-002', 'T-003']

test('kill -9 of the worker while three lanes fix changes nothing, and stages that share a file keep their order', {
  timeout: 300_000,
}, async (t) => {
  const faults = HELD.map((code) => ({ match: { role: 'fixer', code }, fault: { kind: 'hold' } }) as const)
  const stage = await setMadeStage(t, 5, { server: 'own', environment: QUICK, scenario: { faults } })
  const fix = stage.start(stage.made.findings, ONE_BY_ONE)
  for (const code of HELD) await stage.model.waitFor({ role: 'fixer', code })
  kill(stage, ['worker'])
  stage.model.release()
  const { status, result, stderr } = await fix.ended
  assert.equal(status, 0, stderr)
  const landed = result?.commits.map(({ issue_codes: [code = ''] }) => code) ?? []
  assert.deepEqual(landed.toSorted(), ['T-001', 'T-002', 'T-003', 'T-004', 'T-005'])
  // T-003 and T-004 are about one file.
  assert.ok(landed.indexOf('T-003') < landed.indexOf('T-004'))
  await checkInvariants(stage)
})

const FIXES_AT_ONCE = `
import { existsSync, globSync, readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
const fixes = globSync('ledger/*.py').flatMap((file) => readFileSync(file, 'utf8').match(/-\\(-count|count >= size|if size else/g) ?? [])
// A tree of several batches is held.
if (fixes.length > 1) while (!existsSync(process.argv[2])) await setTimeout(50)
`

test('batches that wait to land land as one train, and commits and report say so', { timeout: 300_000 }, async (t) => {
  const stage = await setMadeStage(t, 5, { files: { 'check.mjs': FIXES_AT_ONCE } })
  const issues = stage.made.findings.issues.filter(({ issue_code }) => issue_code !== 'T-004')
  const gate = `${stage.folder}/go`
  const verify = ['--verify', `node check.mjs ${gate}`]
  const fix = stage.start({ issues }, ['--lanes', '4', '--set', 'limits.max_issues_per_cli_call=1', ...verify])
  await until('one batch has landed, and two wait for those that are checked on top of it', async () =>
    /^to land +batch \d \(T-00\d\), batch \d \(T-00\d\)$/m.test((await stage.command('status').ended).stdout),
  )
  stage.write({ '../go': '' })
  const { status, result, stderr } = await fix.ended
  assert.equal(status, 0, stderr)
  assert.match(stderr, /[23] batches as one train, in a fresh checkout: passed/)
  const riding = result?.commits.filter(({ train }) => train) ?? []
  assert.ok(riding.length >= 2, JSON.stringify(result?.commits))
  for (const { sha, train } of riding) {
    assert.match(
      stage.git('show', '--no-patch', sha),
      new RegExp(`Fixwright-Train: ${train?.place} of ${train?.of}, judged as tree`),
    )
  }
  const report = (await stage.command('report', result?.session_id ?? '').ended).stdout
  assert.match(report, /commit 1 of [23], judged as tree/)
  await checkInvariants(stage, 'train')
})

test('a person commits on the branch while three lanes are at work: theirs stays, and all of them land on it', {
  timeout: 300_000,
}, async (t) => {
  const held = ['T-002', 'T-003', 'T-005']
  const faults = held.map((code) => ({ match: { role: 'fixer', code }, fault: { kind: 'hold' } }) as const)
  const stage = await setMadeStage(t, 5, { scenario: { faults } })
  const fix = stage.start(stage.made.findings, ONE_BY_ONE)
  // T-001 has landed by then, and T-004 waits for T-003.
  for (const code of held) await stage.model.waitFor({ role: 'fixer', code })
  const [branch = ''] = await branchesOf(stage)
  const checkout = join(stage.folder, 'checkout')
  gitAt(stage.repository, ['worktree', 'add', '--quiet', checkout, branch])
  writeFileSync(join(checkout, 'mine.py'), 'mine = 1\n')
  gitAt(checkout, ['add', 'mine.py'])
  gitAt(checkout, ['commit', '--quiet', '-m', 'A word of mine'])
  gitAt(stage.repository, ['worktree', 'remove', checkout])
  stage.model.release()
  const { status, result, stderr } = await fix.ended
  assert.equal(status, 0, stderr)
  const subjects = stage.git('log', '--format=%s', '--reverse', `main..${branch}`).split('\n')
  assert.deepEqual([result?.commits.length, subjects.length, subjects.indexOf('A word of mine')], [5, 6, 1])
  assert.equal(stage.git('show', `${branch}:mine.py`), 'mine = 1')
  await checkInvariants(stage, 'lanes-person-on-branch')
})

test('status shows a line for each lane, and a cancel ends them all within three seconds and leaves their issues open', {
  timeout: 300_000,
}, async (t) => {
  const faults = HELD.map((code) => ({ match: { role: 'fixer', code }, fault: { kind: 'hold' } }) as const)
  const stage = await setMadeStage(t, 5, { scenario: { faults } })
  const fix = stage.start(stage.made.findings, ['--profile', 'parallel', ...ONE_BY_ONE])
  for (const code of HELD) await stage.model.waitFor({ role: 'fixer', code })
  const shown = (await stage.command('status').ended).stdout
  for (const [index, code] of HELD.entries()) {
    assert.match(shown, new RegExp(`lane ${index + 1}: batch \\d of 5 · fixer on ${code} for \\d+ s · attempt 1`))
  }
  const cancelledAt = Date.now()
  fix.child.kill('SIGINT')
  const { status, result, stderr } = await fix.ended
  assert.equal(status, 130, stderr)
  assert.match(stderr, /lane 2 · BE Batch 2\/5 · /)
  assert.ok(!stderr.includes('\u001b'), 'there is no terminal')
  const ends = stage.model
    .calls()
    .flatMap(({ role, endedAt = Number.POSITIVE_INFINITY }) => (role === 'fixer' ? endedAt : []))
  const tooLate = ends.map((at) => at - cancelledAt).filter((ms) => ms > 3_000)
  assert.deepEqual([ends.length, tooLate], [HELD.length, []])
  assert.deepEqual([result?.status, result?.issues_skipped], ['cancelled', 5])
  await checkInvariants(stage, 'lanes-cancelled')
})

test('a terminal shows a line for each lane below the log, and nothing of them stays behind', {
  timeout: 300_000,
  skip: !HAS_TMUX && 'there is no tmux here',
}, async (t) => {
  const faults = HELD.map((code) => ({ match: { role: 'fixer', code }, fault: { kind: 'hold' } }) as const)
  const stage = await setMadeStage(t, 3, { scenario: { faults } })
  stage.write({ '../findings.json': JSON.stringify(stage.made.findings) })
  const window = openWindow(
    100,
    stage,
    ...['fix', `${stage.folder}/findings.json`, '--repo', stage.repository, '--profile', 'parallel', ...ONE_BY_ONE],
  )
  const block = HELD.map(
    (code, index) => new RegExp(`^ *lane ${index + 1} · batch ${index + 1}/3 · ${code} · fixer \\d+ s`),
  )
  await until('a line for each lane stands below all others', () => {
    const lines = window.wholeLines()
    const last = lines.slice(-HELD.length)
    return /0\/3 issues/.test(lines.at(-HELD.length - 1) ?? '') && last.every((line, index) => block[index]?.test(line))
  })
  stage.model.release()
  await until('the session has ended', () => window.status() !== undefined)
  const [status, lines] = [window.status(), window.wholeLines()]
  window.close()
  assert.equal(status, 0, lines.join('\n'))
  assert.deepEqual(
    lines.filter((line) => /lane \d · batch \d\/3/.test(line)),
    [],
  )
  await checkInvariants(stage)
})
