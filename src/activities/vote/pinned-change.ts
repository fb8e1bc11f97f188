// The change that a session votes on: the two commits that its names stood for at the start, and what differs between them.
// A vote is about what the head has gained since the two parted; what the base has gained meanwhile is not its doing.
import { ApplicationFailure } from '@temporalio/common'
import type { FileContent, PinnedFiles } from '../../domain/review/reviewed-files.ts'
import { parseVoteSubject, type VoteSubject } from '../../domain/vote/vote-subject.ts'
import { listFilesAtCommit } from '../../platform/git/repository/list-tree.ts'
import { readSizedBlobs } from '../../platform/git/repository/read-blobs.ts'
import { type Change, listChanges } from '../../platform/git/workspace/diff.ts'
import type { Session } from '../context.ts'

const MAX_FILE_BYTES = 1 << 22

export interface PinnedChange extends VoteSubject {
  /** Where the objects are: a clone of our own, which nobody prunes. */
  readonly gitDir: string
  readonly changes: readonly Change[]
}

export function loadVoteSubject({ id, record }: Session): VoteSubject {
  const subject = parseVoteSubject(record)
  if (subject) return subject
  throw ApplicationFailure.nonRetryable(`session ${id} has no change to vote on`)
}

export async function loadPinnedChange(session: Session, gitDir: string): Promise<PinnedChange> {
  const subject = loadVoteSubject(session)
  return { ...subject, gitDir, changes: await listChanges({ gitDir }, subject.parted_at, subject.head.commit) }
}

/** The changed files, and all others that are named: findings may stand where a caller breaks. */
export async function loadPinnedFiles(
  change: Pick<PinnedChange, 'gitDir' | 'changes' | 'parted_at'> & { readonly head: { readonly commit: string } },
  named: readonly string[],
): Promise<PinnedFiles> {
  const { gitDir, changes, head, parted_at } = change
  const paths = [...new Set([...changes.flatMap(({ path, from = path }) => [path, from]), ...named])]
  const [now, before] = await Promise.all([readFiles(gitDir, head.commit, paths), readFiles(gitDir, parted_at, paths)])
  const renames = changes.flatMap(({ path, from }) => (from === undefined ? [] : [{ from, to: path }]))
  return { new: now, old: before, renames }
}

async function readFiles(
  gitDir: string,
  commit: string,
  paths: readonly string[],
): Promise<ReadonlyMap<string, FileContent>> {
  const files = await listFilesAtCommit(gitDir, commit, paths)
  const blobs = await readSizedBlobs(
    gitDir,
    files.map(({ sha }) => sha),
    MAX_FILE_BYTES,
  )
  return new Map(files.map(({ path }, index) => [path, toContent(blobs[index]?.content)]))
}

function toContent(bytes: Buffer | undefined): FileContent {
  if (bytes === undefined) return { kind: 'too_long' }
  return bytes.includes(0) ? { kind: 'binary' } : { kind: 'text', text: bytes.toString() }
}
