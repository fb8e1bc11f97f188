// Makes a repository of a project's older version, and of each real fix a finding, the edits that resolve it, and edits that don't.
// Every fix is tried when it is made: its tests fail on the older version, and the whole suite passes with it, and with all of them.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { commitFolder } from '../repository.ts'
import type { Step } from '../scenario.ts'
import { applyPlaces } from './apply.ts'
import { type Change, changesOf } from './edits.ts'
import {
  CACHE,
  cargoEnvironment,
  copyPackage,
  fetchPackage,
  goEnvironment,
  nodeModulesWith,
  pythonWith,
} from './packages.ts'
import type { Project, RealFix } from './projects.ts'

/** With its file. */
type Placed = Change & { readonly file: string }

export interface RealCase {
  readonly finding: Readonly<Record<string, unknown>> & { readonly issue_code: string; readonly title: string }
  /** Changes of the source, then of its tests. */
  readonly right: readonly Placed[]
  /** By what is wrong with them: the tests come along and fail. */
  readonly wrong: Readonly<Record<'syntax' | 'comment' | 'nothing', readonly Placed[]>>
}

export interface ScriptedFix {
  readonly steps: Step[]
  /** As `file:first-last`. */
  readonly places: readonly string[]
}

export interface RealCases {
  readonly command: string
  readonly cases: readonly RealCase[]
}

/** Makes the repository in a folder that is not there yet. */
export function makeRealCases(project: Project, folder: string): RealCases {
  const [older, newer] = project.versions.map((version) => fetchPackage(project, version)) as [string, string]
  const command = commandOf(project)
  const fixes = project.fixes.map((fix) => placeFix(fix, older, newer))
  tryOnce(project, older, command, fixes)
  copyPackage(older, folder)
  addModuleFile(project, folder)
  commitFolder(folder, `Release ${project.versions[0]}`)
  return { command, cases: project.fixes.map((fix, index) => caseOf(project, fix, index, fixes[index] as Placement)) }
}

interface Placement {
  readonly source: readonly Placed[]
  readonly tests: readonly Placed[]
}

function placeFix({ source, tests }: RealFix, older: string, newer: string): Placement {
  const place = (reference: string): Placed => {
    const [file = '', id] = reference.split(' ')
    const [before = '', after = ''] = [older, newer].map((folder) => readFileSync(join(folder, file), 'utf8'))
    const found = changesOf(file, before, after).find((change) => change.id === id)
    if (!found) throw new Error(`The versions differ in no place that is called ${reference}`)
    return { ...found, file }
  }
  return { source: source.map(place), tests: tests.map(place) }
}

function commandOf({ registry, vet, needs = [], tests = '' }: Project): string {
  switch (registry) {
    case 'go':
      return `env ${goEnvironment()} go test ${vet === false ? '-vet=off ' : ''}./...`
    case 'pypi':
      return `${pythonWith(needs)} -B -m pytest -q -p no:cacheprovider ${tests}`
    case 'npm':
      return `env NODE_PATH=${nodeModulesWith(needs)} node ${nodeModulesWith([])}/tape/bin/tape ${tests}`
    case 'cargo':
      return `env ${cargoEnvironment()} cargo test --lib`
  }
}

/** A module of the time before modules has none of its own. */
function addModuleFile({ registry, package: name }: Project, folder: string): void {
  const file = join(folder, 'go.mod')
  if (registry === 'go' && !existsSync(file)) writeFileSync(file, `module ${name}\n\ngo 1.18\n`)
}

function caseOf({ name }: Project, fix: RealFix, index: number, { source, tests }: Placement): RealCase {
  const [first] = source as readonly [Placed, ...Placed[]]
  const instead = (line: string) =>
    source.map((change) => ({ ...change, place: { start: change.place.end, end: change.place.end, lines: [line] } }))
  const mark = first.file.endsWith('.py') ? '#' : '//'
  return {
    finding: {
      issue_code: `${name.toUpperCase().replaceAll(/\W/g, '')}-${index + 1}`,
      title: fix.title,
      description: `${fix.title}. See ${source.map(({ file, id }) => `${id.replace(/#.*/, '')} in ${file}`).join(', ')}.`,
      file: first.file,
      line: String(first.place.start + 1),
      severity: 'medium',
      estimated_effort: 1,
      estimated_files_count: 1,
    },
    right: [...source, ...tests],
    wrong: {
      syntax: [...instead(')))) this is not code (((('), ...tests],
      comment: [...instead(`${mark} ${fix.title}: taken care of.`), ...tests],
      nothing: tests,
    },
  }
}

/** The edits of several fixes in one call, and the lines that a fixer is asked to report of each. */
export function scriptEdits(folder: string, fixes: readonly (readonly Placed[])[]): ScriptedFix[] {
  const all = fixes.flatMap((places, fix) => places.map((place) => ({ ...place, fix })))
  const edits = [...Map.groupBy(all, ({ file }) => file)].flatMap(([file, own]) => {
    const { applied } = applyPlaces(
      readFileSync(join(folder, file), 'utf8'),
      own.map(({ place }) => place),
    )
    return applied.map((edit, index) => ({ ...edit, file, of: own[index] as (typeof own)[number] }))
  })
  return fixes.map((_, fix) => {
    const own = edits.filter(({ of }) => of.fix === fix)
    return {
      steps: own.map(({ file, old, new: text }) => ({ tool: 'edit', file, old, new: text })),
      places: own.map(({ file, lines }) => `${file}:${lines}`),
    }
  })
}

/** Remembered for this manifest's entry: the suites run once. */
function tryOnce(project: Project, older: string, command: string, fixes: readonly Placement[]): void {
  const key = createHash('sha256').update(JSON.stringify(project)).digest('hex').slice(0, 16)
  const tried = join(CACHE, `tried-${key}`)
  if (existsSync(tried)) return
  const folder = mkdtempSync(join(tmpdir(), 'fixwright-real-'))
  const passes = (changes: readonly Placed[]) => {
    for (const [file, own] of Map.groupBy(changes, (change) => change.file))
      writeFileSync(
        join(folder, file),
        applyPlaces(
          readFileSync(join(older, file), 'utf8'),
          own.map(({ place }) => place),
        ).text,
      )
    try {
      return suitePasses(folder, command)
    } finally {
      for (const { file } of changes) writeFileSync(join(folder, file), readFileSync(join(older, file)))
    }
  }
  try {
    copyPackage(older, folder)
    addModuleFile(project, folder)
    const expect = (holds: boolean, what: string) => {
      if (!holds) throw new Error(`${project.name} ${project.versions.join(' to ')}: ${what}`)
    }
    expect(passes([]), `the older version's own suite fails: ${command}`)
    for (const [index, { source, tests }] of fixes.entries()) {
      const about = project.fixes[index]?.title
      expect(!passes(tests), `the tests pass without the fix: ${about}`)
      expect(passes([...source, ...tests]), `the tests fail with the fix: ${about}`)
    }
    expect(passes(fixes.flatMap(({ source, tests }) => [...source, ...tests])), 'the fixes fail together')
    writeFileSync(tried, '')
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function suitePasses(cwd: string, command: string): boolean {
  try {
    execFileSync('sh', ['-c', command], { cwd, stdio: 'ignore', timeout: 120_000 })
    return true
  } catch {
    return false
  }
}
