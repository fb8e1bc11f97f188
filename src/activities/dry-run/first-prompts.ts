// The first prompt of each agent, built by the functions of a real session. Text that an agent or a person has yet to
// write is a named gap; a prompt without gaps is sent as it is here.
import { type ChallengeContext, renderChallengerPrompt } from '../../agents/prompts/challenger.ts'
import { renderFixerPrompt, renderReFixerPrompt } from '../../agents/prompts/fixer.ts'
import type { Bounds } from '../../agents/prompts/parts/bounds.ts'
import { type Brief, EMPTY_BRIEF } from '../../domain/plan/brief.ts'
import { type Batch, listBatchCodes, listStageCodes, type Stage } from '../../domain/plan/plan.ts'
import { formatStepId, toRoundName } from '../../domain/session/step-id.ts'
import { effectiveIterations, getProfile, isChallenged, type Settings } from '../../domain/settings/schema.ts'
import type { PlanningRules } from '../../domain/workflow-types/index.ts'
import type { Workspace } from '../../platform/git/workspace/object-store.ts'
import { buildPromptFrame, createBlockId, loadPromptContext, maskPrompt } from '../agent-call/prompt-context.ts'
import { type ActivityContext, claimedIssues, getIssue, type Session } from '../context.ts'
import { buildFixPrompts, buildSubAgentPrompt, fixTaskInput, offersSubAgents } from '../fix/fixer-prompt-input.ts'
import { loadBounds } from '../fix/load-bounds.ts'
import { buildBranchRequest, buildSubjectsRequest, type NamingRequest } from '../open/name-branch.ts'
import { buildClarifierPrompt, buildPlannerPrompt } from '../plan/clarify-and-plan-prompts.ts'
import { findEarlierAnswers } from '../plan/remembered-answers.ts'
import { todoPaths } from '../plan/store-plan.ts'

export interface PlannedSession {
  readonly context: ActivityContext
  readonly session: Session
  /** The person's own repository, which is only read. */
  readonly repository: Pick<Workspace, 'gitDir' | 'base'>
  readonly stages: readonly Stage[]
  readonly dialogue: PlanningRules | undefined
  readonly namesBranch: boolean
}

/** The first call of an agent in a session. */
export interface FirstCall extends NamingRequest {
  readonly iteration?: number
  /** Goes on with the conversation of an earlier call. */
  readonly resumes?: boolean
  readonly subAgentPrompt?: string | undefined
  readonly readableFolders?: readonly string[]
}

const DIFF_GAP = formatGap('the diff of the fixes')
/** Replaces the block id that each call draws. */
const BLOCK_ID = '0'.repeat(16)

export async function listFirstCalls(planned: PlannedSession): Promise<FirstCall[]> {
  const { context, session, namesBranch } = planned
  const { settings } = session
  const [stage] = planned.stages
  const [batch] = stage?.batches ?? []
  if (!stage || !batch) return []
  const stepId = formatStepId({ kind: 'commit', stage: 1, turn: 1 })
  const calls: FirstCall[] = [
    ...(namesBranch ? [buildBranchRequest(context, session, claimedIssues(session))] : []),
    ...(await previewDialogue(planned)),
    await previewFixer(planned, batch),
    ...(isChallenged(settings) ? [await previewChallenger(planned, stage)] : []),
    ...(effectiveIterations(settings) > 1 ? [await previewReFixer(planned, batch)] : []),
    ...(settings.git.naming === 'agent'
      ? [buildSubjectsRequest(context, session, { stepId, commits: listDryCommits(settings, stage), diff: DIFF_GAP })]
      : []),
  ]
  return await Promise.all(
    calls.map(async ({ prompt, subAgentPrompt, ...call }) => ({
      ...call,
      prompt: hideBlockId(await maskPrompt(context, prompt)),
      ...(subAgentPrompt === undefined ? {} : { subAgentPrompt: hideBlockId(subAgentPrompt) }),
    })),
  )
}

function hideBlockId(prompt: string): string {
  const id = /^<(?:data|trusted) name="\w+" id="([0-9a-f]+)">$/m.exec(prompt)?.[1] ?? BLOCK_ID
  return prompt.replaceAll(id, BLOCK_ID)
}

/** As if no issue shared a file with another, and the fixer's words made no subject. */
function listDryCommits({ git }: Settings, stage: Stage): string[][] {
  const codes = listStageCodes(stage)
  return git.commits === 'issue' ? codes.map((code) => [code]) : [codes]
}

export function formatGap(what: string): string {
  return `«gap: ${what}»`
}

export function listGaps(prompt: string): string[] {
  return [...new Set(prompt.match(/«gap: [^»\n]{1,200}»/g) ?? [])]
}

async function previewDialogue({ context, session, repository, dialogue }: PlannedSession): Promise<FirstCall[]> {
  if (!dialogue) return []
  const issues = claimedIssues(session)
  const codes = issues.map(({ issue_code }) => issue_code)
  const begins = await loadPromptContext(context, session, repository, { tree: repository.base, issues })
  const calls: FirstCall[] = []
  if (dialogue.clarify) {
    const key = formatStepId({ kind: 'clarify', round: 1 })
    const known = await findEarlierAnswers(context, session, issues, [])
    const prompt = buildClarifierPrompt(context, session, { stepId: key, iteration: 1, known, context: begins })
    calls.push({ key, role: 'clarifier', codes, prompt })
  }
  if (dialogue.planner === 'agent') {
    const key = formatStepId({ kind: 'plan', attempt: 1 })
    const { clarifications } = briefWithGaps(dialogue)
    const known = { clarifications, context: dialogue.clarify ? undefined : begins }
    const prompt = buildPlannerPrompt(context, session, { stepId: key, iteration: 1, ...known })
    calls.push({ key, role: 'planner', codes, resumes: dialogue.clarify, prompt })
  }
  return calls
}

