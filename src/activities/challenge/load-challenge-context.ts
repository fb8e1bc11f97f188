// Loads what a challenger sees beside the diff: the changed places in the judged tree, who uses them, and what the checks said.
// Gap: uses are found by name alone, in any language.
import { join } from 'node:path'
import type { ChallengeContext } from '../../agents/prompts/challenger.ts'
import {
  type CodeUse,
  listChangedNames,
  renderChangedPlaces,
  renderCodeUses,
} from '../../agents/prompts/parts/changed-places.ts'
import type { SourceFiles } from '../../agents/prompts/parts/code-excerpts.ts'
import { parseDiff } from '../../domain/text/unified-diff.ts'
import { compareRuns } from '../../domain/verification/compare-runs.ts'
import { createTestFileMatcher } from '../../domain/verification/test-files.ts'
import { findNamesInTree } from '../../platform/git/workspace/changed-contents.ts'
import type { Workspace } from '../../platform/git/workspace/object-store.ts'
import { loadSources } from '../agent-call/prompt-context.ts'
import { type ActivityContext, type Session, sessionFolder } from '../context.ts'
import { listRunsOnTree } from '../gate-records.ts'
import { baselineStepId, loadBaseline } from '../verify/baseline.ts'
import { writeReadableTree } from './write-readable-tree.ts'

const MAX_NAMES = 12
/** A shorter name stands everywhere. */
const MIN_NAME_LENGTH = 3
const MAX_FILES_PER_NAME = 6
const MAX_USES_PER_NAME = 8
const MAX_TESTS = 20

interface ChallengedTree {
  readonly stepId: string
  readonly head: string
  readonly tree: string
  readonly diff: string
}

export async function loadChallengeContext(
  context: ActivityContext,
  session: Session,
  workspace: Workspace,
  at: ChallengedTree,
): Promise<ChallengeContext> {
  const changed = parseDiff(at.diff).flatMap(({ path, kind }) => (kind === 'deleted' ? [] : [path]))
  const files = changed.map((file) => ({ file }))
  const [judged, checkResults] = await Promise.all([
    loadSources(context, workspace, at.tree, files),
    loadCheckResults(context, session, at),
  ])
  const uses = await findUses(context, session, workspace, at, judged)
  const renderPlaces = (limit: number) => renderChangedPlaces(at.diff, judged, limit)
  const folder = join(sessionFolder(context, session.id), 'judged')
  const readable =
    session.settings.fix_challenger.sees === 'tree'
      ? await writeReadableTree(context, workspace, { tree: at.tree, changed, folder })
      : undefined
  return { renderPlaces, uses: renderCodeUses(uses), checkResults, tree: readable }
}

async function findUses(
  context: ActivityContext,
  session: Session,
  workspace: Workspace,
  { tree, diff }: ChallengedTree,
  judged: SourceFiles,
): Promise<CodeUse[]> {
  const names = listChangedNames(diff, judged).filter(({ length }) => length >= MIN_NAME_LENGTH)
  const wanted = names.slice(0, MAX_NAMES)
  const isTest = createTestFileMatcher(session.settings.verification.tests)
  const found = await findNamesInTree(workspace, tree, wanted)
  const paths = (name: string) =>
    [...(found.get(name) ?? [])]
      .sort((one, other) => Number(isTest(other)) - Number(isTest(one)) || (one < other ? -1 : 1))
      .slice(0, MAX_FILES_PER_NAME)
  const all = [...new Set(wanted.flatMap(paths))].map((file) => ({ file }))
  const sources = await loadSources(context, workspace, tree, all)
  return wanted.flatMap((name) => {
    const word = new RegExp(`(?<![\\w$])${name.replaceAll(/[^\w]/g, String.raw`\$&`)}(?![\\w$])`)
    return paths(name)
      .flatMap((path) => findLines(sources, path, word).map((use) => ({ name, path, ...use })))
      .slice(0, MAX_USES_PER_NAME)
  })
}

function findLines(sources: SourceFiles, path: string, word: RegExp): { line: number; text: string }[] {
  const source = sources.get(path)
  if (source?.kind !== 'text') return []
  return source.text.split('\n').flatMap((text, index) => (word.test(text) ? [{ line: index + 1, text }] : []))
}

/** Each check on the tree, beside the same check without the fixes. */
async function loadCheckResults(
  context: ActivityContext,
  session: Session,
  { stepId, head, tree }: ChallengedTree,
): Promise<object[]> {
  const after = [...(await listRunsOnTree(context, session, stepId, tree)).values()]
  if (after.length === 0) return []
  const { runs: before } = await loadBaseline(context, session, baselineStepId(session, head))
  return compareRuns(before, after).map(({ command, before: was, after: is, tests }) => ({
    command,
    before: was ?? 'not run',
    after: is ?? 'not run',
    ...(tests?.fixed.length ? { now_passing: limitNames(tests.fixed) } : {}),
    ...(tests?.broken.length ? { now_failing: limitNames(tests.broken) } : {}),
    ...(tests?.gone.length ? { not_run_any_more: limitNames(tests.gone) } : {}),
  }))
}

function limitNames(names: readonly string[]): string[] {
  const more = names.length > MAX_TESTS ? [`and ${names.length - MAX_TESTS} more`] : []
  return [...names.slice(0, MAX_TESTS), ...more]
}
