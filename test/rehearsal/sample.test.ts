import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { writePrompt } from '../../rehearsal/prompt.ts'
import { makeSample, SAMPLE_CHECKS, SAMPLE_FINDINGS, SAMPLE_SCENARIO } from '../../rehearsal/sample.ts'
import { readScenario, type ScenarioInput } from '../../rehearsal/scenario.ts'
import { applyFixes, git, scoresOf } from './repositories.ts'
import { setStage, temporaryFolder } from './support.ts'

interface Listed {
  readonly issue_code?: string
  readonly id?: string
  readonly file: string
}
const FINDINGS: Listed[] = JSON.parse(readFileSync(SAMPLE_FINDINGS, 'utf8')).issues
const CODES = FINDINGS.map((finding) => finding.issue_code ?? finding.id ?? '')
const scenario: ScenarioInput = readScenario(SAMPLE_SCENARIO)

function sample(t: TestContext): string {
  return makeSample(join(temporaryFolder(t), 'shop'))
}

/** Which of the sample's tests fail, by name. */
function failures(repository: string): string[] {
  const [python = '', node = ''] = SAMPLE_CHECKS.map((command) => {
    const { PATH = '' } = process.env
    const env = { PATH, PYTHONDONTWRITEBYTECODE: '1' }
    const run = spawnSync(command, { cwd: repository, shell: true, encoding: 'utf8', env })
    assert.ok((run.status ?? 9) < 2, `${command}: ${run.stderr}`)
    return `${run.stdout}\n${run.stderr}`
  })
  assert.match(python, /^Ran 12 tests/m)
  const failed = [
    ...python.matchAll(/^(?:FAIL|ERROR): (\w+)/gm),
    ...node.matchAll(/^not ok \d+ - (.*)$/gm),
    ...node.matchAll(/^✖ (.*) \(/gm),
  ]
  return [...new Set(failed.map(([, name = '']) => name))].filter((name) => !name.endsWith('.js'))
}

test('the sample is the same commit wherever it is made, and holds what its findings name', (t) => {
  const [one, other] = [sample(t), sample(t)]
  assert.equal(git(one, 'rev-parse', 'main'), git(other, 'rev-parse', 'main'))
  assert.equal(git(one, 'status', '--porcelain'), '')
  assert.equal(new Set(CODES).size, 7)
  for (const finding of FINDINGS) assert.ok(existsSync(join(one, finding.file)), finding.file)
  assert.deepEqual(Object.keys(scenario.issues ?? {}).sort(), [...CODES].sort())
})

test("every bug has a test that fails before its fix; the right fixes make all pass, and the challenger's proofs hold", (t) => {
  const repository = sample(t)
  assert.equal(failures(repository).length, 9)
  applyFixes(repository, scenario, CODES, 1)
  const first = scoresOf(repository, scenario, CODES)
  assert.deepEqual([first['SHOP-007'], Math.min(...CODES.slice(0, 6).map((code) => first[code] ?? 0))], [70, 97])
  assert.deepEqual(failures(repository), [], 'the bad first fix passes the tests: the challenger is what catches it')
  applyFixes(repository, scenario, CODES, 2)
  assert.deepEqual(failures(repository), [])
  assert.deepEqual(
    Object.values(scoresOf(repository, scenario, CODES)),
    CODES.map(() => 97),
  )
})

test('the second fix also works on the untouched file, and one issue of a file alone leaves the other', (t) => {
  const repository = sample(t)
  applyFixes(repository, scenario, ['SHOP-007', 'SHOP-002'], 2)
  const scores = scoresOf(repository, scenario, CODES)
  assert.deepEqual([scores['SHOP-007'], scores['SHOP-002'], scores['SHOP-001'], scores['SHOP-003']], [97, 97, 45, 20])
})

test('the real Claude makes these fixes in one call, and a second one for the issue that was caught', async (t) => {
  const { claude, work } = await setStage(t, scenario)
  makeSample(work)
  const ask = async (role: string, iteration: number, codes: readonly string[]) => {
    const run = await claude(writePrompt({ role, iteration, codes: [...codes] }, { issues: FINDINGS }))
    assert.equal(JSON.parse(run.stdout).is_error, false, run.stdout)
  }
  await ask('fixer', 1, CODES.slice(0, 5))
  await ask('fixer', 1, CODES.slice(5))
  assert.equal(scoresOf(work, scenario, CODES)['SHOP-007'], 70)
  await ask('re_fixer', 2, ['SHOP-007'])
  assert.deepEqual(
    Object.values(scoresOf(work, scenario, CODES)),
    CODES.map(() => 97),
  )
})
