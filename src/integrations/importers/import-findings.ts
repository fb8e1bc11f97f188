// Turns a report of any format into findings on a repository. Results whose file can't be found are counted, never guessed.
import { listWeaknesses } from '../../domain/import/find-duplicates.ts'
import { type Finding, parseFindings } from '../../domain/issue/parse-findings.ts'
import { toToolKey } from '../../domain/issue/tool-key.ts'
import { assignCodes } from './assign-codes.ts'
import { composeFinding } from './compose-finding.ts'
import { computeFingerprint, createCodeHasher, type Fingerprint } from './fingerprint.ts'
import type { ReportedPlace, ReportedResult } from './importer.ts'
import { type FindingsFormat, readReport } from './read-report.ts'
import { createPathResolver, type PathResolver } from './resolve-paths.ts'

/** The files of the commit that the findings are about. */
export interface RepositoryFiles {
  /** The real path of the folder. */
  readonly root: string
  list(): Promise<readonly string[]>
  /** The texts of files; those that are too long, or no text, are left out. */
  read(paths: readonly string[]): Promise<ReadonlyMap<string, string>>
}

export type ImportOutcome =
  | { readonly kind: 'problems'; readonly problems: readonly string[] }
  | {
      readonly kind: 'imported'
      readonly findings: readonly ImportedFinding[]
      /** Suppressed in the source, or gone by the report's own word. Their codes are empty. */
      readonly others: readonly OtherFinding[]
      /** Undefined for findings in our own format, which are taken as they are. */
      readonly summary?: ImportSummary
    }

export interface ImportedFinding {
  readonly finding: Finding
  /** Undefined for findings in our own format. */
  readonly origin?: FindingOrigin
}

export interface OtherFinding {
  readonly finding: Finding
  readonly origin: FindingOrigin
  readonly status: 'suppressed' | 'gone'
}

export interface FindingOrigin extends Fingerprint {
  readonly tool: string
  readonly rule: string
  readonly toolId: string | undefined
  readonly weaknesses: readonly string[]
  /** In a report of our own, the id of the issue. */
  readonly issueId: string | undefined
}

export interface ImportSummary {
  readonly format: FindingsFormat
  readonly results: number
  /** How many findings of each tool were taken. */
  readonly tools: ReadonlyMap<string, number>
  readonly suppressed: number
  /** Fixed or passed, by the report's own word. */
  readonly done: number
  readonly withoutFile: number
  /** The paths, as the report has them, that the repository does not have; one for each result. */
  readonly unknownFiles: readonly string[]
  readonly incomplete: readonly string[]
  /** The keys of the tools with a result that was skipped because the repository does not have its file. */
  readonly skippedTools: readonly string[]
  /** The keys of all tools that ran. */
  readonly ran: readonly string[]
  /** The files that the tool looked at; undefined if the report does not say. */
  readonly covered: readonly string[] | undefined
}

/** `input`: JSON or its value. */
export async function importFindings(
  input: unknown,
  format: FindingsFormat | 'auto',
  files: RepositoryFiles,
): Promise<ImportOutcome> {
  const report = readReport(input, format)
  if (report.kind === 'problems') return report
  if (report.kind === 'own') {
    const { issues, problems } = parseFindings(report.value, { root: files.root })
    if (!issues) return { kind: 'problems', problems }
    return { kind: 'imported', findings: issues.map((finding) => ({ finding })), others: [] }
  }
  const { results } = report
  const open = results.filter(({ status }) => status === 'open')
  const own = parseOwnFindings(open, files.root)
  if (own.problems) return { kind: 'problems', problems: own.problems }
  const foreign = open.filter((result) => !own.findings.has(result))
  const set = results.filter(({ status }) => status === 'suppressed' || status === 'gone')
  const { located, resolve, covered } = await locateResults([...foreign, ...set], report.covered, files)
  const taken = await toFindings(located, { own: own.findings, files, resolve })
  const skipped = [...foreign, ...set].filter((one) => one.place && !located.has(one))
  const findings = open.flatMap((result) => taken.get(result) ?? [])
  return {
    kind: 'imported',
    findings,
    others: set.flatMap((result) => toOther(result, taken.get(result))),
    summary: {
      format: report.format,
      results: results.length,
      tools: countBy(open.filter((result) => taken.has(result)).map(({ tool }) => tool)),
      suppressed: results.filter(({ status }) => status === 'suppressed').length,
      done: results.filter(({ status }) => status === 'gone' || status === 'passed').length,
      withoutFile: foreign.filter(({ place }) => place === undefined).length,
      unknownFiles: foreign.flatMap((one) => (one.place && !located.has(one) ? one.place.path : [])),
      incomplete: report.incomplete,
      skippedTools: [...new Set(skipped.map(({ tool }) => toToolKey(tool)))],
      ran: [...new Set(report.tools.map(toToolKey))],
      covered,
    },
  }
}

function toOther({ status }: ReportedResult, taken: ImportedFinding | undefined): OtherFinding[] {
  if (!taken?.origin || (status !== 'suppressed' && status !== 'gone')) return []
  return [{ finding: taken.finding, origin: taken.origin, status }]
}

