// Finds an issue's part of the changes: from its commit if git still has it, else from the start of the diff in the
// store; for an uncommitted issue, from its last attempt.
import type { FixClaim } from '../../domain/stage/reply-schemas.ts'
import type { TamperingFlag } from '../../domain/tampering/tampering-flag.ts'
import { type FileDiff, listDiffPaths } from '../../domain/text/unified-diff.ts'
import type { SessionIssue } from '../../store/sessions.ts'
import type { SessionData } from './load-session-data.ts'
import { takeHeadLines } from './render/text.ts'
import type { IssueDiff } from './report-model.ts'

/** The limit for one issue's diff in a report; git has the rest. */
const MAX_DIFF_CHARS = 100_000

export interface IssueChange {
  /** Null if nothing is known or nothing was changed. */
  readonly diff: IssueDiff | null
  readonly silenced: readonly TamperingFlag[]
  /** The tree of the commit, if git still has it. */
  readonly tree?: string | undefined
  /** True if the last attempt is known to have changed nothing for this issue. */
  readonly isEmpty: boolean
}

const UNKNOWN_CHANGE = { diff: null, silenced: [], isEmpty: false }

export async function loadIssueChange(
  material: SessionData,
  own: SessionIssue,
  claim: FixClaim | null,
): Promise<IssueChange> {
  const { outcome } = own
  if (outcome?.status !== 'completed') return await loadLastAttempt(material, own, claim)
  const { commit_sha = '', fix_files_modified: files, fix_code: text = '' } = outcome
  const shared_with = listIssuesSharingFiles(material, own)
  const found = await material.commit(commit_sha)
  if (found) {
    const isOwn = (file: FileDiff) => listDiffPaths(file).some((path) => files.includes(path))
    return { ...selectOwnFiles(found, isOwn, { source: 'commit', files, shared_with }), tree: found.tree }
  }
  return text === ''
    ? UNKNOWN_CHANGE
    : { ...UNKNOWN_CHANGE, diff: { source: 'glimpse', files, shared_with, text, is_cut: true } }
}

/** A file that no finding names and no issue claims is shown with each issue of its call: its owner is unknown. */
async function loadLastAttempt(
  material: SessionData,
  { issue }: SessionIssue,
  claim: FixClaim | null,
): Promise<IssueChange> {
  const { diffs, findIssueCodes, issues, listClaims } = material
  const last = diffs.findLast(({ name }) => findIssueCodes(name).includes(issue.issue_code))
  const all = last && (await material.kept(last.ref))
  if (!last || !all) return UNKNOWN_CHANGE
  const others = findIssueCodes(last.name).filter((code) => code !== issue.issue_code)
  const claims = (await Promise.all(others.map(listClaims))).flat()
  const own = new Set([issue.file, ...listClaimedFiles(claim)])
  const taken = new Set([...issues.map((each) => each.issue.file), ...claims.flatMap(listClaimedFiles)])
  const isOwn = (file: FileDiff) =>
    others.length === 0 || listDiffPaths(file).some((path) => own.has(path) || !taken.has(path))
  const files = [...new Set(all.files.filter(isOwn).flatMap(listDiffPaths))]
  return selectOwnFiles(all, isOwn, { source: 'attempt', files, shared_with: [] })
}

function listClaimedFiles(claim: FixClaim | null): readonly string[] {
  return [claim?.file_modified ?? []].flat()
}

/** Filters tampering found in the whole diff, so that a check moved between two issues' files is not reported. */
function selectOwnFiles(
  all: { readonly files: readonly FileDiff[]; readonly silenced: readonly TamperingFlag[] },
  isOwn: (file: FileDiff) => boolean,
  about: Pick<IssueDiff, 'source' | 'files' | 'shared_with'>,
): IssueChange {
  const own = all.files.filter(isOwn)
  const paths = new Set(own.map(({ path }) => path))
  const { text, isCut } = takeHeadLines(own.map((file) => file.text).join(''), MAX_DIFF_CHARS)
  return {
    diff: own.length === 0 ? null : { ...about, text, is_cut: isCut },
    silenced: all.silenced.filter(({ file }) => paths.has(file)),
    isEmpty: own.length === 0,
  }
}

function listIssuesSharingFiles({ issues }: SessionData, { outcome, issue }: SessionIssue): string[] {
  const files = new Set(outcome?.fix_files_modified)
  return issues
    .filter((other) => other.issue.issue_code !== issue.issue_code)
    .filter((other) => other.outcome?.commit_sha === outcome?.commit_sha)
    .filter((other) => other.outcome?.fix_files_modified.some((file) => files.has(file)))
    .map((other) => other.issue.issue_code)
}
