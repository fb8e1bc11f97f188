// The prompts of a session, built by the real functions before it exists; nothing is asked, run or written.
// Gap: a prompt counts as known even if an earlier stage may change the files that it shows.

import {
  renderChallengerPrompt,
  renderFixerPrompt,
  renderReFixerPrompt,
} from '../../agents/prompts/fixer-and-challenger.ts'
import type { Brief } from '../../domain/plan/brief.ts'
import { type Batch, listBatchCodes, listStageCodes, type Stage } from '../../domain/plan/plan.ts'
import type { PlanningRules } from '../../domain/protocol/index.ts'
import type { DryPrompt } from '../../domain/session/dry-run.ts'
import { formatStepId, toRoundName } from '../../domain/session/step-id.ts'
import { effectiveIterations, getProfile, isChallenged } from '../../domain/settings/schema.ts'
import type { Workspace } from '../../platform/git/workspace/object-store.ts'
import { maskPrompt } from '../agent-call/agent-call.ts'
import { buildPromptFrame, loadPromptBackground, type PromptBackground } from '../agent-call/prompt-background.ts'
import { type ActivityContext, claimedIssues, getIssue, type Session } from '../context.ts'
import { buildFixPrompts, fixTaskInput } from '../fix/fixer-prompt-input.ts'
import { buildBranchRequest, buildCommitMessageRequest, type NamingRequest } from '../open/name-branch.ts'
import {
  buildClarifierPrompt,
  buildPlannerPrompt,
  loadPromptContext,
  type PromptContext,
} from '../plan/clarify-and-plan-prompts.ts'
import { findEarlierAnswers } from '../plan/remembered-answers.ts'
import { todoPaths } from '../plan/todo-files.ts'

type CommitSource = Pick<Workspace, 'gitDir' | 'base'>

export interface PreviewInput {
  readonly context: ActivityContext
  readonly session: Session
  /** The person's own repository, which is only read. */
  readonly repository: CommitSource
  readonly stages: readonly Stage[]
  readonly dialogue: PlanningRules | undefined
  readonly namesBranch: boolean
}

/** Replaces the block id that each call draws. */
export const PREVIEW_BLOCK_ID = '0'.repeat(24)

type PromptDraft = Omit<DryPrompt, 'gaps'>

export async function previewPrompts(preview: PreviewInput): Promise<DryPrompt[]> {
  const drafts = [...previewBranchName(preview), ...(await previewDialogue(preview)), ...(await previewStages(preview))]
  return await Promise.all(
    drafts.map(async ({ prompt: draft, ...about }) => {
      const id = /<data name="call" id="([0-9a-f]+)">/.exec(draft)?.[1] ?? PREVIEW_BLOCK_ID
      const prompt = (await maskPrompt(preview.context, draft)).replaceAll(id, PREVIEW_BLOCK_ID)
      return { ...about, gaps: listGaps(prompt), prompt }
    }),
  )
}

function formatGap(what: string): string {
  return `«gap: ${what}»`
}

const DIFF_GAP = formatGap('the diff of the fixes')

function listGaps(prompt: string): string[] {
  return [...new Set(prompt.match(/«gap: [^»\n]{1,200}»/g) ?? [])]
}

function previewBranchName({ context, session, namesBranch }: PreviewInput): PromptDraft[] {
  return namesBranch ? [toNamingDraft(buildBranchRequest(context, session, claimedIssues(session)))] : []
}

function previewCommitMessage({ context, session }: PreviewInput, stage: Stage, stepId: string): PromptDraft[] {
  if (session.settings.git.naming === 'rules') return []
  const committing = { stepId, codes: listStageCodes(stage), diff: DIFF_GAP }
  return [toNamingDraft(buildCommitMessageRequest(context, session, committing))]
}

function toNamingDraft({ key, ...about }: NamingRequest): PromptDraft {
  return { call: key, iteration: 1, ...about }
}

async function previewDialogue({
  context: activity,
  session,
  repository,
  dialogue,
}: PreviewInput): Promise<PromptDraft[]> {
  if (dialogue === undefined) return []
  const issues = claimedIssues(session)
  const codes = issues.map(({ issue_code }) => issue_code)
  const context = await loadPromptContext(activity, session, repository)
  const drafts: PromptDraft[] = []
  const add = (role: string, stepId: string, render: (context: PromptContext | undefined) => string): void => {
    // The first prompt begins the conversation.
    const prompt = render(drafts.length === 0 ? context : undefined)
    drafts.push({ call: stepId, role, iteration: 1, codes, prompt })
  }
  if (dialogue.clarify) {
    const known = await findEarlierAnswers(activity, session, issues, [])
    const call = formatStepId({ kind: 'clarify', round: 1 })
    add('clarifier', call, (begins) =>
      buildClarifierPrompt(activity, session, { stepId: call, iteration: 1, known, context: begins }),
    )
  }
  if (dialogue.planner === 'agent') {
    const call = formatStepId({ kind: 'plan', attempt: 1 })
    const { clarifications } = placeholderBrief(dialogue, [])
    add('planner', call, (begins) =>
      buildPlannerPrompt(activity, session, { stepId: call, iteration: 1, clarifications, context: begins }),
    )
  }
  return drafts
}

