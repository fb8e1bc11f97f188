// What a report says of a session that really ran: one issue fixed, one not, and a check that was green before.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import type { Report } from '../../src/app/report/report-model.ts'
import { checkInvariants } from '../support/invariants.ts'
import { attempts, change, rightEdit, rightWith, write, wrongEdit } from '../support/scripting.ts'
import { setMadeStage } from '../support/session.ts'

const CHECK = 'test -f ledger/part_000.py'
const WORDS = 'It only looks done. </details><script>alert(1)</script> @everyone'

test('a report tells what was fixed and what was not, with diff, scores, claim, checks and rounds [S4-5, S4-6, S4-14, S2-19]', async (t) => {
  const stage = await setMadeStage(t, 2, {
    change: (made) => {
      attempts(made, 'T-001', [rightEdit(made, 'T-001'), write('ledger/helper.py', 'HELP = 1\n')])
      attempts(made, 'T-002', [wrongEdit(made, 'T-002')])
      change(made, 'T-002', { feedback: WORDS })
    },
  })
  const args = [
    ...['--verify', CHECK, '--max-iterations', '2', '--set', 'limits.max_issues_per_cli_call=1'],
    ...['--set', 'scope.additions.unused_files.decision=allow'],
  ]
  const { result } = await stage.fix(stage.made.findings, { args, status: 1 })
  assert.ok(result)
  const [commit] = result.commits
  assert.ok(commit)
  await stage.quiet()
  const written = async (format: string): Promise<string> => {
    const { status, stdout, stderr } = await stage.command('report', result.session_id, '--format', format).ended
    assert.deepEqual([status, stderr], [0, ''], `${format}: ${stderr}`)
    return stdout
  }

  const report: Report = JSON.parse(await written('json'))
  const [fixed, failed] = report.issues
  assert.ok(fixed && failed)
  assert.deepEqual(
    [fixed.issue_code, fixed.state, failed.issue_code, failed.state],
    ['T-001', 'fixed', 'T-002', 'failed'],
  )
  assert.deepEqual(fixed.outcome, result.results[0], 'S2-19 as the session wrote it down')
  assert.equal(fixed.outcome?.commit_sha, commit.sha)
  assert.deepEqual([fixed.unproven, fixed.iterations, failed.iterations], [null, 1, 2])
  assert.match(fixed.claim?.changes_summary ?? '', /Corrected|T-001/)
  assert.equal(fixed.challenges.at(-1)?.score, 97)
  assert.equal(fixed.challenges.at(-1)?.tree, stage.git('rev-parse', `${commit.sha}^{tree}`))
  assert.deepEqual(
    [fixed.verification?.verdict, fixed.verification?.tree],
    ['passed', stage.git('rev-parse', `${commit.sha}^{tree}`)],
  )
  assert.deepEqual(
    fixed.verification?.commands.map(({ command, before, after, effect }) => [command, before, after, effect]),
    [[CHECK, 'passed', 'passed', 'passes']],
  )
  assert.equal(fixed.diff?.source, 'commit')
  assert.match(fixed.diff.text, /^\+HELP = 1$/m, 'S4-14 a new file is part of the diff')
  assert.deepEqual(fixed.outside_files, ['ledger/helper.py'])
  assert.deepEqual(fixed.outcome.fix_files_outside, ['ledger/helper.py'])
  assert.equal(failed.diff?.source, 'attempt')
  assert.deepEqual(failed.diff.files, [failed.file])
  assert.equal(failed.challenges.at(-1)?.feedback, WORDS)
  assert.ok(fixed.calls.every(({ transcript_ref }) => transcript_ref !== undefined) && fixed.calls.length > 1)

  const { cycles, ...whole } = report.fix_report
  assert.deepEqual(whole, { finalStatus: 'failed', totalCycles: 3, fixesApplied: 1, duration: result.duration_ms })
  assert.deepEqual(
    cycles.map(({ cycle, agentResult, verification }) => [cycle, agentResult.issues, verification?.passed]),
    [
      [1, ['T-001'], true],
      [2, ['T-002'], true],
      // Its edit was there already: nothing new to run a check on.
      [3, ['T-002'], undefined],
    ],
  )
  assert.deepEqual(cycles[0]?.diffAfterFix.files.toSorted(), ['ledger/helper.py', fixed.file])

  const markdown = await written('md')
  for (const words of [
    '# Fixwright: 1 of 2 issue(s) fixed',
    '**Not everything is fixed.**',
    `**✔ fixed** in \`${commit.sha.slice(0, 10)}\``,
    '**✗ failed**',
    `**check** \`${CHECK}\` passes (before: passed, after: passed)`,
    '+HELP = 1',
    'also changed, though no finding names it** ledger/helper.py',
    'It only looks done',
  ])
    assert.ok(markdown.includes(words), `${words}\n${markdown}`)
  assert.doesNotMatch(markdown, /<script>|@everyone/)

  const [{ results }] = JSON.parse(await written('sarif')).runs
  assert.deepEqual(
    results.map(({ baselineState, suppressions, properties, locations: [{ physicalLocation }] }: SarifResult) => [
      properties.issue_code,
      baselineState,
      suppressions.length,
      physicalLocation.artifactLocation.uri,
    ]),
    [
      ['T-001', 'absent', 1, fixed.file],
      ['T-002', 'unchanged', 0, failed.file],
    ],
  )

  const end = (await stage.command('watch', result.session_id).ended).stdout
  const head = `git -C ${stage.repository} log ${stage.git('rev-parse', `${commit.sha}^`).slice(0, 10)}..${result.branch_name}`
  assert.ok(end.includes(`commits  ${head}\n`), end)
  assert.match(execFileSync('/bin/sh', ['-c', head], { encoding: 'utf8' }), new RegExp(`^commit ${commit.sha}$`, 'm'))
  assert.match(end, /why T-002 failed\n {2}the challenger: It only looks done/)
  assert.doesNotMatch(end, /why T-001/)
  assert.match(end, /its diff: fixwright logs \S+ T-002 --diff\n/)
  assert.match(end, /go on +the same "fixwright fix" again\n/)
  const diff = await stage.command('logs', result.session_id, 'T-002', '--diff').ended
  assert.equal(`${failed.diff.text.trimEnd()}\n`, diff.stdout)
  execFileSync('git', ['-C', stage.repository, 'apply', '--check', '--cached', '-'], { input: diff.stdout })
  await checkInvariants(stage, 'report')
})

