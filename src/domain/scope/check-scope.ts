// Gate 1: which of the changed paths may not change, and whose issue that was. Some things no person can let through: git's own,
// hooks, links out of the tree, submodules. About the rest of what lies outside of the scope a person decides.
// A path is allowed only in the very spelling that was allowed, and protected in every spelling that some file system takes for it.
// Gaps: a copy of a protected file is a new file; hooks are known by the folders that are usual for them.
import { matchesGlob } from 'node:path'
import { isCoveredByGrant, type OutsideFile } from '../people/validate-messages.ts'
import type { Settings } from '../settings/schema.ts'
import { listOwnerSets, type Owners } from '../stage/change-owners.ts'
import { groupIssues } from '../stage/issue-groups.ts'
import { caseFold, isGitInternal, isInside, parsePathInside, resolveThroughLinks } from './paths.ts'

export interface ScopedChange {
  readonly path: string
  readonly from?: string | undefined
  readonly symlink?: string | undefined
  readonly submodule?: boolean | undefined
}

interface ScopedIssue {
  readonly code: string
  readonly file: string
}

type ScopeFolders = Pick<Settings['scope'], 'workspace_path' | 'allowed_extra_paths'>

export interface Scope extends ScopeFolders {
  /** Glob patterns. */
  readonly protected: readonly string[]
  /** Those of files that an issue about them may change. */
  readonly protected_unless_about: readonly string[]
  /** What people have let through: paths, and folders that end in a slash. */
  readonly grants?: readonly string[]
  /** What the symbolic links of the tree point to. */
  readonly readLink?: (path: string) => string | undefined
  /** The filter that git would pass a file through, where ours can't. */
  readonly findFilter?: (path: string) => string | undefined
}

export interface ScopeCheckResult {
  readonly violations: readonly string[]
  readonly outOfScope: readonly string[]
  /** What a person may let through. */
  readonly outside: readonly OutsideFile[]
}

export const OUTSIDE_WORKSPACE = 'outside the workspace'

export function checkScope(
  changes: readonly ScopedChange[],
  owners: Owners,
  issues: readonly ScopedIssue[],
  scope: Scope,
): ScopeCheckResult {
  const violations = new Set<string>()
  const outOfScope = new Set<string>()
  const outside = new Map<string, OutsideFile>()
  const always = scope.protected.map(toSpellings)
  const unlessAbout = [...always, ...scope.protected_unless_about.map(toSpellings)]
  const rules: Rules = { ...scope, always, unlessAbout }
  for (const change of changes) {
    const ends = change.from === undefined ? [change.path] : [change.path, change.from]
    for (const path of ends) {
      // What belongs to nobody is as it was before any fix: a change that was undone.
      const codes = Object.hasOwn(owners, path) ? (owners[path] ?? []) : []
      if (codes.length === 0) continue
      const about = issues.some(({ code, file }) => file === path && codes.includes(code))
      const end: ChangedEnd = { path, about, link: path === change.path ? change.symlink : undefined }
      const never = path === change.path && change.submodule ? 'a submodule' : findForbiddenReason(end, rules)
      const why = never ? undefined : findApprovalReason(end, rules)
      if (never) violations.add(`${path} (${never})`)
      for (const code of never ? codes : []) outOfScope.add(code)
      if (why && !outside.has(path)) outside.set(path, { path, why, codes })
    }
  }
  return { violations: [...violations], outOfScope: [...outOfScope].sort(), outside: [...outside.values()] }
}

interface Rules extends Scope {
  readonly always: readonly Spellings[]
  /** Those, and what only an issue about it may change. */
  readonly unlessAbout: readonly Spellings[]
}

interface ChangedEnd {
  readonly path: string
  /** An issue is about this very file, and owns the change. */
  readonly about: boolean
  readonly link: string | undefined
}

const HOOK_FOLDERS: ReadonlySet<string> = new Set(['.githooks', '.husky'])

