// Splits the approved tree into the commits of its stage, and writes them. The same input gives the same commits, and each is saved under
// a name of its step: a retry goes on where a kill ended it.

import { joinEmptyCommits, listCommitSteps, type TreeOfIssues } from '../../domain/commit/split-into-commits.ts'
import type { CommitTrain } from '../../domain/session/session.ts'
import { formatStepPart } from '../../domain/session/step-id.ts'
import { listBindingSets } from '../../domain/stage/file-parts.ts'
import type { CommitInput } from '../../domain/workflow-types/index.ts'
import { resolveTree } from '../../platform/git/compare-trees.ts'
import { FIXWRIGHT_IDENTITY } from '../../platform/git/git.ts'
import { type Identity, readIdentity } from '../../platform/git/repository/inspect.ts'
import type { Workspace } from '../../platform/git/workspace/object-store.ts'
import { readSnapshot, saveCommit } from '../../platform/git/workspace/snapshot-and-reset.ts'
import type { ActivityContext, Heartbeat, Session } from '../context.ts'
import { composeTree } from '../fix/compose-tree.ts'
import { composeMessages, type ProvenTree } from './compose-messages.ts'

export interface WrittenCommit {
  readonly sha: string
  readonly parent: string
  readonly tree: string
  readonly message: string
  readonly codes: readonly string[]
  /** Absent if it is the only commit of its stage. */
  readonly train?: CommitTrain | undefined
}

export async function writeCommits(
  context: ActivityContext,
  session: Session,
  workspace: Workspace,
  approved: ProvenTree,
  heartbeat: Heartbeat,
): Promise<WrittenCommit[]> {
  const { head, at } = approved.input
  const planned = await planCommits(session, workspace, approved)
  const trees = planned.map(({ codes, tree }, index) => ({
    codes,
    tree,
    parent: planned[index - 1]?.tree ?? head,
    ...(planned.length > 1 ? { train: { place: index + 1, of: planned.length, tree: approved.input.tree } } : {}),
  }))
  const saved = await Promise.all(planned.map(({ name }) => readSnapshot(workspace, name)))
  const author = await resolveAuthor(session)
  const messages = saved.every(Boolean)
    ? []
    : await composeMessages(context, session, workspace, { approved, commits: trees, author }, heartbeat)
  const written: WrittenCommit[] = []
  for (const [index, { name }] of planned.entries()) {
    const { codes, tree, train } = trees[index]!
    const request = {
      tree,
      parent: written.at(-1)?.sha ?? head,
      message: messages[index] ?? '',
      author,
      at: new Date(at),
    }
    const { commit: sha, message, parent } = saved[index] ?? (await saveCommit(workspace, name, request))
    written.push({ sha, parent, tree, message, codes, train })
  }
  return written
}

async function resolveAuthor({ settings, record }: Session): Promise<Identity> {
  const { author_name, author_email } = settings.git
  const own = author_name && author_email ? undefined : await readIdentity(record.repository)
  return {
    name: author_name ?? own?.name ?? FIXWRIGHT_IDENTITY.name,
    email: author_email ?? own?.email ?? FIXWRIGHT_IDENTITY.email,
  }
}

interface PlannedCommit extends TreeOfIssues {
  /** The name of its snapshot: the step's own for the last one. */
  readonly name: string
}

/** Sessions that began before `git.commits` existed make one commit. */
async function planCommits(
  { settings }: Session,
  workspace: Workspace,
  approved: ProvenTree,
): Promise<PlannedCommit[]> {
  const { input, codes, composed } = approved
  const { stepId, head, tree } = input
  const whole = { codes, tree }
  const batches = input.cars ? listCumulativeCodes(input.cars, codes) : [codes]
  const steps = settings.git.commits === 'issue' ? listCommitSteps(codes, listBindingSets(composed)) : batches
  if (steps.length < 2) return [{ ...whole, name: stepId }]
  const parts: TreeOfIssues[] = []
  for (const [index, step] of steps.entries()) {
    const own = step.slice(steps[index - 1]?.length ?? 0)
    parts.push({ codes: own, tree: index + 1 === steps.length ? tree : await composePart(workspace, input, step) })
  }
  const joined = joinEmptyCommits(await resolveTree(workspace, head), parts)
  const commits = joined.length > 0 ? joined : [whole]
  return commits.map((commit, index) => {
    const isLast = index + 1 === commits.length
    return { ...commit, name: isLast ? stepId : formatStepPart(stepId, { kind: 'commit_part', n: index + 1 }) }
  })
}

/** For each stage of a train that has changes, the issues whose changes are on the branch after its commit: its own and all before. */
function listCumulativeCodes(stages: readonly (readonly string[])[], changed: readonly string[]): string[][] {
  const steps: string[][] = []
  for (const stage of stages) {
    const own = changed.filter((code) => stage.includes(code))
    if (own.length > 0) steps.push([...(steps.at(-1) ?? []), ...own])
  }
  return steps
}

async function composePart(workspace: Workspace, { head, selections }: CommitInput, codes: readonly string[]) {
  const own = selections.map((selection) => ({
    ...selection,
    codes: selection.codes.filter((code) => codes.includes(code)),
  }))
  const { tree } = await composeTree(
    workspace,
    head,
    own.filter((selection) => selection.codes.length > 0),
  )
  return tree
}
