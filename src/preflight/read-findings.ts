// Reads the findings that a start is given, in the format of any tool.

import type { ErrorCode } from '../domain/errors/error-codes.ts'
import type { Finding } from '../domain/issue/parse-findings.ts'
import { findMappedSeverity, type SeverityRule } from '../domain/settings/severity-map.ts'
import { describeImport, describeUnknownFiles } from '../integrations/importers/describe-import.ts'
import {
  type ImportedFinding,
  type ImportSummary,
  importFindings,
  type OtherFinding,
  type RepositoryFiles,
} from '../integrations/importers/import-findings.ts'
import {
  FINDINGS_FORMATS,
  type FindingsFormat,
  MAX_REPORT_BYTES,
  TOO_LONG,
} from '../integrations/importers/read-report.ts'
import { isRegularFile, listTree, type TreeEntry } from '../platform/git/repository/list-tree.ts'
import { readSmallBlobs } from '../platform/git/repository/read-blobs.ts'
import { describeReadError } from './file-errors.ts'
import { readAtMost } from './read-at-most.ts'

/** Text that begins with `{` or `[` is JSON, any other text names a file, and any other value is parsed JSON. */
export type FindingsInput = string | object

export interface GivenFindings {
  readonly findings: FindingsInput
  /** One of `FINDINGS_FORMATS`; by default the content decides. */
  readonly format?: string | undefined
  /** The codes of the chosen findings; all by default. */
  readonly only?: readonly string[] | undefined
}

type FindingsReading =
  | { readonly kind: 'unreadable'; readonly code: ErrorCode; readonly problem: string }
  | {
      readonly kind: 'read'
      readonly all: readonly Finding[]
      /** In the order of the review. */
      readonly chosen: readonly ImportedFinding[]
      /** Suppressed in the source, or gone by the report's own word. */
      readonly others: readonly OtherFinding[]
      /** Undefined for findings in our own format. */
      readonly summary: ImportSummary | undefined
      readonly text: string
      /** Each names its file. */
      readonly problems: readonly string[]
      /** What of a tool's report was taken, and what was not. */
      readonly notice: string | undefined
    }

export async function readFindings(given: GivenFindings, place: CommitReference): Promise<FindingsReading> {
  const { findings, only, format = 'auto' } = given
  if (!isFormat(format)) {
    const problem = `there is no format of findings ${format}: give one of auto, ${FINDINGS_FORMATS.join(', ')}`
    return { kind: 'unreadable', code: 'bad_input', problem }
  }
  const isFile = typeof findings === 'string' && !/^\s*[[{]/.test(findings)
  const name = isFile ? findings : 'the findings'
  const read: FileReading = isFile ? await readFindingsFile(findings) : { input: findings }
  if (read.problem !== undefined) return { kind: 'unreadable', code: 'findings_invalid', problem: read.problem }
  const imported = await importFindings(read.input, format, openRepositoryFiles(place))
  const text = typeof read.input === 'string' ? read.input : JSON.stringify(read.input)
  const nothing = { all: [], chosen: [], others: [], summary: undefined, text }
  const fail = (problems: readonly string[]): FindingsReading => {
    const named = problems.map((problem) => `${name}: ${problem}`)
    return { ...nothing, kind: 'read', problems: named, notice: undefined }
  }
  if (imported.kind === 'problems') return fail(imported.problems)
  const all = imported.findings.map(({ finding }) => finding)
  const problems = [...listUnknownCodes(all, only), ...listUnusableReport(imported.summary, place)]
  if (problems.length > 0) return fail(problems)
  return {
    kind: 'read',
    all,
    chosen: imported.findings.filter(({ finding }) => only?.includes(finding.issue_code) ?? true),
    others: imported.others,
    summary: imported.summary,
    text,
    problems: [],
    notice: imported.summary && `${name}: ${describeImport(imported.summary)}`,
  }
}

/** The findings to be fixed, with the operator's word on their severities. */
export function applySeverityMap(chosen: readonly ImportedFinding[], map: readonly SeverityRule[]): Finding[] {
  return chosen.map(({ finding, origin }) => {
    const severity = origin && findMappedSeverity(map, origin)
    return severity === undefined ? finding : { ...finding, severity }
  })
}

function isFormat(format: string): format is FindingsFormat | 'auto' {
  return format === 'auto' || FINDINGS_FORMATS.some((known) => known === format)
}

type FileReading =
  | { readonly input: FindingsInput; readonly problem?: undefined }
  | { readonly problem: string; readonly input?: undefined }

async function readFindingsFile(file: string): Promise<FileReading> {
  try {
    const bytes = await readAtMost(file, MAX_REPORT_BYTES)
    return bytes === undefined ? { problem: `the findings file ${file} ${TOO_LONG}` } : { input: bytes.toString() }
  } catch (error) {
    return { problem: `the findings file ${file} can't be read: ${describeReadError(error)}` }
  }
}

function listUnknownCodes(findings: readonly Finding[], only: readonly string[] = []): string[] {
  const unknown = only.filter((code) => !findings.some(({ issue_code }) => issue_code === code))
  return unknown.map((code) => `there is no finding ${code} to choose`)
}

/** A report about other files looks like one without findings, and would end as "nothing to do". */
function listUnusableReport(summary: ImportSummary | undefined, { commit }: CommitReference): string[] {
  if (!summary || summary.tools.size > 0 || summary.unknownFiles.length === 0) return []
  const where = `at ${commit.slice(0, 10)}`
  return [
    `none of its findings is about a file of the repository ${where}: ${describeUnknownFiles(summary).join()}; give --repo the repository that was looked at, or --base a commit that has these files`,
  ]
}

interface CommitReference {
  readonly root: string
  readonly commit: string
}

/** Larger files are made by programs; a finding in one is recognised by what the report says. */
const MAX_FILE_BYTES = 1 << 20

/** A commit's files for the importers, read from git and not from the work tree, as the fixer sees them. */
function openRepositoryFiles({ root, commit }: CommitReference): RepositoryFiles {
  let listing: Promise<readonly TreeEntry[]> | undefined
  const list = () => (listing ??= listTree(root, commit).then((tree) => tree.all().filter(isRegularFile)))
  return {
    root,
    list: async () => (await list()).map(({ path }) => path),
    async read(paths) {
      if (paths.length === 0) return new Map()
      const wanted = new Set(paths)
      const entries = (await list()).filter(({ path }) => wanted.has(path))
      const blobs = await readSmallBlobs(
        root,
        entries.map(({ sha }) => sha),
        MAX_FILE_BYTES,
      )
      return new Map(entries.flatMap(({ path }, index) => (blobs[index] ? [[path, blobs[index].toString()]] : [])))
    },
  }
}
