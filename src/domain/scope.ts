// Gate 1: which of the changed paths may not change, and whose issue that was. What an issue is about may be changed by its
// fix even where the path is protected, but never what git itself or its hooks consist of.
// Letter case is ignored, since there are file systems that ignore it. Gap: a copy of a protected file is a new file.
import { matchesGlob } from 'node:path'
import type { Owners } from './ownership.ts'

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

export interface ScopeVerdict {
  readonly violations: readonly string[]
  readonly outOfScope: readonly string[]
}

export function checkScope(
  changes: readonly ScopedChange[],
  owners: Owners,
  issues: readonly ScopedIssue[],
  protectedGlobs: readonly string[],
): ScopeVerdict {
  const violations: string[] = []
  const outOfScope = new Set<string>()
  for (const change of changes) {
    const ends = change.from === undefined ? [change.path] : [change.path, change.from]
    for (const end of ends) {
      // What belongs to nobody is as it was before any fix: a change that was undone.
      const own = Object.hasOwn(owners, end) ? (owners[end] ?? []) : []
      if (own.length === 0) continue
      const about = issues.some(({ code, file }) => file === end && own.includes(code))
      const problem =
        (end === change.path ? kindProblem(change) : undefined) ?? pathProblem(end, about ? [] : protectedGlobs)
      if (!problem) continue
      violations.push(`${end} (${problem})`)
      for (const code of own) outOfScope.add(code)
    }
  }
  return { violations, outOfScope: [...outOfScope].sort() }
}

function pathProblem(path: string, protectedGlobs: readonly string[]): string | undefined {
  if (path.split('/').some((part) => part.toLowerCase() === '.git')) return "git's own"
  return protectedGlobs.some((glob) => matchesGlob(plain(path), plain(glob))) ? 'protected' : undefined
}

/** A dot means nothing special: to the matcher, a name that begins with one is hidden from `*` and `**`. No path holds a NUL. */
function plain(text: string): string {
  return text.toLowerCase().replaceAll('.', '\0')
}

function kindProblem({ path, symlink, submodule }: ScopedChange): string | undefined {
  if (submodule) return 'a submodule'
  return symlink === undefined || staysInside(path, symlink) ? undefined : `a link that leaves the tree: ${symlink}`
}

/**
 * A link may point to anywhere inside the tree but git's own folder, by a relative path that goes up first and then down:
 * below a name there may be another link, and what is above that is somewhere else.
 */
function staysInside(path: string, target: string): boolean {
  if (target.startsWith('/') || /^[A-Za-z]:|\\/.test(target)) return false
  const parts = target.split('/').filter((part) => part !== '.' && part !== '')
  const down = parts.findIndex((part) => part !== '..')
  const [up, names] = down < 0 ? [parts.length, []] : [down, parts.slice(down)]
  return up < path.split('/').length && !names.includes('..') && !names.some((name) => name.toLowerCase() === '.git')
}
