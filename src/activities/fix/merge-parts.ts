// Puts a file together of which several selections take something, or one takes only some of its parts.

import {
  type FilePart,
  type FileParts,
  listPartOwners,
  listPartsOwnedBy,
  loadParts,
  mergeParts,
  toParts,
} from '../../domain/stage/file-parts.ts'
import type { StoredPart } from '../../domain/stage/snapshot-metadata.ts'
import { splitLines } from '../../domain/text/line-hunks.ts'
import { readTreeFiles, type TreeFile } from '../../platform/git/workspace/file-contents.ts'
import type { Workspace } from '../../platform/git/workspace/object-store.ts'

/** The part of a file that a selection takes. */
export interface FileShare {
  readonly path: string
  /** The snapshot's commit. */
  readonly commit: string
  readonly codes: readonly string[]
  /** The parts that it takes; absent if it takes all, with the same owners. */
  readonly parts?: readonly StoredPart[] | undefined
  readonly isWhole: boolean
}

export interface MergedFiles {
  readonly files: ReadonlyMap<string, TreeFile>
  readonly parts: FileParts
  /** Files that can't be merged as texts, each as one snapshot has it. */
  readonly whole: readonly FileShare[]
  /** Issues whose changes had to give way. */
  readonly lost: readonly string[]
}

export async function mergeShares(
  workspace: Workspace,
  head: string,
  shares: ReadonlyMap<string, readonly FileShare[]>,
): Promise<MergedFiles> {
  const paths = [...shares.keys()]
  const base = await readTreeFiles(workspace, head, paths)
  const commits = [...new Set([...shares.values()].flat().map(({ commit }) => commit))]
  const contents = new Map(
    await Promise.all(commits.map(async (each) => [each, await readTreeFiles(workspace, each, paths)] as const)),
  )
  const files = new Map<string, TreeFile>()
  const parts = new Map<string, readonly FilePart[]>()
  const whole: FileShare[] = []
  const lost: string[] = []
  for (const [path, own] of shares) {
    const before = base.get(path)
    const texts = own.map(({ commit }) => contents.get(commit)?.get(path))
    const isText = [before, ...texts].every((file) => file && file.mode === before?.mode && !file.content.includes(0))
    const last = own.findLast(({ isWhole }) => isWhole)
    if (before && isText) {
      const merged = mergeParts(
        toLines(before),
        own.map((share, index) => loadShare(share, toLines(before), toLines(texts[index]))),
      )
      files.set(path, { mode: before.mode, content: Buffer.from(merged.text, 'latin1') })
      parts.set(path, merged.parts)
      lost.push(...merged.lost)
    } else {
      if (last) whole.push(last)
      lost.push(...own.filter((share) => share !== last).flatMap(({ codes }) => codes))
    }
  }
  return { files, parts, whole, lost: [...new Set(lost)].sort() }
}

/** Lines of bytes: latin1 keeps each byte as it is. */
export function toLines(file: TreeFile | undefined): string[] {
  return splitLines(file?.content.toString('latin1') ?? '')
}

function loadShare(share: FileShare, before: readonly string[], after: readonly string[]): FilePart[] {
  return share.parts ? loadParts(share.parts, after) : toParts(before, after, share.codes)
}

/** The parts of files that a tree takes as a whole: a further call adds to them. */
export async function loadWholeParts(workspace: Workspace, shares: readonly FileShare[]): Promise<FileParts> {
  const found = new Map<string, readonly FilePart[]>()
  for (const { path, commit, parts } of shares) {
    if (parts) found.set(path, loadParts(parts, toLines((await readTreeFiles(workspace, commit, [path])).get(path))))
  }
  return found
}

export function listShares(
  {
    commit,
    owners,
    parts = {},
  }: {
    readonly commit: string
    readonly owners: Readonly<Record<string, readonly string[]>>
    readonly parts?: Readonly<Record<string, readonly StoredPart[]>> | undefined
  },
  codes: readonly string[],
): FileShare[] {
  return Object.entries(owners).flatMap(([path, all]): FileShare[] => {
    const stored = Object.hasOwn(parts, path) ? (parts[path] ?? []) : []
    const isWhole = all.every((code) => codes.includes(code))
    const own = listPartsOwnedBy(stored, codes)
    if (!isWhole && own.length === 0) return []
    return [
      { path, commit, isWhole, codes: isWhole ? all : listPartOwners(own), parts: stored.length > 0 ? own : undefined },
    ]
  })
}
