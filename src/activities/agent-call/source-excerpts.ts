// What the files of issues hold, and what the change that was reviewed did to them, for those who can't or need not look themselves.
// What no prompt would show is not even read; secrets go before a piece is cut out, as half a key is not recognised any more.
import type { Source, Sources } from '../../agents/prompts/parts/code-excerpts.ts'
import type { Code } from '../../agents/prompts/render.ts'
import type { Issue } from '../../domain/issue/issue.ts'
import { originOf } from '../../domain/session/origin.ts'
import { filesAt, readBlobs, resolveCommit } from '../../platform/git/repository/inspect.ts'
import { diffText } from '../../platform/git/workspace/diff.ts'
import type { Workspace } from '../../platform/git/workspace/object-store.ts'
import type { Session, Workshop } from '../context.ts'

const MOST_BYTES = 1 << 19

type Place = Pick<Workspace, 'gitDir' | 'base'>

/** What an agent that has not seen it is shown of the code, as it is in a tree. */
export async function codeOf(
  shop: Pick<Workshop, 'masking'>,
  session: Session,
  workspace: Place,
  tree: string,
  issues: readonly Pick<Issue, 'file'>[],
): Promise<Code> {
  const [sources, reviewed] = await Promise.all([
    sourcesOf(shop, workspace, tree, issues),
    reviewedChange(shop, workspace, session, issues),
  ])
  return { sources, reviewed }
}

/** As they are in a tree. */
export async function sourcesOf(
  { masking }: Pick<Workshop, 'masking'>,
  { gitDir }: Place,
  tree: string,
  issues: readonly Pick<Issue, 'file'>[],
): Promise<Sources> {
  const paths = [...new Set(issues.map(({ file }) => file))]
  const files = await filesAt(gitDir, tree, paths)
  const short = files.filter(({ bytes }) => bytes <= MOST_BYTES)
  const texts = await readBlobs(
    gitDir,
    short.map(({ sha }) => sha),
  )
  const sources = new Map<string, Source>(paths.map((path) => [path, { kind: 'no_file' }]))
  for (const { path, bytes } of files) sources.set(path, { kind: 'too_long', bytes })
  for (const [index, { path }] of short.entries()) {
    sources.set(path, { kind: 'text', text: await masking.lines(texts[index] ?? '') })
  }
  return sources
}

/** The diff of their files between the branch that the base was reviewed against and the base; nothing where it is that branch. */
async function reviewedChange(
  { masking }: Pick<Workshop, 'masking'>,
  workspace: Place,
  { record }: Session,
  issues: readonly Pick<Issue, 'file'>[],
): Promise<string | undefined> {
  const { against } = originOf(record)
  const { gitDir, base } = workspace
  if (against === undefined || (await resolveCommit(gitDir, against.commit)) === undefined) return undefined
  const paths = [...new Set(issues.map(({ file }) => file))]
  const sides = await Promise.all([against.commit, base].map((commit) => filesAt(gitDir, commit, paths)))
  const long = new Set(sides.flat().flatMap(({ path, bytes }) => (bytes > MOST_BYTES ? [path] : [])))
  const diff = await diffText(
    workspace,
    against.commit,
    base,
    paths.filter((path) => !long.has(path)),
  )
  const masked = await masking.lines(diff)
  return masked === diff ? diff : withSigns(masked.split('\n'), diff.split('\n'))
}

/** A line of a secret is still one that was added, or taken away. */
function withSigns(masked: readonly string[], lines: readonly string[]): string {
  return masked
    .map((line, index) => (line === lines[index] ? line : `${lines[index]?.[0] ?? ''}${line.replace(/^[-+ ]/, '')}`))
    .join('\n')
}
