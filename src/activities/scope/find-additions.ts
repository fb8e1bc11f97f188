// Reads from git what the tree of a call brings besides its change: the facts for domain/scope/additions.ts.

import {
  type AdditionFinding,
  type AdditionRules,
  type BroughtFile,
  findAdditions,
} from '../../domain/scope/additions.ts'
import { findNameClashes } from '../../domain/scope/name-clashes.ts'
import { listNamesOfUse } from '../../domain/scope/unused-files.ts'
import { createTestFileMatcher } from '../../domain/verification/test-files.ts'
import { listTreeEntries, SYMLINK_MODE } from '../../platform/git/repository/list-tree.ts'
import {
  type ChangedContent,
  findNamesInTree,
  readChangedContents,
} from '../../platform/git/workspace/changed-contents.ts'
import type { Workspace } from '../../platform/git/workspace/object-store.ts'
import { parsePlaceholderKind } from '../../platform/masking/placeholder.ts'
import type { ActivityContext, Session } from '../context.ts'

/** git takes a larger file for a binary, too. */
const MAX_TEXT_BYTES = 16 * 2 ** 20
/** A longer text is not searched for secrets. Its size alone brings it before a person. */
const MAX_SEARCHED_LENGTH = 1_000_000

/** Path → what about it has to be decided. */
export async function findTreeAdditions(
  context: ActivityContext,
  session: Session,
  workspace: Workspace,
  { head, tree }: { readonly head: string; readonly tree: string },
): Promise<ReadonlyMap<string, readonly AdditionFinding[]>> {
  // A session that began before there were such rules keeps its settings.
  const { additions: rules }: { readonly additions?: AdditionRules } = session.settings.scope
  if (rules === undefined) return new Map()
  const changed = await readChangedContents(workspace, { from: head, to: tree }, MAX_TEXT_BYTES)
  const kept = changed.filter(({ now }) => now !== undefined)
  const added = kept.filter(({ before }) => before === undefined)
  const secrets = await findNewSecrets(context, changed)
  const clashes = await findClashes(workspace, tree, changed)
  const unused = await findUnusedFiles(
    session,
    workspace,
    tree,
    added.map(({ path, now }) => ({ path, mode: now?.mode })),
  )
  const gone = changed.filter(({ now }) => now === undefined).map(({ path }) => path)
  const files = kept.map(({ path, before, now }): BroughtFile => {
    const isLink = now?.mode === SYMLINK_MODE
    return {
      path,
      isNew: before === undefined,
      addedBytes: Math.max((now?.bytes ?? 0) - (before?.bytes ?? 0), 0),
      isBinary: isBinary(now) && !isBinary(before),
      secrets: secrets.get(path) ?? [],
      isNewLink: isLink && before?.mode !== SYMLINK_MODE,
      replacesFolder: gone.some((other) => other.startsWith(`${path}/`)),
      clashesWith: clashes.get(path),
      isUnused: unused.has(path),
    }
  })
  return findAdditions(files, rules)
}

/** As git does: a large file, and one with a NUL near its beginning. */
function isBinary(blob: ChangedContent['now']): boolean {
  return blob !== undefined && (blob.content?.subarray(0, 8000).includes(0) ?? true)
}

function readText(blob: ChangedContent['now']): string {
  return isBinary(blob) ? '' : String(blob?.content ?? '').slice(0, MAX_SEARCHED_LENGTH)
}

/** Path → the kinds of secrets on its added lines that no changed file held before. */
async function findNewSecrets(
  { masking }: ActivityContext,
  changed: readonly ChangedContent[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>()
  const known = new Set<string>()
  for (const { before } of changed) {
    for (const secret of await masking.listSecrets(readText(before))) known.add(secret)
  }
  for (const { path, before, now } of changed) {
    const lines = new Set(readText(before).split('\n'))
    const text = readText(now)
    const addedText = before ? text.split('\n').filter((line) => !lines.has(line)) : [text]
    const secrets = (await masking.listSecrets(addedText.join('\n'))).filter((secret) => !known.has(secret))
    if (secrets.length > 0) found.set(path, [...new Set(secrets.map(parsePlaceholderKind))].sort())
  }
  return found
}

async function findClashes(
  workspace: Workspace,
  tree: string,
  changed: readonly ChangedContent[],
): Promise<ReadonlyMap<string, string>> {
  const names = new Set(changed.flatMap(({ path, isNewName }) => (isNewName ? [path] : [])))
  if (names.size === 0) return new Map()
  const treePaths = (await listTreeEntries(workspace.gitDir, tree)).map(({ path }) => path)
  return findNameClashes(treePaths, names)
}

interface AddedFile {
  readonly path: string
  readonly mode?: string | undefined
}

/** New files that nothing else in the tree names: a person is asked about them, and the challenger is told. */
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
