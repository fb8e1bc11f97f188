// Finds the protected files that a fixer may come across: in the folders of its issues' files and those above them.
import { isProtectedPath, type Scope } from './check-scope.ts'

/** The nearest first: those of the files' own folders before those further up. What the issues are about is not listed. */
export function listProtectedNear(
  paths: readonly string[],
  files: readonly string[],
  scope: Pick<Scope, 'protected' | 'protected_unless_about' | 'grants'>,
): string[] {
  const about = new Set(files)
  const folders = new Set(files.flatMap(listFoldersAbove))
  const near = paths.filter((path) => folders.has(dirname(path)) || folders.has(dirname(dropHiddenFolders(path))))
  const found = near.filter((path) => !about.has(path) && isProtectedPath(path, scope))
  const depth = (path: string) => dropHiddenFolders(path).split('/').length
  return found.sort((one, other) => depth(other) - depth(one) || (one < other ? -1 : 1))
}

/** `.` for what lies at the root. */
function dirname(path: string): string {
  const end = path.lastIndexOf('/')
  return end < 0 ? '.' : path.slice(0, end)
}

function listFoldersAbove(file: string): string[] {
  const folder = dirname(file)
  return folder === '.' ? ['.'] : [folder, ...listFoldersAbove(folder)]
}

/** `.github/workflows/ci.yml` lies beside what `.github` lies beside. */
function dropHiddenFolders(path: string): string {
  const names = path.split('/')
  const hidden = names.findIndex((name, index) => name.startsWith('.') && index < names.length - 1)
  return hidden < 0 ? path : names.slice(0, hidden + 1).join('/')
}
