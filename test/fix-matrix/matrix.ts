// Plays wrong fixes beside right ones, several in one session, with a challenger that says 100 to everything: none of the wrong ones is
// committed. An oracle of its own looks at what was committed: the tests of the base pass on it as they did on the base.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { TestContext } from 'node:test'
import type { ScenarioInput, Step } from '../../rehearsal/scenario.ts'
import { checkInvariants } from '../support/invariants.ts'
import { type E2eStage, repositoryOf, setStage } from '../support/session.ts'
import { until } from '../support/until.ts'
import { RIGHT_FIXES } from './right-fixes.ts'
import { RIGHT, type Rig, ROOT_FILES, type WrongFix } from './wrong-fixes.ts'

/** What is red before any fix: nothing, or one test of the command that most cases have, read by name or by the runner's counts. */
export type Base = 'green' | 'red, by test' | 'red, by counts'
export const BASES: readonly Base[] = ['green', 'red, by test', 'red, by counts']
export const PROFILES = ['batched', 'sequential', 'one-call', 'verify'] as const
export type Profile = (typeof PROFILES)[number]

const COMMANDS: Readonly<Record<Rig, string>> = {
  tests: 'node --test --test-reporter=tap test/*.test.js',
  npm: 'NODE_DISABLE_COMPILE_CACHE=1 npm test --silent',
  make: 'make -s check',
  script: 'sh tools/check.sh',
  pytest: 'for each in conftest inifile; do (cd $each && python3 -B -m pytest -v -p no:cacheprovider) || exit 1; done',
}

/** Right, and for a test that is red on the base. */
const RED_FILES = {
  'src/red.js': 'export const answer = 41\n',
  'test/red.test.js': `import { equal } from 'node:assert/strict'\nimport { test } from 'node:test'\nimport { answer } from '../src/red.js'\n\ntest('red: a number', () => equal(typeof answer, 'number'))\ntest('red: the answer', () => equal(answer, 42))\n`,
}
/** Right, and nothing of the base says so. */
const GOOD_FILES = {
  'src/good.js': 'export function half(n) {\n  return n\n}\n',
  'test/good.test.js': `import { equal } from 'node:assert/strict'\nimport { test } from 'node:test'\nimport { half } from '../src/good.js'\n\ntest('good: half of nothing', () => equal(half(0), 0))\n`,
}

interface Case {
  readonly code: string
  readonly source: string
  readonly steps: readonly Step[]
  /** What the fixer says it changed. */
  readonly claims: readonly string[]
  readonly isRight: boolean
}

function filesOf(fixes: readonly WrongFix[], base: Base): Record<string, string> {
  const all = { ...ROOT_FILES, ...GOOD_FILES, ...(base === 'green' ? {} : RED_FILES) }
  return Object.assign({ ...all }, ...fixes.map(({ files }) => files))
}

function casesOf(fixes: readonly WrongFix[], base: Base): Case[] {
  const wrong = fixes.map(({ name, source, steps, changed }): Case => {
    return { code: name.toUpperCase(), source, steps, claims: [source, ...changed], isRight: false }
  })
  const right = (code: string, source: string, change: { readonly old: string; readonly new: string }): Case => {
    return { code, source, steps: [{ tool: 'edit', file: source, ...change }], claims: [source], isRight: true }
  }
  const good = right('GOOD', 'src/good.js', RIGHT)
  const red = right('RED', 'src/red.js', { old: 'answer = 41', new: 'answer = 42' })
  return [...wrong, good, ...(base === 'green' ? [] : [red])]
}

function commandsOf(fixes: readonly WrongFix[], base: Base): string[] {
  const rigs = [...new Set(['tests' as const, ...fixes.map(({ rig }) => rig)])]
  return rigs.map((rig) => (base === 'red, by counts' ? COMMANDS[rig].replace('=tap', '=spec') : COMMANDS[rig]))
}

export interface Play {
  readonly profile: Profile
  readonly base: Base
  readonly fixes: readonly WrongFix[]
}

export async function playWrongFixes(t: TestContext, { profile, base, fixes }: Play): Promise<void> {
  const cases = casesOf(fixes, base)
  const stage = await setStage(t, { repository: repositoryOf(filesOf(fixes, base)) })
  stage.model.setScenario(scenarioOf(cases))
  const commands = commandsOf(fixes, base)
  const running = stage.start({ issues: cases.map(findingOf) }, [
    ...commands.flatMap((command) => ['--verify', command]),
    ...['--profile', profile, '--max-iterations', '1', '--set', 'verification.test_changes=reject'],
    ...['--set', `limits.max_issues_per_cli_call=${cases.length}`, '--set', 'limits.max_workload_points_per_batch=90'],
  ])
  const { result, stderr } = await running.ended
  assert.ok(result, stderr)
  const told = result.results
    .map(({ issue_code, status, error }) => `${issue_code} ${status} ${error ?? ''}`)
    .join('\n')
  const completed = result.results.filter(({ status }) => status === 'completed').map(({ issue_code }) => issue_code)
  t.diagnostic(
    `${Math.round(result.duration_ms / 1000)} s; ${await countRuns(stage, result.session_id)} runs of the checks`,
  )
  assert.deepEqual(
    completed.filter((code) => !cases.find((each) => each.code === code)?.isRight),
    [],
    `${told}\n${stderr}`,
  )
  // Where all has to pass, and a test stays red, nobody passes.
  const isHopeless = fixes.some(({ refutedBy }) => refutedBy === 'strictness')
  const right = cases.filter(({ isRight }) => isRight).map(({ code }) => code)
  assert.deepEqual(completed, isHopeless ? [] : right, `${told}\n${stderr}`)
  if (result.branch_name && result.commits.length > 0) assertHolds(stage, result.branch_name, { fixes, base })
  await checkInvariants(stage)
}

