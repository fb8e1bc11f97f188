// The fixer's prompts. A resumed call adds only what its conversation lacks, and always describes the tree, because a
// conversation remembers trees that are gone.

import { renderFixerPrompt, renderReFixerPrompt, renderSubAgentPrompt } from '../../agents/prompts/fixer.ts'
import type { Bounds } from '../../agents/prompts/parts/bounds.ts'
import type { VerificationOutput } from '../../agents/prompts/parts/verification.ts'
import { type ChangelogHabit, isChangelog, readChangelogHabit } from '../../domain/commit/changelog-habit.ts'
import { Brief, filterBrief } from '../../domain/plan/brief.ts'
import { filterSteps } from '../../domain/plan/plan.ts'
import { getProfile } from '../../domain/settings/schema.ts'
import { joinList } from '../../domain/text/join-list.ts'
import type { Conversation, FixInput } from '../../domain/workflow-types/index.ts'
import { listLatestCommits } from '../../platform/git/repository/commit-log.ts'
import { listTree } from '../../platform/git/repository/list-tree.ts'
import { diffText } from '../../platform/git/workspace/diff.ts'
import type { Workspace } from '../../platform/git/workspace/object-store.ts'
import type { AgentRequest } from '../agent-call/call-agent.ts'
import { listCallKeys } from '../agent-call/call-with-repair.ts'
import { findLastConversation } from '../agent-call/conversation.ts'
import {
  buildPromptFrame,
  createBlockId,
  findFrameworks,
  loadPromptContext,
  maskPrompt,
} from '../agent-call/prompt-context.ts'
import { needsCompaction } from '../agent-call/run-with-cli.ts'
import { loadArtifact } from '../artifacts.ts'
import { type ActivityContext, getIssue, type Session } from '../context.ts'
import type { TodoPaths } from '../plan/store-plan.ts'
import { type ComposedTree, listChangedPaths } from './compose-tree.ts'
import { gatherFeedback } from './gather-feedback.ts'

export interface FixPromptInput {
  readonly input: FixInput
  readonly start: ComposedTree
  /** For a call that delegates its issues. */
  readonly todo?: TodoPaths | undefined
  readonly bounds: Bounds
}

/** The source of all that a prompt says of the tree. */
type CommitSource = Pick<Workspace, 'gitDir' | 'base'>

export async function buildFixPrompts(
  context: ActivityContext,
  session: Session,
  workspace: CommitSource,
  fixing: FixPromptInput,
): Promise<Pick<AgentRequest, 'prompt' | 'promptIssueCodes' | 'resume' | 'buildFullPrompt'>> {
  const { resume, codes: holds } = fixing.input
  const brief = await loadBriefForIssues(context, fixing.input)
  const buildFull = () => buildFixPrompt(context, session, workspace, { ...fixing, brief })
  // An issue that shares files with another call's issues may join that call's conversation, which does not know it.
  const isKnown = resume !== undefined && holds.every((code) => resume.codes?.includes(code) ?? true)
  if (!isKnown) return { prompt: await buildFull(), promptIssueCodes: holds }
  if (needsCompaction(resume, session.settings))
    return { prompt: await buildFull(), promptIssueCodes: holds, resume, buildFullPrompt: buildFull }
  return {
    prompt: await buildFixPrompt(context, session, workspace, { ...fixing, brief, resume }),
    promptIssueCodes: holds,
    resume,
    buildFullPrompt: buildFull,
  }
}

export function remainingSteps({ batch, codes }: Pick<FixInput, 'batch' | 'codes'>): string[][] {
  return filterSteps(batch, new Set(codes))
}

/** The brief's part about these issues; undefined if it says nothing about them. */
async function loadBriefForIssues(
  context: ActivityContext,
  { brief: ref, codes }: FixInput,
): Promise<Brief | undefined> {
  if (ref === undefined) return undefined
  const brief = filterBrief(await loadArtifact(context, ref, Brief), codes)
  const { clarifications, plans, notes } = brief
  return [clarifications, plans, notes].some((part) => Object.keys(part).length > 0) ? brief : undefined
}

interface FixPromptContext extends FixPromptInput {
  readonly brief?: Brief | undefined
  readonly resume?: Conversation | undefined
}

async function buildFixPrompt(
  context: ActivityContext,
  session: Session,
  workspace: CommitSource,
  prompt: FixPromptContext,
): Promise<string> {
  const { input, start, todo, bounds, brief, resume } = prompt
  const { iteration, codes, head } = input
  const own = resume && (await findOwnSnapshot(context, session, prompt))
  // The tree is byte for byte what this conversation left.
  const isOwn = own !== undefined && own.tree === start.tree
  // A sub-agent reads the code for itself.
  const code = todo ? undefined : { tree: start.tree, issues: codes.map((each) => getIssue(session, each)) }
  const base = {
    ...fixTaskInput(session, input),
    tree: await describeTree(workspace, prompt, isOwn),
    changelog: await findChangelogHabit(workspace, codes),
    bounds,
    mayDelegate: offersSubAgents(session) && !todo,
    ...(brief ? { brief } : {}),
    ...(todo ? { todo } : {}),
    ...(resume
      ? { isResuming: true, holdsGuidelines: own !== undefined, frameworks: await findFrameworks(workspace) }
      : await loadPromptContext(context, session, workspace, code)),
  }
  if (iteration === 1) return renderFixerPrompt(context.agents, base)
  const { verdicts, verification } = await gatherFeedback(context, session, input.feedbackStepIds, codes)
  const work = isOwn ? {} : { diff: await diffText(workspace, head, start.tree), claims: Object.values(start.claims) }
  const failed = await markOutputsAlreadySeen(context, session, own?.snapshot, verification)
  return renderReFixerPrompt(context.agents, { ...base, ...work, feedback: verdicts, verification: failed })
}

