// Looks for new files that nothing else in the tree names: a person is asked about them, and the challenger is told.

import { listNamesOfUse } from '../../domain/scope/unused-files.ts'
import { createTestFileMatcher } from '../../domain/verification/test-files.ts'
import { SYMLINK_MODE } from '../../platform/git/repository/list-tree.ts'
import { findNamesInTree } from '../../platform/git/workspace/changed-contents.ts'
import type { Workspace } from '../../platform/git/workspace/object-store.ts'
import type { Session } from '../context.ts'

interface AddedFile {
  readonly path: string
  readonly mode?: string | undefined
}

export async function findUnusedFiles(
  session: Session,
  workspace: Pick<Workspace, 'gitDir'>,
  tree: string,
  added: readonly AddedFile[],
): Promise<ReadonlySet<string>> {
  const isTest = createTestFileMatcher(session.settings.verification.tests)
  const findings = session.issues.map(({ title, description, suggested_fix = '', file }) =>
    [title, description, suggested_fix, file].join('\n'),
  )
  const asked = added.flatMap(({ path, mode }) => {
    const names = mode === SYMLINK_MODE ? undefined : listNamesOfUse({ path, isTest: isTest(path) }, findings)
    return names ? [{ path, names }] : []
  })
  const uses = await findNamesInTree(workspace, tree, [...new Set(asked.flatMap(({ names }) => names))])
  const isUsed = (path: string, name: string) => [...(uses.get(name) ?? [])].some((user) => user !== path)
  return new Set(asked.filter(({ path, names }) => !names.some((name) => isUsed(path, name))).map(({ path }) => path))
}
