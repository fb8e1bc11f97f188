// Real fixes of public projects (rehearsal/real-fixes), several in one call, with a challenger that says 96 to everything: all right ones
// are committed, also beside wrong ones, and no wrong one is that the project's own tests refute. Prints what the proof cost.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { makeRealCases, type ScriptedFix, scriptEdits } from '../../rehearsal/real-fixes/cases.ts'
import { type Project, readProjects } from '../../rehearsal/real-fixes/projects.ts'
import { type CheckTime, listCheckTimes } from '../../src/app/report/check-time.ts'
import { checkInvariants } from '../support/invariants.ts'
import { type E2eStage, setStage } from '../support/session.ts'

const MINUTES = 60_000
const KINDS = ['syntax', 'comment', 'nothing'] as const

/** FIXWRIGHT_REAL_FIXES=pflag,semver runs only these. */
const CHOSEN = process.env.FIXWRIGHT_REAL_FIXES?.split(',')

for (const [nth, project] of readProjects().entries()) {
  if (CHOSEN && !CHOSEN.includes(project.name)) continue

  test(`${project.name}: all of ${project.fixes.length} real fixes of one call are committed`, {
    timeout: 20 * MINUTES,
  }, async (t) => {
    const { results, unresolved } = await play(t, project, () => undefined)
    assert.deepEqual(unresolved, [], results)
  })

  test(`${project.name}: of real and wrong fixes in one call, the real ones are committed`, {
    timeout: 20 * MINUTES,
  }, async (t) => {
    const wrong = (index: number) => (index % 3 === nth % 3 ? KINDS[(nth + index) % KINDS.length] : undefined)
    const { codes, results, unresolved } = await play(t, project, wrong)
    assert.deepEqual(
      unresolved,
      codes.filter((_, index) => wrong(index) !== undefined),
      results,
    )
  })
}

interface Played {
  readonly codes: readonly string[]
  /** In the order of the findings. */
  readonly unresolved: readonly string[]
  readonly results: string
}

async function play(
  t: TestContext,
  project: Project,
  wrong: (index: number) => (typeof KINDS)[number] | undefined,
): Promise<Played> {
  let made: ReturnType<typeof makeRealCases> | undefined
  const stage = await setStage(t, { repository: (folder) => (made = makeRealCases(project, folder)) })
  assert.ok(made)
  const { cases, command } = made
  const scripted = scriptEdits(
    stage.repository,
    cases.map((real, index) => {
      const kind = wrong(index)
      return kind === undefined ? real.right : real.wrong[kind]
    }),
  )
  stage.model.setScenario({
    issues: Object.fromEntries(
      cases.map(({ finding }, index) => [finding.issue_code, scriptOf(finding.title, scripted[index] as ScriptedFix)]),
    ),
  })
  const running = stage.start({ issues: cases.map(({ finding }) => finding) }, [
    ...['--verify', command, '--set', 'verification.test_changes=allow', '--max-iterations', '1'],
    ...['--set', `limits.max_issues_per_cli_call=${cases.length}`],
    ...(project.registry === 'go' ? ['--setup', command.replace(/ go test.*/, ' go mod download')] : []),
  ])
  const { result, stderr } = await running.ended
  assert.ok(result, stderr)
  await report(t, stage, result.session_id, result.commits.length, result.duration_ms)
  await checkInvariants(stage)
  return {
    codes: cases.map(({ finding }) => finding.issue_code),
    unresolved: result.results.filter(({ status }) => status !== 'completed').map(({ issue_code }) => issue_code),
    results: `${result.results.map(({ issue_code, status, error }) => `${issue_code} ${status} ${error ?? ''}`).join('\n')}\n${stderr}`,
  }
}

function scriptOf(title: string, { steps, places }: ScriptedFix) {
  const verdict = { why_elsewhere: 'What is wrong stands there.' }
  return { fixes: [{ steps, summary: title, reply: { file_modified: places } }], scores: [96], verdicts: [verdict] }
}

/** From the event log: the share of the session's time in setup and checks, and how often these ran for each commit. */
async function report(t: TestContext, stage: E2eStage, session: string, commits: number, duration: number) {
  const events = await stage.events(session)
  const times = listCheckTimes(events)
  const sum = (of: (time: CheckTime) => number) => times.reduce((all, time) => all + of(time), 0)
  const share = Math.round((100_000 * sum((time) => time.setup_seconds + time.check_seconds)) / duration)
  const [checks, setups] = [sum(({ runs }) => runs), sum((time) => time.setups)]
  const each = (count: number) => (commits > 0 ? (count / commits).toFixed(1) : '-')
  t.diagnostic(
    `${t.name}: ${commits} commit(s) in ${Math.round(duration / 1000)} s; ${share} % in setup and checks; for each commit ${each(checks)} ` +
      `run(s) of the checks and ${each(setups)} of the setup (${checks} and ${setups} in all)`,
  )
}
