// Gate 1: which changed paths may not change, and whose issues they belong to. No person can allow changes to git's own files, hooks,
// submodules or links out of the tree; a person decides about the rest that lies outside of the scope.
import { matchesGlob } from 'node:path'
import { isCoveredByGrant, OUTSIDE_WORKSPACE, type OutsideFile } from '../people/validate-messages.ts'
import type { Settings } from '../settings/schema.ts'
import { listOwnerSets, type Owners } from '../stage/change-owners.ts'
import { groupIssues } from '../stage/issue-groups.ts'
import type { AdditionFinding } from './additions.ts'
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
  /** Glob patterns of files that only the fix of an issue about them may change. */
  readonly protected_unless_about: readonly string[]
  /** Paths that people allowed, and folders, which end in a slash. */
  readonly grants?: readonly string[]
  /** The target of a symbolic link in the tree. */
  readonly readLink?: (path: string) => string | undefined
  /** The git filter of a file that our own git does not run. */
  readonly findFilter?: (path: string) => string | undefined
  /** What the fix brings with a path besides its change. */
  readonly findAdditions?: (path: string) => readonly AdditionFinding[]
}

export interface ScopeCheckResult {
  readonly violations: readonly string[]
  readonly outOfScope: readonly string[]
  /** Files that a person may allow. */
  readonly outside: readonly OutsideFile[]
}

/**
 * A path is allowed only in its exact spelling, but protected in every spelling that some file system takes for it. Gaps: a copy of a
 * protected file is a new file; hooks are known by their usual folders only.
 */
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
      // A path without owners is as it was before any fix: its change was undone.
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
  /** `always`, and the patterns that spare a file's own issue. */
  readonly unlessAbout: readonly Spellings[]
}

interface ChangedEnd {
  readonly path: string
  readonly about: boolean
  readonly link: string | undefined
}

const HOOK_FOLDERS: ReadonlySet<string> = new Set(['.githooks', '.husky'])

function findForbiddenReason(
  { path, about, link }: ChangedEnd,
  { readLink, findFilter, findAdditions }: Rules,
): string | undefined {
  const names = path.split('/')
  if (names.some(isGitInternal)) return "git's own"
  if (!about && names.some((name) => HOOK_FOLDERS.has(caseFold(name)))) return 'a hook'
  const filter = findFilter?.(path)
  if (filter !== undefined) return `a file of the git filter ${filter}, which is not run here`
  const leaves = link !== undefined && resolveThroughLinks(path, link, readLink) === undefined
  if (leaves) return `a link that leaves the tree: ${link}`
  const rejected = findAdditions?.(path).filter(({ decision }) => decision === 'reject') ?? []
  return rejected.length === 0 ? undefined : rejected.map(({ why }) => why).join(', ')
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
  // An addition is allowed by its own path: a folder opens places, not secrets.
  const brought = grants.includes(path) ? [] : (scope.findAdditions?.(path) ?? [])
  reasons.push(...brought.filter(({ decision }) => decision === 'ask').map(({ why }) => why))
  return reasons.length === 0 ? undefined : reasons.join(', ')
}

/** Looks at the settings alone, not at grants. A setting that is no valid folder allows nothing. */
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

export function isProtectedPath(
  path: string,
  {
    protected: always,
    protected_unless_about: unlessAbout,
    grants = [],
  }: Pick<Scope, 'protected' | 'protected_unless_about' | 'grants'>,
): boolean {
  return isProtected(path, [...always, ...unlessAbout].map(toSpellings), grants)
}

/** A grant for a folder opens only files that are protected because of the folder, as a file of any name in it would be. */
const ANY_NAME = '\u0001'

function isLinkAllowed(path: string, target: string, scope: ScopeFolders, grants: readonly string[]): boolean {
  if (grants.includes(path) || isInWorkspace(target, scope)) return true
  return grants.some((grant) => isCoveredByGrant(grant, target) || isCoveredByGrant(grant, `${target}/`))
}

/** A text in lower case, and its case folding if that differs. */
type Spellings = readonly [string, string?]

function toSpellings(text: string): Spellings {
  const [name, alike] = [text.toLowerCase(), caseFold(text)]
  return name === alike ? [escapeDots(name)] : [escapeDots(name), escapeDots(alike)]
}

function matches([name, nameAlike]: Spellings, [glob, globAlike]: Spellings): boolean {
  if (matchesGlob(name, glob)) return true
  return (nameAlike ?? globAlike) !== undefined && matchesGlob(nameAlike ?? name, globAlike ?? glob)
}

/** Replaces dots, because the matcher hides names that begin with one from `*` and `**`. No path contains a NUL. */
function escapeDots(text: string): string {
  return text.replaceAll('.', '\0')
}

/** Leaves out files that go anyway, because their issue group has a violation that nobody can allow. */
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
