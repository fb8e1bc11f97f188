// What a person's word about files outside of the scope comes to: which of them may stay, which issues go, and what is
// remembered of it. Never wider than it was asked for.
import { isCoveredByGrant, type OutsideFile, type ScopeDecision } from '../people/validate-messages.ts'
import { OUTSIDE_WORKSPACE } from './check-scope.ts'

/** When nobody decided in time, that is a no. */
export type ScopeDecisionOrDeadline = ScopeDecision | { readonly decision: 'deadline' }

/** Of these files, the ones that may stay. */
export function listApprovedFiles(
  files: readonly OutsideFile[],
  answer: ScopeDecisionOrDeadline,
): readonly OutsideFile[] {
  if (answer.decision !== 'approve') return []
  const { paths } = answer
  return files.filter(({ path }) => paths === undefined || paths.some((each) => isCoveredByGrant(each, path)))
}

/** An issue stays only if everything of it does that lies outside. */
export function listBarredIssues(files: readonly OutsideFile[], approved: readonly OutsideFile[]): string[] {
  const refused = files.filter((file) => !approved.includes(file))
  return [...new Set(refused.flatMap(({ codes }) => codes))].sort()
}

/** The folders that were asked for, where there is such a file; each other file by its own name. */
export function listGrantedPaths(files: readonly OutsideFile[], answer: ScopeDecisionOrDeadline): string[] {
  if (answer.decision !== 'approve' || answer.remember === 'once') return []
  const approved = listApprovedFiles(files, answer)
  const folders = (answer.paths ?? []).filter(
    (path) => path.endsWith('/') && approved.some((file) => isCoveredByGrant(path, file.path)),
  )
  // A folder opens what lies in it, not what is protected there.
  const named = approved.filter(
    ({ path, why }) => why !== OUTSIDE_WORKSPACE || !folders.some((folder) => isCoveredByGrant(folder, path)),
  )
  return [...new Set([...folders, ...named.map(({ path }) => path)])]
}
