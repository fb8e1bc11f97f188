// The files that a fixer says it changed, and those that a finding's text names. Models write several paths into one text, and lines
// behind a path; a piece counts only if it is a path that really changed.
import { parsePathsInside } from '../scope/paths.ts'

/** Line numbers, from 1, both included. */
export interface LineRange {
  readonly first: number
  readonly last: number
}

export interface ClaimedPath {
  readonly path: string
  /** The lines that the claim names, in the file as it is after the change. */
  readonly lines?: LineRange
}

/** `a.go,b.go` and `a.go b.go` are two paths, `a.go:3-5,9` one with two places. A file whose name holds a comma stays one. */
export function parseClaimedPaths(
  entries: readonly string[],
  root: string,
  isKnown: (path: string) => boolean,
): ClaimedPath[] {
  return entries.flatMap((entry) => {
    const whole = parseClaimedPath(entry, root, isKnown)
    if (whole) return [whole]
    const found: ClaimedPath[] = []
    for (const piece of entry.split(/[,;\s]+/)) {
      const claimed = parseClaimedPath(piece, root, isKnown)
      const before = found.at(-1)
      const lines = before?.lines && parseLines(piece)
      if (claimed) found.push(claimed)
      else if (before && lines) found.push({ path: before.path, lines })
    }
    return found
  })
}

/** `name:3`, `name:3-5`, `name#L3-L5`. */
const WITH_LINES = /^(.+?)(?::|#L)(\d{1,9}(?:-L?\d{1,9})?)$/

function parseClaimedPath(text: string, root: string, isKnown: (path: string) => boolean): ClaimedPath | undefined {
  const toKnown = (name: string): string | undefined => {
    const [path] = parsePathsInside([name.trim().replace(/^[`'"([]+|[`'")\]]+$/g, '')], root)
    return path !== undefined && isKnown(path) ? path : undefined
  }
  const path = toKnown(text)
  if (path !== undefined) return { path }
  const [, name = '', place = ''] = WITH_LINES.exec(text.trim()) ?? []
  const placed = toKnown(name)
  const lines = parseLines(place)
  return placed !== undefined && lines ? { path: placed, lines } : undefined
}

/** `45`, `45-67` or `45-L67`, as reviewers and fixers write it. */
export function parseLines(text: string): LineRange | undefined {
  const [, first, last] = /^\s*(\d{1,9})(?:\s*-\s*L?(\d{1,9}))?\s*$/.exec(text) ?? []
  if (first === undefined) return undefined
  const [from, to] = [Number(first), Number(last ?? first)]
  return { first: Math.min(from, to), last: Math.max(from, to) }
}

/** The paths that stand in a text as words of their own. */
export function findNamedPaths(text: string, paths: readonly string[]): string[] {
  return paths.filter((path) => {
    for (let at = text.indexOf(path); at >= 0; at = text.indexOf(path, at + 1)) {
      const begins = /(?:^|[^\w/.-])(?:\.\/)?$/.test(text.slice(Math.max(at - 3, 0), at))
      const ends = /^(?:$|[^\w/.-]|\.(?!\w))/.test(text.slice(at + path.length, at + path.length + 2))
      if (begins && ends) return true
    }
    return false
  })
}
