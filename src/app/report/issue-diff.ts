// What belongs to an issue of all that was changed: from the commit where git still has it, else the beginning that the store kept; of
// an issue that was not committed, what its last attempt changed in its files.
import type { FixClaim } from '../../domain/stage/agent-replies.ts'
import type { SilencedCheck } from '../../domain/tampering/patterns.ts'
import { type FileDiff, pathsOf } from '../../domain/tampering/unified-diff.ts'
import type { SessionIssue } from '../../store/sessions.ts'
import type { Material } from './load-session-data.ts'
import { beginning } from './render/text.ts'
import type { IssueDiff } from './report-model.ts'

/** Of one issue's diff, in a record: what is longer is in git. */
const MOST_OF_A_DIFF = 100_000

export interface Changed {
  /** Null where nothing is known, or nothing was changed. */
  readonly diff: IssueDiff | null
  readonly silenced: readonly SilencedCheck[]
  /** Of the commit, where git still has it. */
  readonly tree?: string | undefined
  /** It is known that the last attempt changed nothing of it. */
  readonly isEmpty: boolean
}

const UNKNOWN = { diff: null, silenced: [], isEmpty: false }

export async function changedBy(material: Material, own: SessionIssue, claim: FixClaim | null): Promise<Changed> {
  const { outcome } = own
  if (outcome?.status !== 'completed') return await attemptOf(material, own, claim)
  const { commit_sha = '', fix_files_modified: files, fix_code: text = '' } = outcome
  const shared_with = sharing(material, own)
  const found = await material.commit(commit_sha)
  if (found) {
    const isOwn = (file: FileDiff) => pathsOf(file).some((path) => files.includes(path))
    return { ...partOf(found, isOwn, { source: 'commit', files, shared_with }), tree: found.tree }
  }
  return text === '' ? UNKNOWN : { ...UNKNOWN, diff: { source: 'glimpse', files, shared_with, text, is_cut: true } }
}

/** What no finding names and no issue claims is shown with each issue of its call: whose it is was never settled. */
async function attemptOf(material: Material, { issue }: SessionIssue, claim: FixClaim | null): Promise<Changed> {
  const { diffs, codesOf, issues, claimsOf } = material
  const last = diffs.findLast(({ name }) => codesOf(name).includes(issue.issue_code))
  const all = last && (await material.kept(last.ref))
  if (!last || !all) return UNKNOWN
  const others = codesOf(last.name).filter((code) => code !== issue.issue_code)
  const claims = (await Promise.all(others.map(claimsOf))).flat()
  const own = new Set([issue.file, ...filesIn(claim)])
  const taken = new Set([...issues.map((each) => each.issue.file), ...claims.flatMap(filesIn)])
  const isOwn = (file: FileDiff) =>
    others.length === 0 || pathsOf(file).some((path) => own.has(path) || !taken.has(path))
  const files = [...new Set(all.files.filter(isOwn).flatMap(pathsOf))]
  return partOf(all, isOwn, { source: 'attempt', files, shared_with: [] })
}

function filesIn(claim: FixClaim | null): readonly string[] {
  return [claim?.file_modified ?? []].flat()
}

/** What moved from one issue's file to another's silences nothing: that was looked for in the whole. */
function partOf(
  all: { readonly files: readonly FileDiff[]; readonly silenced: readonly SilencedCheck[] },
  isOwn: (file: FileDiff) => boolean,
  about: Pick<IssueDiff, 'source' | 'files' | 'shared_with'>,
): Changed {
  const own = all.files.filter(isOwn)
  const paths = new Set(own.map(({ path }) => path))
  const { text, isCut } = beginning(own.map((file) => file.text).join(''), MOST_OF_A_DIFF)
  return {
    diff: own.length === 0 ? null : { ...about, text, is_cut: isCut },
    silenced: all.silenced.filter(({ file }) => paths.has(file)),
    isEmpty: own.length === 0,
  }
}

function sharing({ issues }: Material, { outcome, issue }: SessionIssue): string[] {
  const files = new Set(outcome?.fix_files_modified)
  return issues
    .filter((other) => other.issue.issue_code !== issue.issue_code)
    .filter((other) => other.outcome?.commit_sha === outcome?.commit_sha)
    .filter((other) => other.outcome?.fix_files_modified.some((file) => files.has(file)))
    .map((other) => other.issue.issue_code)
}
