// The files of the two pinned commits, as far as a review names them: a finding's place is checked against these and nothing else.
import { parsePathInside } from '../scope/paths.ts'
import { anchorQuote, splitTextLines } from './anchor-quote.ts'
import type { Anchor, FindingSide } from './finding.ts'

export type FileContent =
  | { readonly kind: 'text'; readonly text: string }
  /** Nothing of it can be quoted. */
  | { readonly kind: 'binary' | 'too_long' }

export interface PinnedFiles {
  /** By path, in the reviewed commit (`new`) and in its base (`old`). */
  readonly new: ReadonlyMap<string, FileContent>
  readonly old: ReadonlyMap<string, FileContent>
  readonly renames: readonly { readonly from: string; readonly to: string }[]
}

export interface Place {
  readonly file: string
  readonly anchor: Anchor
}

export interface QuotedPlace {
  readonly file: string
  readonly side: FindingSide
  readonly quote: string
  readonly line?: string | null | undefined
}

/** A renamed file is found under either name. A path that leaves the repository has no place, and stays as it was reported. */
export function findPlace(reported: QuotedPlace, files: PinnedFiles): Place {
  const inside = parsePathInside(reported.file.trim())
  if (inside.problem !== undefined) return unplaced(reported.file, `the path ${inside.problem}`)
  const file = followRename(inside.path, reported.side, files)
  const found = files[reported.side].get(file)
  if (found === undefined) return unplaced(file, `there is no such file ${SIDES[reported.side]}`)
  if (found.kind !== 'text')
    return unplaced(file, found.kind === 'binary' ? 'the file is binary' : 'the file is too long')
  const anchor = anchorQuote(reported, splitTextLines(found.text))
  return { file, anchor }
}

const SIDES: Readonly<Record<FindingSide, string>> = { new: 'in the reviewed commit', old: 'before the change' }

function unplaced(file: string, note: string): Place {
  return { file, anchor: { kind: 'unanchored', note } }
}

function followRename(path: string, side: FindingSide, { renames, ...files }: PinnedFiles): string {
  if (files[side].has(path)) return path
  const [from, to] = side === 'new' ? (['from', 'to'] as const) : (['to', 'from'] as const)
  return renames.find((each) => each[from] === path)?.[to] ?? path
}
