// The dialogue before the first fix: open questions, then a plan for each issue, all in one conversation. The agents
// only read; changes that they make in the tree are undone.

import { selectNewQuestions } from '../../domain/people/clarification-questions.ts'
import { truncatePlan } from '../../domain/plan/plan-edits.ts'
import { logAnswerReused, logClarified, logPlanMissing } from '../../domain/session/events/logs/session-logs.ts'
import type { CallFailure } from '../../domain/session/failure.ts'
import { isWithinStep } from '../../domain/session/step-id.ts'
import type { IssueRecord } from '../../domain/session/store-records.ts'
import { type ClarifyReply, StoredPlan } from '../../domain/stage/reply-schemas.ts'
import { truncateText } from '../../domain/text/truncate.ts'
import type { ClarifyInput, ClarifyOutcome, PlanInput, PlanOutcome } from '../../domain/workflow-types/index.ts'
import { resetWorkTree } from '../../platform/git/workspace/snapshot-and-reset.ts'
import { callWithRepair, type RepairableRequest, type ReplyResult } from '../agent-call/call-with-repair.ts'
import { loadPromptContext, type PromptContext } from '../agent-call/prompt-context.ts'
import { needsCompaction, runWithClaude } from '../agent-call/run-with-cli.ts'
import { appendEvents } from '../append-events.ts'
import { loadArtifact, storeArtifact } from '../artifacts.ts'
import {
  type ActivityContext,
  claimedIssues,
  type Heartbeat,
  loadSession,
  loadWorkspace,
  questionEventFields,
  type Session,
} from '../context.ts'
import { toClarification } from './apply-plan.ts'
import { buildClarifierPrompt, buildPlannerPrompt } from './clarify-and-plan-prompts.ts'
import { findEarlierAnswers } from './remembered-answers.ts'

export async function clarify(
  activity: ActivityContext,
  input: ClarifyInput,
  heartbeat: Heartbeat,
): Promise<ClarifyOutcome> {
  const session = await loadSession(activity, input.sessionId)
  const { stepId, round, answered } = input
  const issues = claimedIssues(session)
  const reused = await findEarlierAnswers(activity, session, issues, answered)
  const known = [...answered, ...reused]
  const prompt = (context?: PromptContext) =>
    buildClarifierPrompt(activity, session, { stepId, iteration: round, known, context })
  const sorted = (reply: ClarifyReply) => selectNewQuestions(reply.questions, { codes: listIssueCodes(issues), known })
  const answer = await callDialogueAgent(activity, session, input, heartbeat, {
    role: 'clarifier',
    reply: 'clarify',
    iteration: round,
    codes: listIssueCodes(issues),
    about: `is anything unclear? (round ${round})`,
    prompt,
    findProblem: (reply) => {
      if (reply.ready_to_fix || sorted(reply).length > 0 || reused.length > 0) return undefined
      return 'it asks only what was answered already: the block `questions` holds the answers'
    },
  })
  const { conversation } = answer
  if (answer.kind === 'failed') return { ...NOT_READY_OUTCOME, conversation, failure: toClarifyFailure(answer.failure) }

  const questions = sorted(answer.value)
  const ready = answer.value.ready_to_fix && questions.length === 0
  const message = truncateText(answer.value.message, MAX_MESSAGE_CHARACTERS)
  await appendEvents(activity, session.id, [
    ...reused.map((each) => logAnswerReused(each, questionEventFields(session, each))),
    logClarified(stepId, { round, ready, questions: questions.length, words: message }),
  ])
  return { ready, questions, reused, message, conversation }
}