function findForbiddenReason({ path, about, link }: ChangedEnd, { readLink, findFilter }: Rules): string | undefined {
  const names = path.split('/')
  if (names.some(isGitInternal)) return "git's own"
  if (!about && names.some((name) => HOOK_FOLDERS.has(caseFold(name)))) return 'a hook'
  const filter = findFilter?.(path)
  if (filter !== undefined) return `a file of the git filter ${filter}, which is not run here`
  const leaves = link !== undefined && resolveThroughLinks(path, link, readLink) === undefined
  return leaves ? `a link that leaves the tree: ${link}` : undefined
}

function findApprovalReason({ path, about, link }: ChangedEnd, scope: Rules): string | undefined {
  const { always, unlessAbout, grants = [] } = scope
  const reasons: string[] = []
  if (!isInWorkspace(path, scope) && !grants.some((grant) => isCoveredByGrant(grant, path)))
    reasons.push(OUTSIDE_WORKSPACE)
  if (isProtected(path, about ? always : unlessAbout, grants)) reasons.push('protected')
  const target = link === undefined ? undefined : resolveThroughLinks(path, link, scope.readLink)
  if (target !== undefined && !isLinkAllowed(path, target, scope, grants)) {
    reasons.push(`a link to ${link?.slice(0, 200)}, ${OUTSIDE_WORKSPACE}`)
  }
  return reasons.length === 0 ? undefined : reasons.join(', ')
}

/** By the settings alone. A folder that can't be read as one allows nothing. */
function isInWorkspace(path: string, { workspace_path, allowed_extra_paths }: ScopeFolders): boolean {
  if (workspace_path === null) return true
  return [workspace_path, ...allowed_extra_paths].some((text) => {
    const folder = parsePathInside(text.replace(/\/+$/, '')).path
    return folder !== undefined && isInside(path, folder)
  })
}

function isProtected(path: string, globs: readonly Spellings[], grants: readonly string[]): boolean {
  const name = toSpellings(path)
  const hits = globs.filter((glob) => matches(name, glob))
  const opened = grants.filter((grant) => isCoveredByGrant(grant, path))
  return hits.some(
    (glob) => !opened.some((grant) => !grant.endsWith('/') || matches(toSpellings(`${grant}${ANY_NAME}`), glob)),
  )
}

/**
 * Who lets a folder through has not thought of each protected name that may turn up in it: it opens only what is protected for being
 * in that folder, as any name would be.
 */
const ANY_NAME = '\u0001'

function isLinkAllowed(path: string, target: string, scope: ScopeFolders, grants: readonly string[]): boolean {
  if (grants.includes(path) || isInWorkspace(target, scope)) return true
  return grants.some((grant) => isCoveredByGrant(grant, target) || isCoveredByGrant(grant, `${target}/`))
}

/** Without regard to letter case, and as the least attentive file system takes it where that is something else. */
type Spellings = readonly [string, string?]

function toSpellings(text: string): Spellings {
  const [name, alike] = [text.toLowerCase(), caseFold(text)]
  return name === alike ? [escapeDots(name)] : [escapeDots(name), escapeDots(alike)]
}

function matches([name, nameAlike]: Spellings, [glob, globAlike]: Spellings): boolean {
  if (matchesGlob(name, glob)) return true
  return (nameAlike ?? globAlike) !== undefined && matchesGlob(nameAlike ?? name, globAlike ?? glob)
}

/** A dot means nothing special: to the matcher, a name that begins with one is hidden from `*` and `**`. No path holds a NUL. */
function escapeDots(text: string): string {
  return text.replaceAll('.', '\0')
}

/** Nobody is asked about what goes anyway, together with an issue that did what nobody can let through. */
export function filterFilesToAskAbout(
  outside: readonly OutsideFile[],
  owners: Owners,
  outOfScope: readonly string[],
): readonly OutsideFile[] {
  const codes = [...new Set(Object.values(owners).flat())]
  const barred = groupIssues(codes, listOwnerSets(owners)).filter((group) =>
    group.some((code) => outOfScope.includes(code)),
  )
  return outside.filter((file) => !file.codes.some((code) => barred.some((group) => group.includes(code))))
}
