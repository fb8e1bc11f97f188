// The parts of a file that several issues changed: each replaces lines of the stage's base and has owners of its own. Trees are composed
// from them, also from those of several snapshots, because all are about the same old lines.
import {
  applyReplacements,
  diffLines,
  doOverlap,
  isSameReplacement,
  type Replacement,
  sortReplacements,
} from '../text/line-hunks.ts'
import { listOwnerSets, type Owners } from './change-owners.ts'
import type { StoredPart } from './snapshot-metadata.ts'

export interface FilePart extends Replacement {
  readonly codes: readonly string[]
}

/** Path → parts, in order; only of files whose parts have different owners. */
export type FileParts = ReadonlyMap<string, readonly FilePart[]>

/** All differences as parts of the same owners. */
export function toParts(before: readonly string[], after: readonly string[], codes: readonly string[]): FilePart[] {
  return diffLines(before, after).map(({ start, count, newStart, newCount }) => ({
    codes,
    start,
    count,
    lines: after.slice(newStart, newStart + newCount),
  }))
}

/** The parts that a selection of exactly these issues takes over. */
export function listPartsOwnedBy<Part extends Pick<FilePart, 'codes'>>(
  parts: readonly Part[],
  codes: readonly string[],
): Part[] {
  return parts.filter((part) => part.codes.every((code) => codes.includes(code)))
}

/** Stored parts know where their lines stand in the snapshot's file. */
export function loadParts(stored: readonly StoredPart[], after: readonly string[]): FilePart[] {
  return stored.map(({ codes, start, count, newStart, newCount }) => {
    return { codes, start, count, lines: after.slice(newStart, newStart + newCount) }
  })
}

/** Parts make up the whole text, so each begins where the lines before it leave off. */
export function toStoredParts(parts: readonly FilePart[]): StoredPart[] {
  let shift = 0
  return sortReplacements(parts).map(({ codes, start, count, lines }) => {
    const stored = { codes, start, count, newStart: start + shift, newCount: lines.length }
    shift += lines.length - count
    return stored
  })
}

export function haveDifferentOwners(parts: readonly Pick<FilePart, 'codes'>[]): boolean {
  return new Set(parts.map(({ codes }) => codes.join('\n'))).size > 1
}

export function listPartOwners(parts: readonly Pick<FilePart, 'codes'>[]): string[] {
  return [...new Set(parts.flatMap(({ codes }) => codes))].sort()
}

/** The owners with a key for each part instead of its file: issue groups are made from them. */
export function separateParts(owners: Owners, parts: ReadonlyMap<string, readonly Pick<FilePart, 'codes'>[]>): Owners {
  return Object.fromEntries(
    Object.entries(owners).flatMap(([path, codes]): [string, readonly string[]][] => {
      return parts.get(path)?.map((part, index) => [toPartKey(path, index), part.codes]) ?? [[path, codes]]
    }),
  )
}

function toPartKey(path: string, index: number): string {
  return `${path}\n${index}`
}

interface OwnedFiles {
  readonly owners: Owners
  readonly parts: ReadonlyMap<string, readonly Pick<FilePart, 'codes'>[]>
  readonly unclaimed: readonly string[]
}

/** The issues that are kept or left out together. What belongs to all owners of an unclaimed file binds none of them. */
export function listBindingSets({ owners, parts, unclaimed }: OwnedFiles): string[][] {
  const separated = separateParts(owners, parts)
  const open = unclaimed.flatMap((path) => {
    const keys = parts.get(path)?.map((_, index) => toPartKey(path, index)) ?? [path]
    return keys.filter((key) => separated[key]?.length === owners[path]?.length)
  })
  return listOwnerSets(separated, open)
}

export interface MergedFile {
  readonly text: string
  readonly parts: readonly FilePart[]
  /** Owners of parts that had to give way to others. */
  readonly lost: readonly string[]
}

/** Puts the parts of several snapshots together. Where two change the same lines differently, the later snapshot's part stays. */
export function mergeParts(base: readonly string[], shares: readonly (readonly FilePart[])[]): MergedFile {
  let kept: FilePart[] = []
  const lost = new Set<string>()
  for (const part of shares.flat()) {
    const same = kept.find((each) => isSameReplacement(each, part))
    const rest = kept.filter((each) => each !== same && !doOverlap(each, part))
    for (const each of kept) if (each !== same && !rest.includes(each)) for (const code of each.codes) lost.add(code)
    const codes = [...new Set([...(same?.codes ?? []), ...part.codes])].sort()
    kept = [...rest, { ...part, codes }]
  }
  const parts = sortReplacements(kept)
  return { text: applyReplacements(base, parts), parts, lost: [...lost].sort() }
}
