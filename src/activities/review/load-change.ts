// Loads the change under review from the two pinned commits: what changed, what the files hold on either side, and the diffs as files
// that reviewers read. The person's work tree is never looked at.
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ShownChange } from '../../agents/prompts/review.ts'
import type { ChangeToReview } from '../../domain/review/check-coverage.ts'
import { parseReviewOptions, type ReviewOptions } from '../../domain/review/review-options.ts'
import type { PinnedFiles } from '../../domain/review/reviewed-files.ts'
import { parsePathInside } from '../../domain/scope/paths.ts'
import { parseDiff } from '../../domain/text/unified-diff.ts'
import { type Change, diffText, listChanges } from '../../platform/git/workspace/diff.ts'
import type { Workspace } from '../../platform/git/workspace/object-store.ts'
import { recreateFolder } from '../../platform/sandbox/scratch-folders.ts'
import { type ActivityContext, type Session, sessionFolder } from '../context.ts'
import { loadPinnedFiles } from '../vote/pinned-change.ts'

export interface LoadedChange extends ChangeToReview {
  readonly base: string
  readonly options: ReviewOptions
  readonly changes: readonly Change[]
}

export async function loadChange(session: Session, workspace: Workspace): Promise<LoadedChange> {
  const options = parseReviewOptions(session.record)
  const [head, base] = [workspace.base, options.against.commit]
  const changes = (await listChanges(workspace, base, head)).filter(({ submodule }) => !submodule)
  const change = { head, base, options, changes, files: new Map() }
  const { new: now } = await loadNamedFiles(workspace, change, [])
  return { ...change, files: new Map(changes.map(({ path }) => [path, now.get(path)])) }
}

/** The changed files on both sides, and those that findings name besides. */
export async function loadNamedFiles(
  { gitDir }: Workspace,
  { head, base, changes }: LoadedChange,
  named: readonly string[],
): Promise<PinnedFiles> {
  const inside = named.flatMap((path) => parsePathInside(path.trim()).path ?? [])
  return await loadPinnedFiles({ gitDir, changes, head: { commit: head }, parted_at: base }, inside)
}

/** Writes the diffs, a file for each changed file that has text, and returns the change as prompts show it. */
export async function writeChange(
  context: Pick<ActivityContext, 'sessionsFolder'>,
  session: Session,
  workspace: Workspace,
  { head, base, changes, options }: LoadedChange,
): Promise<ShownChange> {
  const diffs = join(sessionFolder(context, session.id), 'change')
  await recreateFolder(diffs)
  const written = new Map<string, string>()
  for (const { path, text, isBinary } of parseDiff(await diffText(workspace, base, head))) {
    if (isBinary) continue
    const name = `${path}.diff`
    await mkdir(dirname(join(diffs, name)), { recursive: true })
    await writeFile(join(diffs, name), text, { mode: 0o444 })
    written.set(path, name)
  }
  const files = changes.map(({ path, kind, from }) => ({ path, kind, from, diff: written.get(path) }))
  return { head, base, diffs, files, ...(options.spec === undefined ? {} : { spec: options.spec }) }
}
