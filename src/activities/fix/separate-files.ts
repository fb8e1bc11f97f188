// Tells the changes of several issues in one file apart, where each changed another place of it.

import { parseLineRange } from '../../agents/prompts/parts/code-excerpts.ts'
import { assignParts, type PartClaimant } from '../../domain/stage/assign-parts.ts'
import type { OwnerCandidate, Owners } from '../../domain/stage/change-owners.ts'
import type { ClaimedPath } from '../../domain/stage/claimed-paths.ts'
import {
  type FilePart,
  type FileParts,
  haveDifferentOwners,
  listPartOwners,
  toParts,
} from '../../domain/stage/file-parts.ts'
import type { FixClaim } from '../../domain/stage/reply-schemas.ts'
import type { FixInput } from '../../domain/workflow-types/index.ts'
import { readTreeFiles } from '../../platform/git/workspace/file-contents.ts'
import type { Workspace } from '../../platform/git/workspace/object-store.ts'
import { getIssue, type Session } from '../context.ts'
import type { ComposedTree } from './compose-tree.ts'
import { toLines } from './merge-parts.ts'

export interface FixedTree {
  readonly input: FixInput
  readonly start: ComposedTree
  readonly claims: readonly FixClaim[]
  /** The tree that the call left. */
  readonly tree: string
}

export interface Claimant extends OwnerCandidate {
  readonly claimed: readonly ClaimedPath[]
  /** The finding's text and the fixer's summary. */
  readonly text: string
}

/** The parts of each file that has several owners and whose changes can be told apart, or are all some of theirs. */
export async function separateFiles(
  session: Session,
  workspace: Workspace,
  { input, start, tree }: FixedTree,
  { owners, claimants }: { readonly owners: Owners; readonly claimants: readonly Claimant[] },
): Promise<FileParts> {
  const paths = Object.keys(owners).filter((path) => (owners[path]?.length ?? 0) > 1)
  const [base, before, after] = await Promise.all(
    [input.head, start.tree, tree].map((each) => readTreeFiles(workspace, each, paths)),
  )
  const found = new Map<string, readonly FilePart[]>()
  for (const path of paths) {
    const files = [base, before, after].map((each) => each?.get(path))
    const isText = files.every((file) => file && file.mode === files[0]?.mode && !file.content.includes(0))
    if (!isText) continue
    const [old = [], started = [], now = []] = files.map(toLines)
    const had = Object.hasOwn(start.owners, path) ? (start.owners[path] ?? []) : []
    const carried = start.parts.get(path) ?? toParts(old, started, had)
    const own = claimants.filter(({ code }) => owners[path]?.includes(code))
    const asked = own.map(({ code, claimed, text }): PartClaimant => {
      const issue = getIssue(session, code)
      return {
        code,
        text,
        found: issue.file === path ? parseLineRange(issue) : undefined,
        claimed: claimed.flatMap((each) => (each.path === path && each.lines ? [each.lines] : [])),
        ownsMore: Object.keys(owners).some((other) => other !== path && owners[other]?.includes(code)),
      }
    })
    const parts = assignParts({ before: old, after: now, carried }, asked)
    const isNarrower = parts && listPartOwners(parts).length < (owners[path]?.length ?? 0)
    if (parts && (isNarrower || haveDifferentOwners(parts))) found.set(path, parts)
  }
  return found
}
