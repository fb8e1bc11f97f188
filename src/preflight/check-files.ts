// Checks that the files of findings are files of the commit that the fixes start from: an agent can't fix what is not there.
import { basename } from 'node:path/posix'
import type { Finding } from '../domain/issue/parse-findings.ts'
import { listTree, SUBMODULE_MODE } from '../platform/git/repository/list-tree.ts'
import type { LocatedRepository } from './read-repository.ts'
import type { StartInput } from './start/start-input.ts'

/** A branch that exists may have files that its base has not. */
export async function listMissingFiles(
  { useExistingBranch, findings }: Pick<StartInput, 'useExistingBranch' | 'findings'>,
  named: readonly Finding[],
  { repository, commit, base }: LocatedRepository,
): Promise<string[]> {
  if (useExistingBranch || named.length === 0) return []
  const entries = (await listTree(repository.root, commit)).all()
  const files = entries.map(({ path }) => path)
  const known = new Set(files)
  // A finding in a submodule has a refusal of its own.
  const submodules = entries.filter(({ mode }) => mode === SUBMODULE_MODE).map(({ path }) => `${path}/`)
  const source = typeof findings === 'string' && !/^\s*[[{]/.test(findings) ? `${findings}: ` : ''
  const where = `${base ?? repository.branch ?? 'the base'} (${commit.slice(0, 10)})`
  return named
    .filter(({ file }) => !known.has(file) && !submodules.some((folder) => file.startsWith(folder)))
    .map(({ issue_code, file }) => `${source}${issue_code}: ${file} ${explainMissing(file, files)}, at ${where}`)
}

function explainMissing(file: string, files: readonly string[]): string {
  if (files.some((path) => path.startsWith(`${file}/`))) return 'is a folder: name a file in it'
  const [alike, ...more] = files.filter((path) => basename(path) === basename(file))
  const meant = alike !== undefined && more.length === 0 ? ` (did you mean ${alike}?)` : ''
  return `is no file of the repository${meant}`
}
