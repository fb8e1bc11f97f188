// How a command's tests came out: from reports that it wrote while it ran, else from what it printed. What lay there before tells
// nothing. Reports are somebody else's files: of a size, inside the folder, no link; one that can't be read leaves all unread.
import { type BigIntStats, lstatSync, realpathSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { basename, dirname, join, sep } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { readJUnit } from '../../domain/verification/junit-parser.ts'
import { tapReader } from '../../domain/verification/tap-parser.ts'
import { collectTests, type TestOutcomes } from '../../domain/verification/test-outcomes.ts'
import { readPlain } from '../../platform/git/files.ts'
import type { Masking } from '../../platform/masking/mask-secrets.ts'

const MOST_REPORTS = 500
const MOST_BYTES = 8 << 20
const MOST_BYTES_TOGETHER = 64 << 20

export interface TestWatch {
  /** Of standard output. */
  line(line: string): void
  /** After its end; undefined where its tests can't be read. */
  outcomes(run: Run, masking: Masking): Promise<TestOutcomes | undefined>
}

interface Run {
  readonly isGreen: boolean
}

/** To be called before the command starts. */
export async function watchTests(folder: string, patterns: readonly string[]): Promise<TestWatch> {
  const before = await reportsIn(folder, patterns)
  const tap = tapReader()
  const placeless = withoutPlace(folder)
  return {
    line: (line) => tap.line(placeless(line)),
    async outcomes(run, masking) {
      const after = await reportsIn(folder, patterns)
      const written = [...after].filter(([path, state]) => before.get(path) !== state).map(([path]) => path)
      const found = written.length > 0 ? await readAll(folder, written, { placeless, run }) : tap.end(run)
      return found && (await withoutSecrets(found, masking))
    },
  }
}

/** Path → what changes whenever it is written. */
async function reportsIn(folder: string, patterns: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  if (patterns.length === 0) return found
  for await (const path of glob([...patterns], { cwd: folder, exclude: isForeign })) {
    const stats = statsOf(join(folder, path))
    if (stats?.isFile()) found.set(path, `${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}`)
  }
  return found
}

/** A command may have locked the folder that it lies in. */
function statsOf(path: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true })
  } catch {
    return undefined
  }
}

function isForeign(path: string): boolean {
  return ['node_modules', '.git'].includes(basename(path))
}

/** A test that is named by where it lies is the same in another folder. */
function withoutPlace(folder: string): (text: string) => string {
  const places = [...new Set([folder, realpathSync(folder)])].map((place) => `${place}${sep}`)
  return (text) => places.reduce((all, place) => all.replaceAll(place, ''), text)
}

async function readAll(
  folder: string,
  paths: readonly string[],
  { placeless, run }: { readonly placeless: (xml: string) => string; readonly run: Run },
): Promise<TestOutcomes | undefined> {
  if (paths.length > MOST_REPORTS) return undefined
  const tests = collectTests()
  const root = `${realpathSync(folder)}${sep}`
  let read = 0
  for (const path of paths) {
    // Whatever else the worker does goes on meanwhile.
    await setImmediate()
    const file = join(folder, path)
    const isInside = `${realpathSync(dirname(file))}${sep}`.startsWith(root)
    const xml = isInside ? readPlain(file, MOST_BYTES) : undefined
    read += xml?.length ?? 0
    if (xml === undefined || read > MOST_BYTES_TOGETHER || !readJUnit(placeless(xml), tests)) return undefined
  }
  return tests.all(run)
}

/** The same names on the base and later, so the same marks. */
async function withoutSecrets(tests: TestOutcomes, masking: Masking): Promise<TestOutcomes | undefined> {
  const names = Object.keys(tests)
  const masked = (await masking.text(names.join('\n'))).split('\n')
  if (masked.length !== names.length) return undefined
  const all = collectTests()
  for (const [index, outcome] of Object.values(tests).entries()) all.add([masked[index] ?? ''], outcome)
  return all.all()
}