test('in the profile verify a report says what may silence a check and what a test proves, and so does the commit [S2-19, S4-5, S4-6, S4-14]', async (t) => {
  const proof = `import unittest
from ledger.part_000 import last_page_000


class LastPage(unittest.TestCase):
    def test_a_page_that_is_not_full(self):
        self.assertEqual(last_page_000(5, 2), 3)
`
  const stage = await setMadeStage(t, 2, {
    files: { 'test_imports.py': 'import unittest\nimport ledger.part_001\n' },
    change: (made) => {
      const edit = rightEdit(made, 'T-001')
      const reply = { file_modified: [edit.file, 'test_last_page.py'] }
      change(made, 'T-001', { fixes: [{ steps: [edit, write('test_last_page.py', proof)], reply }] })
      attempts(made, 'T-002', [rightWith(made, 'T-002', 'noqa')])
    },
  })
  const suite = 'python3 -B -m unittest discover -p "test_*.py"; test $? -ne 1'
  const args = ['--profile', 'verify', '--verify', suite, '--set', 'verification.prove=true']
  const { result } = await stage.fix(stage.made.findings, { args })
  await stage.quiet()
  const written = async (format: string): Promise<string> => {
    const { status, stdout, stderr } = await stage.command('report', result?.session_id ?? '', '--format', format).ended
    assert.deepEqual([status, stderr], [0, ''])
    return stdout
  }
  const report: Report = JSON.parse(await written('json'))
  const [proven, plain] = report.issues
  assert.ok(proven && plain)
  assert.equal(report.final_status, 'passed')
  assert.deepEqual([proven.proof?.verdict, proven.proof?.files, proven.silenced], ['proven', ['test_last_page.py'], []])
  assert.deepEqual([plain.proof?.verdict, plain.proof?.why], ['not_proven', 'no test was added or changed'])
  assert.deepEqual(
    plain.silenced.map(({ file, kind, text }) => [file, kind, text]),
    [[plain.file, 'suppression', '# noqa']],
  )
  assert.deepEqual(proven.outside_files, ['test_last_page.py'])
  const [first, second] = report.commits
  assert.match(first?.message ?? '', /^Fixwright-Proven: T-001: test_last_page\.py$/m)
  assert.match(second?.message ?? '', /^Fixwright-Silenced: .*tells a check to look away$/m)
  assert.deepEqual([first?.train?.place, first?.train?.tree, second?.train?.place], [1, second?.train?.tree, 2])
  const markdown = await written('md')
  for (const words of [
    '**regression test (proven)** without the fix',
    '**may silence a check**',
    'proven by tests: T-001',
  ])
    assert.ok(markdown.includes(words), `${words}\n${markdown}`)
  await checkInvariants(stage, 'proven-once')
})

interface SarifResult {
  readonly baselineState: string
  readonly suppressions: readonly unknown[]
  readonly properties: { readonly issue_code: string }
  readonly locations: readonly [{ readonly physicalLocation: { readonly artifactLocation: { readonly uri: string } } }]
}