async function previewFixer(planned: PlannedSession, batch: Batch): Promise<FirstCall> {
  const { context, session, repository, dialogue } = planned
  const { call, task } = await describeFix(planned, batch, 1)
  if (dialogue && (dialogue.clarify || dialogue.planner === 'agent')) {
    const tree = 'Nothing else is changed in the tree yet.'
    return { ...call, resumes: true, prompt: renderFixerPrompt(context.agents, { ...task, tree, isResuming: true }) }
  }
  const { key: stepId, codes } = call
  const { base: head } = repository
  const nothing = { start: [], feedbackStepIds: [] }
  const input = { sessionId: session.id, stepId, stage: 1, batch, iteration: 1, codes, head, ...nothing }
  const start = {
    tree: head,
    owners: {},
    parts: new Map(),
    unclaimed: [],
    lost: [],
    overlaps: [],
    claims: {},
    fromSnapshots: [],
  }
  const { prompt } = await buildFixPrompts(context, session, repository, {
    input,
    start,
    todo: task.todo,
    bounds: task.bounds,
  })
  return { ...call, prompt }
}

async function previewReFixer(planned: PlannedSession, batch: Batch): Promise<FirstCall> {
  const { context, session } = planned
  const { settings } = session
  const { call, task } = await describeFix(planned, batch, 2)
  const feedback = (code: string) => ({ feedback: formatGap(`what the challenger says about ${code}`) })
  const verification = settings.verification.commands.map((command) => ({
    command,
    outcome: formatGap('how it failed, if it did'),
    output: formatGap('the end of what it printed'),
  }))
  const prompt = renderReFixerPrompt(context.agents, {
    ...task,
    tree: formatGap('what the tree holds by then'),
    isResuming: true,
    feedback: isChallenged(settings) ? Object.fromEntries(call.codes.map((code) => [code, feedback(code)])) : {},
    verification: verification.length > 0 ? verification : undefined,
  })
  return { ...call, resumes: true, prompt }
}

async function describeFix(planned: PlannedSession, batch: Batch, iteration: 1 | 2) {
  const { context, session, repository, dialogue } = planned
  const key = formatStepId({ kind: 'fix', stage: 1, round_name: toRoundName(iteration), batch: 1 })
  const codes = listBatchCodes(batch)
  const todo = batch.delegates ? todoPaths(context, session) : undefined
  const role = iteration === 1 ? ('fixer' as const) : ('re_fixer' as const)
  const task = fixTaskInput(session, { stepId: key, iteration, batch, codes })
  const steps = dialogue?.planner === 'agent' ? [[formatGap('the order that the planner finds')]] : task.steps
  const bounds = await previewBounds(planned, codes)
  const input = { batch, codes }
  const subAgentPrompt = offersSubAgents(session)
    ? await buildSubAgentPrompt(context, session, repository, { input, bounds })
    : undefined
  return {
    call: { key, role, iteration, codes, subAgentPrompt, ...(todo && { readableFolders: [todo.folder] }) },
    task: {
      ...task,
      steps,
      bounds,
      mayDelegate: subAgentPrompt !== undefined && !todo,
      brief: briefWithGaps(dialogue),
      todo,
    },
  }
}

/** Leaves out what is red on the base: a dry run does not run the commands. */
async function previewBounds(
  { context, session, repository }: PlannedSession,
  codes: readonly string[],
): Promise<Bounds> {
  const bounds = await loadBounds(context, session, repository, { codes, head: repository.base })
  return { ...bounds, redBefore: formatGap('what is red before any fix') }
}

async function previewChallenger(planned: PlannedSession, stage: Stage): Promise<FirstCall> {
  const { context, session, repository, dialogue } = planned
  const key = formatStepId({ kind: 'challenge', stage: 1, tree: toRoundName(1) })
  const codes = listStageCodes(stage)
  const prompt = renderChallengerPrompt(context.agents, {
    ...{ blockId: createBlockId(), stepId: key, iteration: 1 },
    ...buildPromptFrame(session),
    ...(await loadPromptContext(context, session, repository)),
    issues: codes.map((code) => getIssue(session, code)),
    notes: session.record.user_notes,
    clarifications: briefWithGaps(dialogue).clarifications,
    diff: DIFF_GAP,
    beside: session.settings.fix_challenger.sees === 'diff' ? undefined : previewContext(session),
    solvedThreshold: session.settings.fix_challenger.solved_threshold,
    claims: codes.map((issue_code) => {
      return { issue_code, status: 'fixed', changes_summary: formatGap(`what the fixer says about ${issue_code}`) }
    }),
    whole: getProfile(session.settings).whole_diff_score,
  })
  return { key, role: 'fix_challenger', codes, prompt }
}

function previewContext({ settings }: Session): ChallengeContext {
  const result = { before: formatGap('what it said before'), after: formatGap('what it says with the fix') }
  return {
    renderPlaces: () => formatGap('the changed places with the fix'),
    uses: formatGap('the lines that use them'),
    checkResults: settings.verification.commands.map((command) => ({ command, ...result })),
  }
}

function briefWithGaps(dialogue: PlanningRules | undefined): Brief {
  if (!dialogue?.clarify) return EMPTY_BRIEF
  const words = { question: formatGap('what the clarifier asks'), answer: formatGap('what people answer') }
  const clarification = { id: 'general-q1', context: '', ...words, answered_by: '', answered_at: '' }
  return { ...EMPTY_BRIEF, clarifications: [clarification] }
}
