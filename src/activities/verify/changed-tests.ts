// Finds the changed files that test, or run tests: among them are those that can make a check milder.
import {
  type ChangedTests,
  isManifest,
  listChangedTests,
  listCommandWords,
  runsTestsAsBefore,
} from '../../domain/verification/old-tests.ts'
import { createTestFileMatcher } from '../../domain/verification/test-files.ts'
import { listFilesAtCommit } from '../../platform/git/repository/list-tree.ts'
import { readSmallBlobs } from '../../platform/git/repository/read-blobs.ts'
import { listChanges } from '../../platform/git/workspace/diff.ts'
import type { Workspace } from '../../platform/git/workspace/object-store.ts'
import type { VerifyContext } from './run-command.ts'

/** Its scripts name the files that run the tests. */
const ROOT_MANIFEST = 'package.json'
/** A longer one is no manifest that anybody wrote. */
const MAX_MANIFEST_BYTES = 2_000_000

export async function findChangedTests(
  { session: { settings, issues }, workspace }: Pick<VerifyContext, 'session' | 'workspace'>,
  { head, tree }: { readonly head: string; readonly tree: string },
): Promise<ChangedTests> {
  const { commands, tests } = settings.verification
  const changes = await listChanges(workspace, head, tree)
  const manifests = changes.filter(({ kind, path }) => kind === 'modified' && isManifest(path)).map(({ path }) => path)
  const [before, now] = await Promise.all([
    readManifests(workspace, head, [...manifests, ROOT_MANIFEST]),
    readManifests(workspace, tree, manifests),
  ])
  const harmless = manifests.filter((path) => runsTestsAsBefore(path, before.get(path) ?? '', now.get(path) ?? ''))
  const words = listCommandWords([...commands, before.get(ROOT_MANIFEST) ?? ''])
  const isTest = createTestFileMatcher(tests)
  // A finding about a file that a command runs is about that file, not about what it demands.
  const about = new Set(issues.map(({ file }) => file))
  const isRun = (path: string): boolean => words.has(path) && !about.has(path)
  return listChangedTests(changes, { isTest, isRun, harmless: new Set(harmless) })
}

async function readManifests(
  workspace: Workspace,
  tree: string,
  paths: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const files = await listFilesAtCommit(workspace.gitDir, tree, paths)
  const texts = await readSmallBlobs(
    workspace.gitDir,
    files.map(({ sha }) => sha),
    MAX_MANIFEST_BYTES,
  )
  return new Map(files.map(({ path }, index) => [path, String(texts[index] ?? '')]))
}
