// Renders what surrounds a diff: its places as they are now (the function around each, or up to sixty lines, numbered, changed lines
// marked), and the lines that use them.
import { type EnclosingScope, findEnclosingScope } from '../../../domain/text/enclosing-scope.ts'
import { type FileDiff, parseDiff } from '../../../domain/text/unified-diff.ts'
import { cutLine } from '../shorten.ts'
import { MAX_EXCERPT_LINE, type SourceFiles, splitSourceLines } from './code-excerpts.ts'

/** Lines of one place; the first number with which everything fits is used. */
const MAX_LINES = [60, 30, 12]
/** Two places with no more lines between them become one. */
const MAX_GAP_LINES = 2
/** Changes that are nearer to each other are one place. */
const SAME_PLACE_LINES = 6

interface Place {
  readonly from: number
  readonly to: number
}

interface ChangedFile {
  readonly path: string
  readonly lines: readonly string[]
  /** Numbers of the lines that the diff added or changed. */
  readonly changed: ReadonlySet<number>
  readonly places: readonly (Place & { readonly scope: EnclosingScope | undefined })[]
}

export function renderChangedPlaces(diff: string, sources: SourceFiles, limit: number): string {
  const files = findChangedFiles(diff, sources)
  let shown = ''
  for (const most of MAX_LINES) {
    shown = files.flatMap((file) => renderFile(file, most)).join('\n\n')
    if (shown.length <= limit) break
  }
  return shown
}

/** The names of the functions and classes around the changes, each once. */
export function listChangedNames(diff: string, sources: SourceFiles): string[] {
  const names = findChangedFiles(diff, sources).flatMap(({ places }) =>
    places.flatMap(({ scope }) => scope?.name ?? []),
  )
  return [...new Set(names)]
}

function findChangedFiles(diff: string, sources: SourceFiles): ChangedFile[] {
  return parseDiff(diff).flatMap((file) => {
    const source = sources.get(file.path)
    if (file.kind === 'deleted' || source?.kind !== 'text' || source.text.includes('\0')) return []
    const lines = splitSourceLines(source.text)
    const added = file.hunks.flat().filter(({ side }) => side === 'new')
    const changed = new Set(added.map(({ line }) => line))
    const places = groupChanges(file, lines.length).map(({ from, to }) => {
      return { from, to, scope: findEnclosingScope(lines, from, to) }
    })
    return [{ path: file.path, lines, changed, places }]
  })
}

/** A removed line is the place where it was. */
function groupChanges({ hunks }: FileDiff, count: number): Place[] {
  const numbers = hunks
    .flat()
    .flatMap(({ side, line }) => (side === 'both' ? [] : [Math.min(Math.max(line, 1), count)]))
  const groups: Place[] = []
  for (const line of numbers.toSorted((one, other) => one - other)) {
    const last = groups.at(-1)
    if (last && line - last.to <= SAME_PLACE_LINES) groups.splice(-1, 1, { from: last.from, to: line })
    else groups.push({ from: line, to: line })
  }
  return groups
}

function renderFile({ path, lines, changed, places }: ChangedFile, most: number): string[] {
  const windows = mergePlaces(places.flatMap((place) => findWindows(place, lines.length, most)))
  return windows.map(({ from, to }) => {
    const numbered = lines.slice(from - 1, to).map((line, index) => {
      return `${from + index} ${changed.has(from + index) ? '+' : ' '} ${cutLine(line, MAX_EXCERPT_LINE)}`
    })
    return [`${path}, lines ${from} to ${to} of ${lines.length}`, ...numbered].join('\n')
  })
}

/** A whole function where it fits; else its first line, and the lines around the change within it. */
function findWindows({ from, to, scope }: ChangedFile['places'][number], count: number, most: number): Place[] {
  const bounds: Place = scope ?? { from: 1, to: count }
  if (scope && scope.to - scope.from < most) return [scope]
  const around = Math.max(Math.floor((most - (to - from + 1)) / 2), 2)
  const end = Math.min(to, from + most)
  const window = { from: Math.max(from - around, bounds.from), to: Math.min(end + around, bounds.to) }
  return scope ? [{ from: scope.from, to: scope.from }, window] : [window]
}

function mergePlaces(places: readonly Place[]): Place[] {
  const merged: Place[] = []
  for (const { from, to } of places.toSorted((one, other) => one.from - other.from)) {
    const last = merged.at(-1)
    if (last && from <= last.to + MAX_GAP_LINES + 1)
      merged.splice(-1, 1, { from: last.from, to: Math.max(last.to, to) })
    else merged.push({ from, to })
  }
  return merged
}

export interface CodeUse {
  readonly name: string
  readonly path: string
  readonly line: number
  readonly text: string
}

const MAX_USE_LENGTH = 200

/** Who calls and tests what was changed, tests first. */
export function renderCodeUses(uses: readonly CodeUse[]): string {
  const byName = Map.groupBy(uses, ({ name }) => name)
  return [...byName]
    .map(([name, own]) => {
      const lines = own.map(({ path, line, text }) => `  ${path}:${line}  ${cutLine(text.trim(), MAX_USE_LENGTH)}`)
      return [name, ...lines].join('\n')
    })
    .join('\n')
}