/** With a challenger that says 100, and a person who allows what they are asked about. */
export async function playRightFixes(t: TestContext, profile: Profile): Promise<void> {
  const files = Object.assign({ ...ROOT_FILES }, ...RIGHT_FIXES.map((fix) => fix.files))
  const cases = RIGHT_FIXES.map(({ name, source, steps, changed }): Case => {
    return { code: name.toUpperCase(), source, steps, claims: [source, ...changed], isRight: true }
  })
  const stage = await setStage(t, { repository: repositoryOf(files) })
  stage.model.setScenario(scenarioOf(cases))
  const running = stage.start({ issues: cases.map(findingOf) }, [
    ...['--verify', COMMANDS.tests, '--profile', profile],
    ...['--set', `limits.max_issues_per_cli_call=${cases.length}`, '--set', 'limits.max_workload_points_per_batch=90'],
  ])
  let isOver = false
  void running.ended.then(() => {
    isOver = true
  })
  let questions = 0
  while (!isOver) {
    let asking: string | undefined
    await until('a person is asked, or it is over', async () => {
      const [session] = await stage.sessions()
      if (session?.decision) asking = session.session_id
      return isOver || asking !== undefined
    })
    if (asking === undefined) break
    questions += 1
    const { status, stderr } = await stage.command('scope', asking, '--approve').ended
    assert.equal(status, 0, stderr)
  }
  const { result, stderr } = await running.ended
  assert.deepEqual(
    result?.results.map(({ issue_code, status }) => `${issue_code} ${status}`),
    cases.map(({ code }) => `${code} completed`),
    stderr,
  )
  assert.ok(questions <= 1, `${questions} questions`)
  await checkInvariants(stage)
}

function scenarioOf(cases: readonly Case[]): ScenarioInput {
  return {
    together: true,
    issues: Object.fromEntries(
      cases.map(({ code, source, steps, claims }) => {
        const summary = `Corrected what ${source} computes.`
        const fix = { steps: [...steps], summary, reply: { file_modified: [...claims] } }
        return [code, { fixes: [fix], scores: [100] }]
      }),
    ),
    wholeScores: [100],
  }
}

function findingOf({ code, source }: Case) {
  return {
    issue_code: code,
    title: `${source} computes the wrong number`,
    description: 'half returns its argument.',
    file: source,
    line: '6',
    severity: 'medium',
  }
}

async function countRuns(stage: E2eStage, session: string): Promise<number> {
  const events = await stage.events(session)
  return events.filter(({ type }) => type === 'fix_verification_started').length
}

/** What was committed, with the tests of the base and what runs them. */
function assertHolds(stage: E2eStage, branch: string, { fixes, base }: Omit<Play, 'profile'>): void {
  const folder = mkdtempSync(join(tmpdir(), 'oracle-'))
  try {
    const archive = execFileSync('git', ['archive', branch], { cwd: stage.repository, maxBuffer: 2 ** 26 })
    execFileSync('tar', ['-x'], { cwd: folder, input: archive })
    for (const { files, changed } of fixes) restore(folder, files, changed)
    for (const fix of fixes)
      assert.equal(isRefuted(folder, fix), false, `${fix.name} is in what was committed (${base})`)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function restore(folder: string, files: Readonly<Record<string, string>>, changed: readonly string[]): void {
  for (const path of changed) {
    const text = files[path]
    if (text === undefined) rmSync(join(folder, path), { force: true })
    else writeFile(folder, path, text)
  }
}

function writeFile(folder: string, path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}

/** Whether the case's own tests fail, or are not run. */
function isRefuted(folder: string, { name, rig, refutedBy }: WrongFix): boolean {
  if (refutedBy === 'emptiness') return false
  const command = rig === 'tests' ? `node --test --test-reporter=spec test/${name}.test.js` : COMMANDS[rig]
  const own = rig === 'pytest' ? `cd ${name} && python3 -B -m pytest -v -p no:cacheprovider` : command
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const { status, stdout } = spawnSync('sh', ['-c', own], { cwd: folder, encoding: 'utf8', env })
  return status !== 0 || !new RegExp(`✔ ${name}|test_${name} PASSED`).test(stdout)
}

/** Each case is what it says: with the tests of the base, its checks hold on the base and fail with the fix. */
export function assertBites(fix: WrongFix): void {
  const folder = mkdtempSync(join(tmpdir(), 'bites-'))
  try {
    for (const [path, text] of Object.entries({ ...ROOT_FILES, ...fix.files })) writeFile(folder, path, text)
    assert.equal(isRefuted(folder, fix), fix.refutedBy === 'strictness', `${fix.name} on the base`)
    for (const step of fix.steps) perform(folder, step)
    restore(folder, fix.files, fix.changed)
    assert.equal(isRefuted(folder, fix), fix.refutedBy !== 'emptiness', `${fix.name} with its fix`)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function perform(folder: string, step: Step): void {
  if (step.tool === 'bash') execFileSync('sh', ['-c', step.command], { cwd: folder })
  else if (step.tool === 'write') writeFile(folder, step.file, step.content)
  else {
    const before = readFileSync(join(folder, step.file), 'utf8')
    assert.ok(before.includes(step.old), `${step.file} holds ${step.old}`)
    writeFile(folder, step.file, before.replace(step.old, step.new))
  }
}
