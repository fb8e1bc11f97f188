// Renders the code around findings as numbered lines, merging nearby pieces. Whole files would fill the prompt, and fixers read them
// anyway. Only lines count, in every language.
import type { Issue } from '../../../domain/issue/issue.ts'
import { cutLine } from '../shorten.ts'

export type SourceFile =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'too_long'; readonly bytes: number }
  /** The path is missing, or is a folder, a link or a submodule. */
  | { readonly kind: 'no_file' }

/** Keyed by the path that the issues name. */
export type SourceFiles = ReadonlyMap<string, SourceFile>

export type IssueLocation = Pick<Issue, 'issue_code' | 'file' | 'line'>

/** Lines on either side; the first that lets everything fit is used. The widest is for agents that can't look any further. */
const CONTEXT_LINES = { widest: 60, wide: 20, steps: [60, 20, 10, 5, 2] } as const
/** An issue about more lines is shown by its beginning and its end. */
const MAX_LOCATION_LINES = 120
/** Two pieces with no more lines between them become one. */
const MAX_GAP_LINES = 4
export const MAX_EXCERPT_LINE = 300

export function renderExcerpts(
  spots: readonly IssueLocation[],
  sources: SourceFiles,
  limit: number,
  width: 'wide' | 'widest' = 'wide',
): string {
  const versions = CONTEXT_LINES.steps.filter((lines) => lines <= CONTEXT_LINES[width])
  let shown = ''
  for (const around of versions) {
    shown = renderWithContext(spots, sources, around)
    if (shown.length <= limit) break
  }
  return shown
}

function renderWithContext(spots: readonly IssueLocation[], sources: SourceFiles, around: number): string {
  const files = [...new Set(spots.map(({ file }) => file))]
  return files
    .flatMap((file) =>
      renderFile(
        file,
        spots.filter((spot) => spot.file === file),
        sources.get(file),
        around,
      ),
    )
    .join('\n\n')
}

function renderFile(
  file: string,
  spots: readonly IssueLocation[],
  source: SourceFile | undefined,
  around: number,
): string[] {
  const about = (some: readonly IssueLocation[]) =>
    some.map(({ issue_code, line }) => (line === undefined ? issue_code : `${issue_code} at ${line}`)).join(', ')
  const instead = describeUnreadable(source)
  if (instead !== undefined || source?.kind !== 'text') return [`${file} (${about(spots)}): ${instead}`]
  const lines = splitSourceLines(source.text)
  return mergeWindows(spots, lines.length, around).map(({ from, to, locations }) => {
    const numbered = lines
      .slice(from - 1, to)
      .map((line, index) => `${from + index}  ${cutLine(line, MAX_EXCERPT_LINE)}`)
    return [`${file}, lines ${from} to ${to} of ${lines.length} (${about(locations)})`, ...numbered].join('\n')
  })
}

function describeUnreadable(source: SourceFile | undefined): string | undefined {
  if (source === undefined || source.kind === 'no_file') return 'there is no such file'
  if (source.kind === 'too_long') return `a file of ${source.bytes} bytes, which is not shown`
  return isText(source.text) ? undefined : 'not a text'
}

function isText(text: string): boolean {
  if (text.includes('\0')) return false
  const start = text.slice(0, 10_000)
  return start.split('\ufffd').length - 1 <= start.length / 10
}

export function splitSourceLines(text: string): string[] {
  return text.replace(/\r?\n$/, '').split(/\r?\n/)
}

interface LineWindow {
  readonly from: number
  readonly to: number
  readonly locations: readonly IssueLocation[]
}

function mergeWindows(spots: readonly IssueLocation[], count: number, around: number): LineWindow[] {
  const windows = spots.flatMap((spot) => findWindows(spot, count, around)).sort((a, b) => a.from - b.from)
  const joined: LineWindow[] = []
  for (const next of windows) {
    const last = joined.at(-1)
    if (last === undefined || next.from > last.to + MAX_GAP_LINES) joined.push(next)
    else
      joined.splice(-1, 1, {
        from: last.from,
        to: Math.max(last.to, next.to),
        locations: [...new Set([...last.locations, ...next.locations])],
      })
  }
  return joined
}

/** Shows the beginning of the file for an issue without a line, and its end for lines that it no longer has. */
function findWindows(spot: IssueLocation, count: number, around: number): LineWindow[] {
  const range = parseLineRange(spot) ?? { first: 1, last: 1 }
  const inside = (line: number) => Math.min(Math.max(line, 1), count)
  const [first, last] = [inside(range.first), inside(range.last)]
  const [from, to] = [inside(first - around), inside(last + around)]
  if (last - first <= MAX_LOCATION_LINES) return [{ from, to, locations: [spot] }]
  const half = MAX_LOCATION_LINES / 2
  return [
    { from, to: inside(first + half), locations: [spot] },
    { from: inside(last - half), to, locations: [spot] },
  ]
}

/** Reads `45`, `45-67`, and whatever else reviewers write there. */
export function parseLineRange({ line }: IssueLocation): { readonly first: number; readonly last: number } | undefined {
  const [one, other] = (line?.match(/\d+/g) ?? []).map(Number)
  if (one === undefined || !Number.isSafeInteger(one)) return undefined
  const second = other !== undefined && Number.isSafeInteger(other) ? other : one
  return { first: Math.min(one, second), last: Math.max(one, second) }
}
