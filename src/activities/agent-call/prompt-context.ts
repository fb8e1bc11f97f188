// The project as a session's prompts show it besides the task: conventions, review, code around the issues, reviewed diff. Files are masked before excerpts are cut, because half of a key would not be recognised.
import { randomBytes } from 'node:crypto'
import type { SourceFile, SourceFiles } from '../../agents/prompts/parts/code-excerpts.ts'
import type { PromptCode, PromptFrame, PromptTexts } from '../../agents/prompts/prompt-frame.ts'
import { type Framework, namesFrameworks, readFrameworks } from '../../domain/issue/frameworks.ts'
import type { Issue } from '../../domain/issue/issue.ts'
import { parseOrigin } from '../../domain/session/origin.ts'
import { resolveCommit } from '../../platform/git/repository/inspect.ts'
import { listFilesAtCommit, listTree } from '../../platform/git/repository/list-tree.ts'
import { readBlobTexts } from '../../platform/git/repository/read-blobs.ts'
import { diffText } from '../../platform/git/workspace/diff.ts'
import type { Workspace } from '../../platform/git/workspace/object-store.ts'
import { hasPlaceholders } from '../../platform/masking/placeholder.ts'
import type { ActivityContext, Session } from '../context.ts'
import { loadConventions } from './load-conventions.ts'

const DEFAULT_CONVENTIONS = ['CLAUDE.md', 'AGENTS.md', 'GEMINI.md']
const MAX_SOURCE_BYTES = 1 << 19

type CommitSource = Pick<Workspace, 'gitDir' | 'base'>

export type PromptContext = Pick<PromptTexts, 'conventions' | 'review'> & PromptCode

/** The context that a conversation holds from its first prompt on. `code`: for an agent that has not seen the code of this tree. */
export async function loadPromptContext(
  context: Pick<ActivityContext, 'artifacts' | 'masking'>,
  session: Session,
  workspace: CommitSource,
  code?: { readonly tree: string; readonly issues: readonly Pick<Issue, 'file'>[] },
): Promise<PromptContext> {
  const { review } = parseOrigin(session.record)
  const [conventions, frameworks, reviewText, sources, reviewedDiff] = await Promise.all([
    loadConventions(workspace, {
      // A session of an older version has no such setting.
      names: session.settings.conventions ?? DEFAULT_CONVENTIONS,
      files: (code?.issues ?? session.issues).map(({ file }) => file),
    }),
    findFrameworks(workspace),
    review === undefined ? undefined : context.artifacts.getText(review),
    code && loadSources(context, workspace, code.tree, code.issues),
    code && loadReviewedDiff(context, workspace, session, code.issues),
  ])
  return { conventions, frameworks, review: reviewText, ...(code ? { sources, reviewedDiff } : {}) }
}

/** An id that fences the untrusted parts of one prompt: no author of those parts can have known it. */
export function createBlockId(): string {
  return randomBytes(8).toString('hex')
}

export function buildPromptFrame({ record, settings }: Session): Pick<PromptFrame, 'base' | 'against' | 'limits'> {
  const { base_name: base, against } = parseOrigin(record)
  return { base, against: against?.name, limits: { whole: settings.limits.max_prompt_characters } }
}

export async function loadSources(
  { masking }: Pick<ActivityContext, 'masking'>,
  { gitDir }: CommitSource,
  tree: string,
  issues: readonly Pick<Issue, 'file'>[],
): Promise<SourceFiles> {
  const paths = [...new Set(issues.map(({ file }) => file))]
  const files = await listFilesAtCommit(gitDir, tree, paths)
  const short = files.filter(({ bytes }) => bytes <= MAX_SOURCE_BYTES)
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
  const long = new Set(sides.flat().flatMap(({ path, bytes }) => (bytes > MAX_SOURCE_BYTES ? [path] : [])))
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

/** The manifests nearest to the root are read first. */
const MAX_MANIFESTS = 50
const MAX_MANIFEST_BYTES = 1 << 18

/** The frameworks that the repository uses, as of the session's base. */
export async function findFrameworks({ gitDir, base }: CommitSource): Promise<Framework[]> {
  const paths = (await listTree(gitDir, base)).all().flatMap(({ path }) => (namesFrameworks(path) ? [path] : []))
  const nearest = paths
    .toSorted((one, other) => one.split('/').length - other.split('/').length)
    .slice(0, MAX_MANIFESTS)
  if (nearest.length === 0) return []
  const files = (await listFilesAtCommit(gitDir, base, nearest)).filter(({ bytes }) => bytes <= MAX_MANIFEST_BYTES)
  const texts = await readBlobTexts(
    gitDir,
    files.map(({ sha }) => sha),
  )
  return readFrameworks(files.map(({ path }, index) => ({ path, text: texts[index] ?? '' })))
}

const MASK_EXPLANATION =
  '«secret:kind:hash» in this prompt stands for a secret that was masked. Where the files hold one, leave it or take it out as the issue asks; never write one down, and never write such a mark into a file.'

/** An agent that sees a placeholder has to know that the files don't hold it. */
export async function maskPrompt({ masking }: Pick<ActivityContext, 'masking'>, prompt: string): Promise<string> {
  const masked = await masking.maskText(prompt)
  return hasPlaceholders(masked) ? `${masked}\n${MASK_EXPLANATION}\n` : masked
}
