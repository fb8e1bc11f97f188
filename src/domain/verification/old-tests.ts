// A test speaks for a fix only in the words of the stage's base. Where a fix changes tests, or what runs them, the checks run once more
// with those files as they were.

import { listFileRoles } from '../tampering/file-roles.ts'
import { joinList } from '../text/join-list.ts'
import { parseJsonIfValid } from '../text/parse-json.ts'
import { type CommandComparison, compareRuns } from './compare-runs.ts'
import type { VerificationRun } from './gate-record.ts'

export interface ChangedFile {
  readonly path: string
  /** The old name of a renamed file. */
  readonly from?: string | undefined
  readonly kind: string
}

interface Testers {
  readonly isTest: (path: string) => boolean
  /** Whether an operator's command names the file. */
  readonly isRun: (path: string) => boolean
  /** Files of runners whose part about tests is as it was. */
  readonly harmless: ReadonlySet<string>
}

/** Recorded expectations, and code that a runner loads by its name alone. */
const LOADED_BY_RUNNERS = /(?:^|\/)(?:__snapshots__|__mocks__|testdata|fixtures)\/|\.snap$|(?:^|\/)conftest\.py$/i

export interface ChangedTests {
  /** Both ends of every changed file that tests, or runs tests. */
  readonly paths: readonly string[]
  /** Whether one of them can make a check milder: a new test only adds a demand. */
  readonly canWeaken: boolean
}

/** Gaps: tests inside a source file (Rust, doctests), and a new Go file with a `TestMain`. */
export function listChangedTests(changes: readonly ChangedFile[], testers: Testers): ChangedTests {
  const runsTests = (path: string): boolean =>
    !testers.harmless.has(path) &&
    (LOADED_BY_RUNNERS.test(path) || testers.isRun(path) || listFileRoles(path, false).has('checker'))
  const concerned = changes.filter((change) => listEnds(change).some((end) => testers.isTest(end) || runsTests(end)))
  const canWeaken = concerned.some(({ kind, path }) => kind !== 'added' || runsTests(path))
  return { paths: concerned.flatMap(listEnds), canWeaken }
}

/** The path of a change, and the old one of a renamed file. */
export function listEnds({ path, from }: ChangedFile): string[] {
  return from === undefined ? [path] : [path, from]
}

/** Paths are among them as git writes them. */
export function listCommandWords(commands: readonly string[]): ReadonlySet<string> {
  const words = commands.flatMap((command) => command.split(/[\s'"`;&|()<>=,$]+/))
  return new Set(words.map((word) => word.replace(/^(?:\.\/)+/, '')))
}

/** The members of a package.json that decide how its tests run. */
const RUNNER_MEMBERS = ['scripts', 'jest', 'mocha', 'ava', 'tap', 'vitest', 'nyc', 'c8', 'eslintConfig', 'config']
/** The sections of a manifest that do. */
const RUNNER_SECTION = /test|tox|nox|coverage|mypy|ruff|flake8|pylint|lint|profile|alias|script|poe|task|hatch\.envs/i
const PACKAGE_JSON = /(?:^|\/)package\.json$/
const MANIFEST_WITH_SECTIONS = /(?:^|\/)(?:pyproject\.toml|Cargo\.toml|setup\.cfg)$/

/** Whether a file may hold more than what runs the tests. */
export function isManifest(path: string): boolean {
  return PACKAGE_JSON.test(path) || MANIFEST_WITH_SECTIONS.test(path)
}

/** Whether a manifest runs the tests as it did: another dependency alone changes nothing about them. */
export function runsTestsAsBefore(path: string, before: string, now: string): boolean {
  if (PACKAGE_JSON.test(path)) return extractRunnerMembers(before) === extractRunnerMembers(now)
  if (MANIFEST_WITH_SECTIONS.test(path)) return extractRunnerSections(before) === extractRunnerSections(now)
  return false
}

/** A text that is no object counts as one member of its own. */
function extractRunnerMembers(text: string): string {
  const value = parseJsonIfValid(text)
  if (value === undefined) return text
  const members = new Map(Object.entries(value ?? {}))
  return JSON.stringify(RUNNER_MEMBERS.map((name) => members.get(name) ?? null))
}

function extractRunnerSections(text: string): string {
  const sections = text.split(/^(?=\s*\[)/m)
  return sections.filter((section) => RUNNER_SECTION.test(section.split('\n', 1)[0] ?? '')).join('')
}

/** Leave to change what a test demands is not leave to touch the file, so it is remembered under a name of its own. */
export function formatTestGrant(path: string): string {
  return `tests:${path}`
}

/** A command that held on the base and fails with the fix. */
export interface OldTestFailure {
  readonly command: string
  readonly outcome: string
  /** Tests that passed on the base; empty if they can't be read one by one. */
  readonly tests: readonly string[]
}

/** Lists what held on the base and does not hold with the fix, once the tests are as they were. */
export function listOldTestFailures(
  base: readonly VerificationRun[],
  withOldTests: readonly VerificationRun[],
): OldTestFailure[] {
  return compareRuns(base, withOldTests, { sameTests: true }).flatMap(({ command, after, effect, tests }) =>
    effect === 'broken'
      ? [{ command, outcome: after ?? 'not run', tests: [...(tests?.broken ?? []), ...(tests?.gone ?? [])] }]
      : [],
  )
}

/** Commands that turned green only with the changed tests: they prove nothing about the fix. */
export function listUnprovenCommands(
  base: readonly VerificationRun[],
  withFix: readonly VerificationRun[],
  withOldTests: readonly VerificationRun[],
): string[] {
  const mended = (runs: readonly VerificationRun[]) => compareRuns(base, runs).filter(isMended)
  const still = new Set(mended(withOldTests).map(({ command }) => command))
  return mended(withFix).flatMap(({ command }) => (still.has(command) ? [] : [command]))
}

function isMended({ effect, tests }: CommandComparison): boolean {
  return effect === 'fixed' || (tests?.fixed.length ?? 0) > 0
}

export function describeOldTestFailures(failures: readonly OldTestFailure[]): string {
  return failures
    .map(({ command, outcome, tests }) => `${command}: ${tests.length > 0 ? joinList(tests, ', ', 5) : outcome}`)
    .join('; ')
}