type OwnFindings =
  | { readonly findings: ReadonlyMap<ReportedResult, Finding>; readonly problems?: undefined }
  | { readonly problems: readonly string[]; readonly findings?: undefined }

function parseOwnFindings(results: readonly ReportedResult[], root: string): OwnFindings {
  const own = results.filter(({ ownFinding }) => ownFinding !== undefined)
  const parsed = parseFindings(
    own.map(({ ownFinding }) => ownFinding),
    { root },
  )
  if (parsed.issues) return { findings: new Map(own.map((result, index) => [result, parsed.issues[index]!])) }
  const toPlace = (_: string, before: string, index: string) => `${before}${own[Number(index)]?.at}/properties/finding`
  const problems = parsed.problems.map((problem) => problem.replace(/(^| the code of )\[(\d+)\]/g, toPlace))
  return { problems }
}

interface LocatedResults {
  readonly located: ReadonlyMap<ReportedResult, string>
  readonly resolve: (result: ReportedResult, place: ReportedPlace) => string | undefined
  readonly covered: readonly string[] | undefined
}

async function locateResults(
  results: readonly ReportedResult[],
  covered: readonly ReportedPlace[] | undefined,
  files: RepositoryFiles,
): Promise<LocatedResults> {
  if (results.length === 0 && !covered) return { located: new Map(), resolve: () => undefined, covered }
  const paths = { root: files.root, files: await files.list() }
  const resolvers = new Map<number, PathResolver>()
  for (const [run, each] of Map.groupBy(results, ({ run }) => run)) {
    const places = each.flatMap(({ place }) => place ?? [])
    resolvers.set(run, createPathResolver(places, paths))
  }
  const resolve = ({ run }: ReportedResult, place: ReportedPlace) => resolvers.get(run)?.(place)
  const located = results.flatMap((result) => {
    const file = result.place && resolve(result, result.place)
    return file === undefined ? [] : [[result, file] as const]
  })
  const resolveCovered = createPathResolver([...results.flatMap(({ place }) => place ?? []), ...(covered ?? [])], paths)
  return { located: new Map(located), resolve, covered: covered?.flatMap((place) => resolveCovered(place) ?? []) }
}

interface FindingParts {
  readonly own: ReadonlyMap<ReportedResult, Finding>
  readonly files: RepositoryFiles
  readonly resolve: LocatedResults['resolve']
}

async function toFindings(
  located: ReadonlyMap<ReportedResult, string>,
  { own, files, resolve }: FindingParts,
): Promise<ReadonlyMap<ReportedResult, ImportedFinding>> {
  const all = await identifyResults(located, files)
  const codes = assignCodes(
    all.filter(({ result }) => result.status === 'open'),
    [...own.values()].map(({ issue_code }) => issue_code),
  )
  const idCounts = countBy([...located.keys(), ...own.keys()].map(toIdKey))
  const toOrigin = (result: ReportedResult, { fingerprint, codeHash }: Fingerprint): FindingOrigin => {
    // An id that several results have identifies none of them.
    const toolId = idCounts.get(toIdKey(result)) === 1 ? result.toolId : undefined
    const [tool, rule] = [toToolKey(result.tool), result.rule]
    // The report of a review names its findings, which are no issues.
    const issueId = result.ownFinding !== undefined && toolId?.startsWith('iss-') ? toolId : undefined
    const weaknesses = listWeaknesses(tool, rule, result.cwes ?? [])
    return { tool, rule, fingerprint, codeHash, toolId, weaknesses, issueId }
  }
  return new Map<ReportedResult, ImportedFinding>([
    ...[...own].map(([result, finding]) => {
      const prints = computeFingerprint(result, finding.file, undefined)
      return [result, { finding, origin: toOrigin(result, prints) }] as const
    }),
    ...all.map((one) => {
      const { result, file } = one
      const finding = composeFinding(result, { file, code: codes.get(one) ?? '', resolve })
      return [result, { finding, origin: toOrigin(result, one) }] as const
    }),
  ])
}

type IdentifiedResult = Fingerprint & { readonly result: ReportedResult; readonly file: string }

/** A report may name every file of a large repository, so only some are held at a time. */
const FILES_AT_A_TIME = 500

async function identifyResults(
  located: ReadonlyMap<ReportedResult, string>,
  files: RepositoryFiles,
): Promise<IdentifiedResult[]> {
  const byFile = [...Map.groupBy([...located.keys()], (result) => located.get(result) ?? '')]
  const identified: IdentifiedResult[] = []
  for (let from = 0; from < byFile.length; from += FILES_AT_A_TIME) {
    const some = byFile.slice(from, from + FILES_AT_A_TIME)
    const contents = await files.read(some.map(([file]) => file))
    for (const [file, results] of some) {
      const content = contents.get(file)
      const hashCode = content === undefined ? undefined : createCodeHasher(content)
      for (const result of results) identified.push({ result, file, ...computeFingerprint(result, file, hashCode) })
    }
  }
  return identified
}

function toIdKey({ tool, rule, toolId }: ReportedResult): string {
  return JSON.stringify([toToolKey(tool), rule, toolId])
}

function countBy(names: readonly string[]): ReadonlyMap<string, number> {
  return new Map([...Map.groupBy(names, (name) => name)].map(([name, all]) => [name, all.length]))
}
