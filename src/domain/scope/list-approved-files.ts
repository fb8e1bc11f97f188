// Applies a person's decision about files outside of the scope: which stay, which issues are barred, which grants are remembered.
import {
  isCoveredByGrant,
  OUTSIDE_WORKSPACE,
  type OutsideFile,
  type ScopeDecision,
} from '../people/validate-messages.ts'

/** A missed deadline counts as a rejection. */
export type ScopeDecisionOrDeadline = ScopeDecision | { readonly decision: 'deadline' }

export function listApprovedFiles(
  files: readonly OutsideFile[],
  answer: ScopeDecisionOrDeadline,
): readonly OutsideFile[] {
  if (answer.decision !== 'approve') return []
  const { paths } = answer
  return files.filter(({ path }) => paths === undefined || paths.some((each) => isCoveredByGrant(each, path)))
}

/** An issue stays only if all of its files outside of the scope are approved. */
export function listBarredIssues(files: readonly OutsideFile[], approved: readonly OutsideFile[]): string[] {
  const refused = files.filter((file) => !approved.includes(file))
  return [...new Set(refused.flatMap(({ codes }) => codes))].sort()
}

/** The approved folders that contain such a file, and every other approved file by name. */
export function listGrantedPaths(files: readonly OutsideFile[], answer: ScopeDecisionOrDeadline): string[] {
  if (answer.decision !== 'approve' || answer.remember === 'once') return []
  const approved = listApprovedFiles(files, answer)
  const folders = (answer.paths ?? []).filter(
    (path) => path.endsWith('/') && approved.some((file) => isCoveredByGrant(path, file.path)),
  )
  // A grant for a folder opens the files in it, not the protected ones.
  const named = approved.filter(
    ({ path, why }) => why !== OUTSIDE_WORKSPACE || !folders.some((folder) => isCoveredByGrant(folder, path)),
  )
  return [...new Set([...folders, ...named.map(({ path }) => path)])]
}