export async function planFixes(
  activity: ActivityContext,
  input: PlanInput,
  heartbeat: Heartbeat,
): Promise<PlanOutcome> {
  const session = await loadSession(activity, input.sessionId)
  const { stepId, answered, rejected } = input
  const issues = claimedIssues(session)
  const earlier = rejected && (await findStoredPlan(activity, session, rejected.stepId))
  const iteration = rejected ? (earlier?.attempt ?? 1) + 1 : 1
  const known = {
    clarifications: answered.map(toClarification),
    rejectedPlan: rejected && formatRejection(rejected.reason, earlier),
  }
  const prompt = (context?: PromptContext) =>
    buildPlannerPrompt(activity, session, { stepId, iteration, ...known, context })
  const answer = await callDialogueAgent(activity, session, input, heartbeat, {
    role: 'planner',
    reply: 'plan',
    iteration,
    codes: listIssueCodes(issues),
    about: `how to fix ${listIssueCodes(issues).length} issue(s)`,
    prompt,
  })
  const { conversation } = answer
  if (answer.kind === 'read') {
    const kept: StoredPlan = { ...truncatePlan(answer.value, listIssueCodes(issues)), attempt: iteration }
    return { plan: await storeArtifact(activity, session.id, 'todo', stepId, JSON.stringify(kept)), conversation }
  }
  if (answer.failure.class !== 'no_usable_work') return { conversation, failure: answer.failure }
  await appendEvents(activity, session.id, [logPlanMissing(stepId, { detail: answer.failure.detail })])
  return { conversation }
}

interface DialogueRequest<Name extends 'clarify' | 'plan'>
  extends Pick<RepairableRequest<Name>, 'role' | 'reply' | 'iteration' | 'codes' | 'about' | 'findProblem'> {
  /** The full prompt with a context; without one, the prompt that goes on with the conversation. */
  readonly prompt: (context?: PromptContext) => string
}

async function callDialogueAgent<Name extends 'clarify' | 'plan'>(
  context: ActivityContext,
  session: Session,
  { stepId, resume }: Pick<PlanInput, 'stepId' | 'resume'>,
  heartbeat: Heartbeat,
  { prompt, ...question }: DialogueRequest<Name>,
): Promise<ReplyResult<Name>> {
  const workspace = loadWorkspace(context, session.id)
  await context.store.sessions.update(session.id, { status: 'analyzing' })
  const takeBack = () => resetWorkTree(workspace, workspace.base)
  const code = { tree: workspace.base, issues: claimedIssues(session) }
  const buildFull = async () => prompt(await loadPromptContext(context, session, workspace, code))
  const knows = resume !== undefined && !needsCompaction(resume, session.settings)
  const answer = await callWithRepair(
    context,
    session,
    {
      ...question,
      prompt: knows ? prompt() : await buildFull(),
      ...(resume ? { resume, buildFullPrompt: buildFull } : {}),
      key: stepId,
      startsOver: true,
      deadlineMs: session.settings.claude.timeout_seconds * 1000,
      beforeCall: takeBack,
      run: runWithClaude(context, session, { workspace }),
    },
    heartbeat,
  )
  await takeBack()
  return answer
}

/** Limits a message that people read in the history or the log. */
const MAX_MESSAGE_CHARACTERS = 500

const NOT_READY_OUTCOME = { ready: false, questions: [], reused: [], message: '' } as const

function toClarifyFailure(failure: CallFailure): CallFailure {
  if (failure.class !== 'no_usable_work') return failure
  const next = 'start the same work again, or without asking first (people.clarify)'
  const detail = `it is never ready without a word that can be understood: ${failure.detail}; ${next}`
  return { class: 'infrastructure', detail }
}

/** The plan that this step stored, also if a provider limit made the step retry under an id below its own. */
async function findStoredPlan(
  context: ActivityContext,
  session: Session,
  stepId: string,
): Promise<StoredPlan | undefined> {
  const kept = await context.store.artifacts.listForSession(session.id, { kind: 'todo' })
  const found = kept.findLast(({ name }) => isWithinStep(name, stepId))
  return found && (await loadArtifact(context, found.ref, StoredPlan))
}

function formatRejection(reason: string, plan: StoredPlan | undefined): string {
  if (!plan) return reason
  const { attempt: _, ...rejected } = plan
  return `${reason}\n\nThe plan that was rejected:\n${JSON.stringify(rejected, null, 1)}`
}

function listIssueCodes(issues: readonly IssueRecord[]): string[] {
  return issues.map(({ issue_code }) => issue_code)
}
