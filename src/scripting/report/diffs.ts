// The diff that belongs to an issue: from the commit where git still has it, else the beginning that the store kept; of an issue
// that was not committed, what its last attempt changed in its files.

import { committedChange, keptDiff } from '../../runtime/evidence.ts'
import type { SessionIssue } from '../../store/sessions.ts'
import type { Material } from './material.ts'
import type { IssueDiff } from './record.ts'
import { beginning } from './text.ts'

/** Of one issue's diff, in a record: what is longer is in git. */
const MOST_OF_A_DIFF = 100_000

export interface Changed {
  readonly diff: IssueDiff | null
  /** Of the commit, where git still has it. */
  readonly tree: string | undefined
}

export async function changedBy(material: Material, own: SessionIssue, claimed: readonly string[]): Promise<Changed> {
  const { outcome } = own
  if (outcome?.status !== 'completed') return { diff: await attemptOf(material, own, claimed), tree: undefined }
  const { commit_sha = '', fix_files_modified: files, fix_code = '' } = outcome
  const found = await committedChange(material.session.repository, commit_sha, files)
  const about = { files, shared_with: sharing(material, own) }
  if (!found) {
    const glimpse = { source: 'glimpse', ...about, text: fix_code, is_cut: true } as const
    return { diff: fix_code === '' ? null : glimpse, tree: undefined }
  }
  const { text, isCut } = beginning(found.diff, MOST_OF_A_DIFF)
  return { diff: { source: 'commit', ...about, text, is_cut: isCut }, tree: found.tree }
}

function sharing({ issues }: Material, { outcome, issue }: SessionIssue): string[] {
  const files = new Set(outcome?.fix_files_modified)
  return issues
    .filter((other) => other.issue.issue_code !== issue.issue_code)
    .filter((other) => other.outcome?.commit_sha === outcome?.commit_sha)
    .filter((other) => other.outcome?.fix_files_modified.some((file) => files.has(file)))
    .map((other) => other.issue.issue_code)
}

async function attemptOf(
  { diffs, codesOf, home }: Material,
  { issue }: SessionIssue,
  claimed: readonly string[],
): Promise<IssueDiff | null> {
  const last = diffs.findLast(({ name }) => isOfFixer(name) && codesOf(name).includes(issue.issue_code))
  const whole = last && (await keptDiff(home, last.ref))
  if (!last || whole === undefined) return null
  const others = codesOf(last.name).filter((code) => code !== issue.issue_code)
  const names = new Set([issue.file, ...claimed])
  const isOwn = (section: Section): boolean => others.length === 0 || section.files.some((file) => names.has(file))
  const sections = sectionsOf(whole).filter(isOwn)
  if (sections.length === 0) return null
  const { text, isCut } = beginning(sections.map((section) => section.text).join(''), MOST_OF_A_DIFF)
  const files = [...new Set(sections.flatMap((section) => section.files))]
  return { source: 'attempt', files, shared_with: [], text, is_cut: isCut }
}

/** Beside it lies what a person was asked about. */
export function isOfFixer(name: string): boolean {
  return /\.fix(\.|$)/.test(name) && !name.endsWith('.scope')
}

interface Section {
  readonly files: readonly string[]
  readonly text: string
}

/** A diff by its files: no line of a file begins as a header does. */
export function sectionsOf(diff: string): Section[] {
  return diff
    .split(/^(?=diff --git )/m)
    .filter((text) => text.startsWith('diff --git '))
    .map((text) => {
      const header = text.split(/^@@ /m, 1)[0] ?? ''
      const named = [
        ...header.matchAll(/^(?:--- a|\+\+\+ b)\/(.+)$/gm),
        ...header.matchAll(/^rename (?:from|to) (.+)$/gm),
      ]
      const [, same] = /^diff --git a\/(.+) b\/\1$/m.exec(header) ?? []
      const files = [...named.map(([, name = '']) => name), ...(same === undefined ? [] : [same])]
      return { files: [...new Set(files.map((file) => file.trimEnd()))], text }
    })
}
