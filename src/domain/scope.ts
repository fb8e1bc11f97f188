// Gate 1: which of the changed paths may not change, and whose issue that was. What an issue is about may be changed by its
// fix even where the path is protected, but never what git itself or its hooks consist of.
import { matchesGlob } from 'node:path'
import type { Owners } from './ownership.ts'

export interface ScopedChange {
  readonly path: string
  readonly from?: string | undefined
  readonly symlink?: string | undefined
}

export interface ScopeVerdict {
  readonly violations: readonly string[]
  readonly outOfScope: readonly string[]
}

export function checkScope(
  changes: readonly ScopedChange[],
  owners: Owners,
  issues: readonly { readonly code: string; readonly file: string }[],
  protectedGlobs: readonly string[],
): ScopeVerdict {
  const violations: string[] = []
  const outOfScope = new Set<string>()
  for (const { path, from, symlink } of changes) {
    for (const end of from === undefined ? [path] : [path, from]) {
      const own = owners[end] ?? []
      const problem = pathProblem(end, own, issues, protectedGlobs) ?? (end === path ? linkProblem(path, symlink) : undefined)
      if (!problem) continue
      violations.push(problem)
      for (const code of own) outOfScope.add(code)
    }
  }
  return { violations, outOfScope: [...outOfScope].sort() }
}

function pathProblem(
  path: string,
  owners: readonly string[],
  issues: readonly { readonly code: string; readonly file: string }[],
  protectedGlobs: readonly string[],
): string | undefined {
  if (path.split('/').some((part) => part.toLowerCase() === '.git')) return `${path} (git's own)`
  if (issues.some(({ code, file }) => file === path && owners.includes(code))) return undefined
  return protectedGlobs.some((glob) => matchesGlob(path, glob)) ? `${path} (protected)` : undefined
}

/** A link may point to anywhere inside the tree, by a relative path. */
function linkProblem(path: string, target: string | undefined): string | undefined {
  if (target === undefined) return undefined
  if (target.startsWith('/') || /^[A-Za-z]:/.test(target)) return `${path} (a link that leaves the tree: ${target})`
  let depth = path.split('/').length - 1
  for (const part of target.split('/')) {
    if (part === '..') depth -= 1
    else if (part !== '.' && part !== '') depth += 1
    if (depth < 0) return `${path} (a link that leaves the tree: ${target})`
  }
  return undefined
}
