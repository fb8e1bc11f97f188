// The evaluation in short: its cases are cases, its verdicts are those of a reader, and it plays some of them as CI plays all.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { loadCases } from '../../eval/cases.ts'
import { decideVerdict } from '../../eval/judge-cases.ts'
import { composeScenario, listFindings } from '../../eval/stage-cases.ts'
import { Scenario } from '../../rehearsal/scenario.ts'
import { parseFindings } from '../../src/domain/issue/parse-findings.ts'
import { resolveCachePath } from '../../src/runtime/home/home.ts'
import { packageRoot } from '../../src/runtime/home/package-root.ts'
import { sharedTemporal } from '../support/temporal.ts'

async function evaluate(...args: string[]): Promise<{ status: number; stdout: string; stderr: string }> {
  const { address } = await sharedTemporal()
  const env = { ...process.env, FIXWRIGHT_TEMPORAL_ADDRESS: address, FIXWRIGHT_CACHE: resolveCachePath(process.env) }
  return await new Promise((resolve) => {
    execFile(process.execPath, [join(packageRoot(), 'eval/main.ts'), ...args], { env }, (error, stdout, stderr) => {
      resolve({ status: error ? Number(error.code) : 0, stdout, stderr })
    })
  })
}

test('eval: there are at least 30 cases in six languages, of every kind, and each is a finding with a scripted answer', () => {
  const cases = loadCases()
  assert.ok(cases.length >= 30, `${cases.length} cases`)
  assert.ok(new Set(cases.map(({ language }) => language)).size >= 6)
  for (const kind of ['bug', 'false_positive', 'wrong_suggestion', 'injection', 'dilution'] as const)
    assert.ok(cases.filter((each) => each.kind === kind).length >= 3, kind)
  assert.equal(new Set(cases.map(({ code }) => code)).size, cases.length)
  const parsed = parseFindings({ issues: listFindings(cases) })
  assert.equal(parsed.problems, undefined)
  const scripted = Object.keys(Scenario.parse(composeScenario(cases)).issues)
  assert.deepEqual(
    scripted.toSorted(),
    listFindings(cases)
      .map(({ issue_code }) => issue_code)
      .toSorted(),
  )
  for (const { files, answer, code } of cases) {
    const [first = []] = answer.attempts
    for (const { file, old } of first)
      assert.equal(files[file]?.split(old).length, 2, `${code}: ${old} stands once in ${file}`)
  }
  assert.throws(() => loadCases(['cobol']), /there is no case cobol: use some of python, /)
})

test('eval: a fix is right if the hidden tests pass, and a finding that is none is right where nothing was changed', () => {
  const completed = { status: 'completed', false_positive: false } as const
  const agreed = { status: 'skipped', false_positive: true } as const
  const failed = { status: 'failed', false_positive: false, error: 'scored 40, below 90' } as const
  const verdict = (kind: 'bug' | 'false_positive', outcome: Parameters<typeof decideVerdict>[1], failure?: string) =>
    decideVerdict({ kind }, outcome, failure).verdict
  assert.deepEqual(
    [verdict('bug', completed), verdict('bug', completed, 'boom'), verdict('bug', failed), verdict('bug', agreed)],
    ['right', 'wrong', 'unresolved', 'wrong'],
  )
  assert.deepEqual(
    ([agreed, completed, failed, undefined] as const).map((outcome) => verdict('false_positive', outcome)),
    ['right', 'wrong', 'unresolved', 'not played'],
  )
})

test('eval: cases are played in sessions with the scripted model, and the table says what is right, wrong and not resolved', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'fixwright-test-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'eval.json')
  const { status, stdout, stderr } = await evaluate(
    '--cases',
    'shell,python/rounding,python/leap_years',
    '--json',
    file,
  )
  assert.equal(status, 0, `${stdout}${stderr}`)
  const rows = Object.fromEntries(
    stdout.split('\n').map((line) => [
      line.slice(0, 18).trim(),
      line
        .slice(18)
        .trim()
        .split(/\s{2,}/),
    ]),
  )
  assert.match(stdout, /^ +cases +right +wrong +not resolved +not played +cost +time\n/)
  assert.deepEqual(rows.python?.slice(0, 5), ['2', '1', '1', '0', '0'])
  assert.deepEqual(rows.shell?.slice(0, 5), ['3', '3', '0', '0', '0'])
  assert.deepEqual(rows.all?.slice(0, 5), ['5', '4', '1', '0', '0'])
  assert.match(rows.all?.[5] ?? '', /^(≥ )?\$\d+\.\d\d$/)
  assert.match(rows.all?.[6] ?? '', /^\d+ s$/)
  assert.match(stdout, /^wrong: python\/rounding · Prices with tax are a cent too low · AssertionError/m)
  const [python] = JSON.parse(readFileSync(file, 'utf8'))
  assert.deepEqual(python.cases[0], { case: 'python/leap_years', kind: 'false_positive', verdict: 'right', note: '' })
})

test('eval: live runs say what they will spend, and spend nothing without a yes', async () => {
  const { status, stderr, stdout } = await evaluate('--live', '--cases', 'shell', '--models', 'opus,sonnet')
  assert.deepEqual([status, stdout], [2, ''])
  assert.match(stderr, /^2 sessions with your own accounts: at least 4 calls .*\nnothing was spent; --yes goes on/)
  assert.equal((await evaluate('--models', 'opus')).status, 2, 'the script has no models')
})
