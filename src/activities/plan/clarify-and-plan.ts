// What is said before the first fix: whether something is unclear, and how each issue is to be fixed. One conversation: each
// question goes on where the one before it ended. The tree is only looked at; whatever an agent did to it is taken back.

import { newQuestions } from '../../domain/people/clarification-questions.ts'
import type { Answered } from '../../domain/people/validate-messages.ts'
import { boundedPlan } from '../../domain/plan/plan-edits.ts'
import type { ClarifyInput, ClarifyOutcome, PlanInput, PlanOutcome } from '../../domain/protocol/index.ts'
import { IN_PASSING, type NewEvent } from '../../domain/session/events.ts'
import type { CallFailure } from '../../domain/session/failure.ts'
import type { IssueRecord } from '../../domain/session/records.ts'
import type { ClarifyReply } from '../../domain/stage/agent-replies.ts'
import { cut } from '../../domain/text/cut.ts'
import { resetTo } from '../../platform/git/workspace/snapshot-and-reset.ts'
import { askReadably, type Readable, type ReadableQuestion } from '../agent-call/call-with-repair.ts'
import { hasGrownLong, runClaude } from '../agent-call/cli-call.ts'
import { tell } from '../append-events.ts'
import { aboutIssue, loadSession, type Session, todoOf, type Workshop, workspaceOf } from '../context.ts'
import type { Beat } from '../heartbeat.ts'
import { keep } from '../store-artifact.ts'
import { clarificationOf, type KeptPlan, readPlan } from './apply-plan.ts'
import { type Context, clarifierPrompt, plannerPrompt, wholeContext } from './clarify-and-plan-prompts.ts'
import { earlierAnswers } from './remembered-answers.ts'

export async function clarify(shop: Workshop, input: ClarifyInput, beat: Beat): Promise<ClarifyOutcome> {
  const session = await loadSession(shop, input.sessionId)
  const { call, round, answered } = input
  const issues = todoOf(session)
  const reused = await earlierAnswers(shop, session, issues, answered)
  const known = [...answered, ...reused]
  const prompt = (context?: Context) => clarifierPrompt(shop, session, { call, iteration: round, known, context })
  const sorted = (reply: ClarifyReply) => newQuestions(reply.questions, { codes: codesOf(issues), known })
  const answer = await talk(shop, session, input, beat, {
    role: 'clarifier',
    reply: 'clarify',
    iteration: round,
    codes: codesOf(issues),
    about: `is anything unclear? (round ${round})`,
    prompt,
    problemOf: (reply) => {
      if (reply.ready_to_fix || sorted(reply).length > 0 || reused.length > 0) return undefined
      return 'it asks only what was answered already: the block `questions` holds the answers'
    },
  })
  const { conversation } = answer
  if (answer.kind === 'failed') return { ...NOT_READY, conversation, failure: neverReady(answer.failure) }

  const questions = sorted(answer.value)
  const ready = answer.value.ready_to_fix && questions.length === 0
  const message = cut(answer.value.message, MOST_OF_A_MESSAGE)
  const outcome = ready ? 'nothing is unclear' : `${questions.length} question(s)`
  await tell(shop, session.id, [
    ...reused.map((each) => reusedEvent(session, each)),
    {
      key: `${call}/clarified`,
      type: 'fix_log',
      message: `${outcome}${message ? `: ${message}` : ''}`,
      data: { ...IN_PASSING, round },
    },
  ])
  return { ready, questions, reused, message, conversation }
}