/** The failures, with those outputs marked that the conversation holds from its last prompt. */
async function markOutputsAlreadySeen(
  { store, artifacts }: ActivityContext,
  session: Session,
  before: string | undefined,
  verification: readonly VerificationOutput[] | undefined,
): Promise<readonly VerificationOutput[] | undefined> {
  if (before === undefined || !verification?.some(({ other_numbers }) => other_numbers)) return verification
  const [kept] = await store.artifacts.listForSession(session.id, { kind: 'prompt', name: before })
  const prompt = kept ? await artifacts.getText(kept.ref) : ''
  const isHeld = ({ output_id, other_numbers }: VerificationOutput) =>
    other_numbers && prompt.includes(`"output_id":"${output_id}"`)
  return verification.map((run) => (isHeld(run) ? { ...run, isHeld: true } : run))
}

export function fixTaskInput(session: Session, input: Pick<FixInput, 'stepId' | 'iteration' | 'batch' | 'codes'>) {
  const { stepId, iteration, batch, codes } = input
  return {
    kind: batch.kind,
    blockId: createBlockId(),
    stepId,
    iteration,
    ...buildPromptFrame(session),
    issues: codes.map((code) => getIssue(session, code)),
    steps: remainingSteps(input),
    notes: session.record.user_notes,
    checks: session.settings.verification.commands,
    requireTest: session.settings.verification.prove,
  }
}

/** Whether a fixer may hand issues on; a profile with plain calls wants everything done in the call itself. */
export function offersSubAgents({ settings }: Session): boolean {
  return getProfile(settings).calls !== 'one-plain'
}

/** Renders what the call's sub-agent is told, masked. The CLI gets it as a whole. */
export async function buildSubAgentPrompt(
  context: ActivityContext,
  session: Session,
  workspace: CommitSource,
  { input, bounds }: { readonly input: Pick<FixInput, 'batch' | 'codes'>; readonly bounds: Bounds },
): Promise<string> {
  const { batch, codes } = input
  const { conventions, frameworks } = await loadPromptContext(context, session, workspace)
  const prompt = renderSubAgentPrompt(context.agents, {
    kind: batch.kind,
    frameworks,
    blockId: createBlockId(),
    limits: buildPromptFrame(session).limits,
    bounds,
    checks: session.settings.verification.commands,
    requireTest: session.settings.verification.prove,
    changelog: await findChangelogHabit(workspace, codes),
    notes: session.record.user_notes,
    conventions,
  })
  return await maskPrompt(context, prompt)
}

/** The snapshot that this very conversation left, among those that the tree is composed from. */
async function findOwnSnapshot(
  context: ActivityContext,
  session: Session,
  { start, resume }: FixPromptContext,
): Promise<ComposedTree['fromSnapshots'][number] | undefined> {
  for (const taken of start.fromSnapshots) {
    const made = await findLastConversation(context, session.id, listCallKeys(taken.snapshot))
    if (made?.id === resume?.id) return taken
  }
  return undefined
}

async function describeTree(
  workspace: CommitSource,
  { input, start, resume }: FixPromptContext,
  isOwn: boolean,
): Promise<string | undefined> {
  const { iteration, head } = input
  const held = Object.keys(start.owners)
  const changes = `changes in ${joinList(held)}`
  if (isOwn)
    return held.length === 0
      ? 'The tree is as you left it: nothing is changed.'
      : `The tree is exactly as you left it: ${changes}.`
  const committed =
    resume && head !== workspace.base ? [...(await listChangedPaths(workspace, workspace.base, head))] : []
  const since =
    committed.length === 0 ? '' : `Fixes were committed since you looked, which changed ${joinList(committed)}. `
  if (iteration === 1) {
    if (held.length > 0) return `${since}The tree holds work already: ${changes}. Build on it.`
    return resume ? `${since}Nothing else is changed in the tree yet.` : undefined
  }
  if (held.length === 0) {
    return `${since}The tree is as it was before any fix: earlier attempts at these issues were taken back.`
  }
  const what = resume ? 'The tree is not as you left it: it holds' : 'The tree holds'
  return `${since}${what} the work so far, shown in the block diff: ${changes}.`
}

/** The changelog in which the fixer is told that an entry is welcome. One file for all entries ties its issues together: one that fails would take the others with it. */
export async function findChangelogHabit(
  { gitDir, base }: CommitSource,
  codes: readonly string[],
): Promise<ChangelogHabit | undefined> {
  const paths = (await listTree(gitDir, base)).all().map(({ path }) => path)
  if (!paths.some(isChangelog)) return undefined
  const habit = readChangelogHabit(await listLatestCommits(gitDir, base))
  if (habit?.kind === 'fragments') return habit
  return habit && codes.length === 1 && paths.includes(habit.path) ? habit : undefined
}
