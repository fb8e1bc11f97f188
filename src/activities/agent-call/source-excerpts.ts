// The files of issues and their reviewed diff, for agents that can't or need not read the tree. Files are masked before
// excerpts are cut, because half of a key would not be recognised.
import type { SourceFile, SourceFiles } from '../../agents/prompts/parts/code-excerpts.ts'
import type { PromptCode } from '../../agents/prompts/render.ts'
import type { Issue } from '../../domain/issue/issue.ts'
import { parseOrigin } from '../../domain/session/origin.ts'
import { listFilesAtCommit, readBlobTexts, resolveCommit } from '../../platform/git/repository/inspect.ts'
import { diffText } from '../../platform/git/workspace/diff.ts'
import type { Workspace } from '../../platform/git/workspace/object-store.ts'
import type { ActivityContext, Session } from '../context.ts'

const MAX_BYTES = 1 << 19

type CommitSource = Pick<Workspace, 'gitDir' | 'base'>

/** The code as of a tree, for an agent that has not seen it. */
export async function loadCode(
  context: Pick<ActivityContext, 'masking'>,
  session: Session,
  workspace: CommitSource,
  tree: string,
  issues: readonly Pick<Issue, 'file'>[],
): Promise<PromptCode> {
  const [sources, reviewed] = await Promise.all([
    loadSources(context, workspace, tree, issues),
    loadReviewedDiff(context, workspace, session, issues),
  ])
  return { sources, reviewedDiff: reviewed }
}

export async function loadSources(
  { masking }: Pick<ActivityContext, 'masking'>,
  { gitDir }: CommitSource,
  tree: string,
  issues: readonly Pick<Issue, 'file'>[],
): Promise<SourceFiles> {
  const paths = [...new Set(issues.map(({ file }) => file))]
  const files = await listFilesAtCommit(gitDir, tree, paths)
  const short = files.filter(({ bytes }) => bytes <= MAX_BYTES)
  const texts = await readBlobTexts(
    gitDir,
    short.map(({ sha }) => sha),
  )
  const sources = new Map<string, SourceFile>(paths.map((path) => [path, { kind: 'no_file' }]))
  for (const { path, bytes } of files) sources.set(path, { kind: 'too_long', bytes })
  for (const [index, { path }] of short.entries()) {
    sources.set(path, { kind: 'text', text: await masking.maskKeepingLines(texts[index] ?? '') })
  }
  return sources
}

/** The diff of the issues' files since the base left its review's target; undefined if that commit is unknown. */
async function loadReviewedDiff(
  { masking }: Pick<ActivityContext, 'masking'>,
  workspace: CommitSource,
  { record }: Session,
  issues: readonly Pick<Issue, 'file'>[],
): Promise<string | undefined> {
  const { against } = parseOrigin(record)
  const { gitDir, base } = workspace
  if (against === undefined || (await resolveCommit(gitDir, against.commit)) === undefined) return undefined
  const paths = [...new Set(issues.map(({ file }) => file))]
  const sides = await Promise.all([against.commit, base].map((commit) => listFilesAtCommit(gitDir, commit, paths)))
  const long = new Set(sides.flat().flatMap(({ path, bytes }) => (bytes > MAX_BYTES ? [path] : [])))
  const diff = await diffText(
    workspace,
    against.commit,
    base,
    paths.filter((path) => !long.has(path)),
  )
  const masked = await masking.maskKeepingLines(diff)
  return masked === diff ? diff : restoreDiffSigns(masked.split('\n'), diff.split('\n'))
}

/** A masked line keeps its sign: it is still an added or a removed one. */
function restoreDiffSigns(masked: readonly string[], lines: readonly string[]): string {
  return masked
    .map((line, index) => (line === lines[index] ? line : `${lines[index]?.[0] ?? ''}${line.replace(/^[-+ ]/, '')}`))
    .join('\n')
}
