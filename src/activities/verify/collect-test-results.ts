// The outcomes of a command's tests, from the reports that it wrote during the run, else from what it printed, and what its runners
// summed up. Reports are untrusted: bounded, inside the folder, no links; if one can't be read, none counts.
import { type BigIntStats, lstatSync, realpathSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { basename, dirname, join, sep } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { parseJUnit } from '../../domain/verification/junit-parser.ts'
import type { OutputSummary } from '../../domain/verification/summaries/output-summary.ts'
import { createSummaryReader } from '../../domain/verification/summaries/summary-reader.ts'
import { createTapReader } from '../../domain/verification/tap-parser.ts'
import { createTestCollector, type TestOutcomes } from '../../domain/verification/test-outcomes.ts'
import { readRegularFile } from '../../platform/git/unruly-files.ts'
import type { Masking } from '../../platform/masking/mask-secrets.ts'

const MAX_REPORTS = 500
const MAX_REPORT_BYTES = 8 << 20
const MAX_TOTAL_BYTES = 64 << 20

export interface TestRunWatcher {
  /** Takes a line of standard output. */
  addLine(line: string): void
  addErrorLine(line: string): void
  /** To be called after the command's end. */
  collectResults(run: FinishedRun, masking: Masking): Promise<TestResults>
}

interface FinishedRun {
  readonly isGreen: boolean
  /** Absent if it did not end by itself. */
  readonly exitStatus: number | undefined
}

/** Each is absent if it can't be read. */
interface TestResults {
  readonly tests?: TestOutcomes
  readonly summary?: OutputSummary
}

/** To be called before the command starts. */
export async function watchTestRun(folder: string, patterns: readonly string[]): Promise<TestRunWatcher> {
  const before = await listReports(folder, patterns)
  const tap = createTapReader()
  const placeless = folderStripper(folder)
  const summaries = createSummaryReader()
  return {
    addLine(line) {
      const text = placeless(line)
      tap.line(text)
      summaries.line(text)
    },
    addErrorLine: (line) => summaries.line(placeless(line)),
    async collectResults(run, masking) {
      const after = await listReports(folder, patterns)
      const written = [...after].filter(([path, state]) => before.get(path) !== state).map(([path]) => path)
      const found = written.length > 0 ? await readReports(folder, written, { placeless, run }) : tap.end(run)
      const tests = found && (await maskTestNames(found, masking))
      const summary = summaries.end(run.exitStatus)
      return { ...(tests ? { tests } : {}), ...(summary ? { summary: await maskSummary(summary, masking) } : {}) }
    },
  }
}

/** Maps each report's path to a state that changes with every write. */
async function listReports(folder: string, patterns: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  if (patterns.length === 0) return found
  for await (const path of glob([...patterns], { cwd: folder, exclude: isExcludedFolder })) {
    const stats = tryStat(join(folder, path))
    if (stats?.isFile()) found.set(path, `${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}`)
  }
  return found
}

/** A command may have locked the report's folder. */
function tryStat(path: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true })
  } catch {
    return undefined
  }
}

function isExcludedFolder(path: string): boolean {
  return ['node_modules', '.git'].includes(basename(path))
}

/** A test that is named by its path is the same test in another folder. */
function folderStripper(folder: string): (text: string) => string {
  const places = [...new Set([folder, realpathSync(folder)])].map((place) => `${place}${sep}`)
  return (text) => places.reduce((all, place) => all.replaceAll(place, ''), text)
}

async function readReports(
  folder: string,
  paths: readonly string[],
  { placeless, run }: { readonly placeless: (xml: string) => string; readonly run: FinishedRun },
): Promise<TestOutcomes | undefined> {
  if (paths.length > MAX_REPORTS) return undefined
  const tests = createTestCollector()
  const root = `${realpathSync(folder)}${sep}`
  let read = 0
  for (const path of paths) {
    // Lets the worker's other tasks run.
    await setImmediate()
    const file = join(folder, path)
    const isInside = `${realpathSync(dirname(file))}${sep}`.startsWith(root)
    const xml = isInside ? readRegularFile(file, MAX_REPORT_BYTES) : undefined
    read += xml?.length ?? 0
    if (xml === undefined || read > MAX_TOTAL_BYTES || !parseJUnit(placeless(xml), tests)) return undefined
  }
  return tests.all(run)
}

/** Equal names get equal placeholders, on the base and later. */
async function maskTestNames(tests: TestOutcomes, masking: Masking): Promise<TestOutcomes | undefined> {
  const names = Object.keys(tests)
  const masked = (await masking.maskText(names.join('\n'))).split('\n')
  if (masked.length !== names.length) return undefined
  const all = createTestCollector()
  for (const [index, outcome] of Object.values(tests).entries()) all.add([masked[index] ?? ''], outcome)
  return all.all()
}

async function maskSummary({ state, runners, reason }: OutputSummary, masking: Masking): Promise<OutputSummary> {
  const masked = runners.map(async (runner) => {
    const names = (await masking.maskText(runner.failing.join('\n'))).split('\n')
    return { ...runner, failing: names.length === runner.failing.length ? names : [] }
  })
  return {
    state,
    runners: await Promise.all(masked),
    ...(reason === undefined ? {} : { reason: await masking.maskText(reason) }),
  }
}