export async function planFixes(shop: Workshop, input: PlanInput, beat: Beat): Promise<PlanOutcome> {
  const session = await loadSession(shop, input.sessionId)
  const { call, answered, rejected } = input
  const issues = todoOf(session)
  const earlier = rejected && (await planOf(shop, session, rejected.call))
  const iteration = rejected ? (earlier?.attempt ?? 1) + 1 : 1
  const told = {
    clarifications: answered.map(clarificationOf),
    ...(rejected ? { rejected: rejection(rejected.reason, earlier) } : {}),
  }
  const prompt = (context?: Context) => plannerPrompt(shop, session, { call, iteration, ...told, context })
  const answer = await talk(shop, session, input, beat, {
    role: 'planner',
    reply: 'plan',
    iteration,
    codes: codesOf(issues),
    about: `how to fix ${codesOf(issues).length} issue(s)`,
    prompt,
  })
  const { conversation } = answer
  if (answer.kind === 'read') {
    const kept: KeptPlan = { ...boundedPlan(answer.value, codesOf(issues)), attempt: iteration }
    return { plan: await keep(shop, session.id, 'todo', call, JSON.stringify(kept)), conversation }
  }
  if (answer.failure.class !== 'no_usable_work') return { conversation, failure: answer.failure }
  const message = `there is no plan of an agent, the rules of order have to do: ${answer.failure.detail}`
  await tell(shop, session.id, [{ key: `${call}/unplanned`, type: 'fix_log', message }])
  return { conversation }
}

interface Talk<Name extends 'clarify' | 'plan'>
  extends Pick<ReadableQuestion<Name>, 'role' | 'reply' | 'iteration' | 'codes' | 'about' | 'problemOf'> {
  /** The whole of it, or what goes on with a conversation. */
  readonly prompt: (context?: Context) => string
}

async function talk<Name extends 'clarify' | 'plan'>(
  shop: Workshop,
  session: Session,
  { call, resume }: Pick<PlanInput, 'call' | 'resume'>,
  beat: Beat,
  { prompt, ...question }: Talk<Name>,
): Promise<Readable<Name>> {
  const workspace = workspaceOf(shop, session.id)
  await shop.store.sessions.update(session.id, { status: 'analyzing' })
  const takeBack = () => resetTo(workspace, workspace.base, { signal: beat.signal })
  const afresh = async () => prompt(await wholeContext(shop, session, workspace))
  const knows = resume !== undefined && !hasGrownLong(resume, session.settings)
  const answer = await askReadably(
    shop,
    session,
    {
      ...question,
      prompt: knows ? prompt() : await afresh(),
      ...(resume ? { resume, afresh } : {}),
      key: call,
      twice: true,
      deadlineMs: session.settings.claude.timeout_seconds * 1000,
      before: takeBack,
      run: (place, { isRepair: _, ...asked }) =>
        runClaude(shop, session, { ...asked, role: question.role, place, cwd: workspace.tree }),
    },
    beat,
  )
  await takeBack()
  return answer
}

/** For a person who reads the history or the log. */
const MOST_OF_A_MESSAGE = 500

const NOT_READY = { ready: false, questions: [], reused: [], message: '' } as const

function neverReady(failure: CallFailure): CallFailure {
  if (failure.class !== 'no_usable_work') return failure
  const next = 'start the same work again, or without asking first (people.clarify)'
  const detail = `it is never ready without a word that can be understood: ${failure.detail}; ${next}`
  return { class: 'infrastructure', detail }
}

function reusedEvent(session: Session, { id, code, question, answer, by, from }: Answered): NewEvent {
  const about = code === undefined ? {} : aboutIssue(session, code)
  const message = `${id} was answered before, by ${by} (${from}): ${cut(answer, MOST_OF_A_MESSAGE)}`
  return { key: `answer/${id}`, type: 'fix_log', message, data: { ...IN_PASSING, id, question }, ...about }
}

/** The plan that a call came to, also where a provider made it wait and it was called otherwise in the end. */
async function planOf(shop: Workshop, session: Session, call: string): Promise<KeptPlan | undefined> {
  const kept = await shop.store.artifacts.ofSession(session.id, { kind: 'todo' })
  const found = kept.findLast(({ name }) => name === call || name.startsWith(`${call}.w`))
  return found && (await readPlan(shop, found.ref))
}

function rejection(reason: string, plan: KeptPlan | undefined): string {
  if (!plan) return reason
  const { attempt: _, ...rejected } = plan
  return `${reason}\n\nThe plan that was rejected:\n${JSON.stringify(rejected, null, 1)}`
}

function codesOf(issues: readonly IssueRecord[]): string[] {
  return issues.map(({ issue_code }) => issue_code)
}