async function previewStages(preview: PreviewInput): Promise<PromptDraft[]> {
  const drafts: PromptDraft[] = []
  const background = await loadPromptBackground(preview.context, preview.session, preview.repository)
  for (const [index, stage] of preview.stages.entries()) {
    const number = index + 1
    const batches = stage.batches.map((batch, nth) => ({
      batch,
      nth,
      call: (round: number) =>
        formatStepId({ kind: 'fix', stage: number, round_name: toRoundName(round), batch: nth + 1 }),
    }))
    for (const { batch, nth, call } of batches) {
      drafts.push(await previewFix(preview, { batch, call: call(1), stage: number, isFirst: nth === 0 }))
    }
    if (isChallenged(preview.session.settings)) {
      const challengeId = formatStepId({ kind: 'challenge', stage: number, tree: toRoundName(1) })
      drafts.push(previewChallenge(preview, stage, challengeId, background))
    }
    const isRepeated = effectiveIterations(preview.session.settings) > 1
    if (isRepeated) drafts.push(...batches.map(({ batch, call }) => previewReFix(preview, batch, call(2))))
    drafts.push(...previewCommitMessage(preview, stage, formatStepId({ kind: 'commit', stage: number, turn: 1 })))
  }
  return drafts
}

interface FirstFixCall {
  readonly batch: Batch
  readonly call: string
  readonly stage: number
  readonly isFirst: boolean
}

async function previewFix(
  preview: PreviewInput,
  { batch, call: stepId, stage, isFirst }: FirstFixCall,
): Promise<PromptDraft> {
  const { context, session, repository, dialogue } = preview
  const codes = listBatchCodes(batch)
  const about = { call: stepId, role: 'fixer', iteration: 1, codes }
  const owners = isFirst ? {} : { [formatGap('files that the calls before it changed')]: codes }
  const todo = batch.delegates ? todoPaths(context, session) : undefined
  if (hasEarlierConversation(dialogue)) {
    const tree = isFirst
      ? 'Nothing else is changed in the tree yet.'
      : formatGap('what the calls before it changed in the tree')
    const brief = placeholderBrief(dialogue, codes)
    const input = {
      ...fixTaskInput(session, { stepId, iteration: 1, batch, codes }),
      brief,
      todo,
      tree,
      isResuming: true,
    }
    return { ...about, prompt: renderFixerPrompt(context.agents, input) }
  }
  const head = repository.base
  const input = {
    sessionId: session.id,
    stepId,
    stage,
    batch,
    iteration: 1,
    codes,
    head,
    start: [],
    feedbackStepIds: [],
  }
  const start = { tree: head, owners, claims: {}, fromSnapshots: [] }
  const { prompt } = await buildFixPrompts(context, session, repository, { input, start, todo })
  return { ...about, prompt }
}

/** Whether the fixer resumes the conversation of the clarifier or the planner. */
function hasEarlierConversation(talk: PlanningRules | undefined): talk is PlanningRules {
  return talk !== undefined && (talk.clarify || talk.planner === 'agent')
}

function previewReFix({ context, session, dialogue }: PreviewInput, batch: Batch, stepId: string): PromptDraft {
  const { settings } = session
  const codes = listBatchCodes(batch)
  const verdicts = codes.map(
    (code) => [code, { feedback: formatGap(`what the challenger says about ${code}`) }] as const,
  )
  const verification = settings.verification.commands.map((command) => ({
    command,
    outcome: formatGap('how it failed, if it did'),
    output: formatGap('the end of what it printed'),
    errors: formatGap('the end of what it printed to standard error'),
  }))
  const prompt = renderReFixerPrompt(context.agents, {
    ...fixTaskInput(session, { stepId, iteration: 2, batch, codes }),
    ...(hasEarlierConversation(dialogue) ? { brief: placeholderBrief(dialogue, codes) } : {}),
    todo: batch.delegates ? todoPaths(context, session) : undefined,
    tree: formatGap('what the tree holds by then'),
    isResuming: true,
    feedback: isChallenged(settings) ? Object.fromEntries(verdicts) : {},
    verification: verification.length > 0 ? verification : undefined,
  })
  return { call: stepId, role: 're_fixer', iteration: 2, codes, prompt }
}

function previewChallenge(
  { context, session, dialogue }: PreviewInput,
  stage: Stage,
  stepId: string,
  background: PromptBackground,
): PromptDraft {
  const codes = listStageCodes(stage)
  const prompt = renderChallengerPrompt(context.agents, {
    ...{ blockId: PREVIEW_BLOCK_ID, stepId, iteration: 1 },
    ...buildPromptFrame(session),
    ...background,
    issues: codes.map((code) => getIssue(session, code)),
    notes: session.record.user_notes,
    clarifications: hasEarlierConversation(dialogue) ? placeholderBrief(dialogue, codes).clarifications : [],
    diff: DIFF_GAP,
    claims: codes.map((issue_code) => ({
      issue_code,
      status: 'fixed',
      changes_summary: formatGap(`what the fixer says about ${issue_code}`),
    })),
    whole: getProfile(session.settings).whole_diff_score,
  })
  return { call: stepId, role: 'fix_challenger', iteration: 1, codes, prompt }
}

/** Stands for the words of people and the planner, with named gaps. */
function placeholderBrief(talk: PlanningRules, codes: readonly string[]): Brief {
  const asked = {
    id: 'general-q1',
    question: formatGap('what the clarifier asks'),
    context: '',
    answer: formatGap('what people answer'),
  }
  return {
    clarifications: talk.clarify ? [{ ...asked, answered_by: '', answered_at: '' }] : [],
    plans: talk.planner === 'agent' ? Object.fromEntries(codes.map((code) => [code, placeholderPlan(code)])) : {},
    notes: {},
    remarks: [],
  }
}

function placeholderPlan(code: string): Brief['plans'][string] {
  const context = { snippets: [], related_files: [], existing_patterns: [] }
  return { context, approach: formatGap(`how the planner would go about ${code}`), steps: [], verification: [] }
}
