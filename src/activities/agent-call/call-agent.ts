// One agent call, on record before its process starts: prompt, reply, cost, tokens, duration, model, conversation.
import { randomUUID } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { ApplicationFailure, activityInfo } from '@temporalio/activity'
import { readThinking } from '../../agents/claude/read-thinking.ts'
import type { AgentName } from '../../agents/definitions.ts'
import { describeProvider } from '../../agents/provider/endpoints.ts'
import type { CallResult, Progress, CliCallReport as Report } from '../../agents/provider-contract.ts'
import type { Price } from '../../domain/budget/prices.ts'
import { fixCallCompleted, fixCallStarted } from '../../domain/session/events/agent-call-events.ts'
import { logCallLost, logCallRefused, logConversationGone } from '../../domain/session/events/logs/work-logs.ts'
import type { CallFailure } from '../../domain/session/failure.ts'
import type { AgentCallRecord } from '../../domain/session/store-records.ts'
import type { Conversation } from '../../domain/workflow-types/index.ts'
import { formatMarker } from '../../platform/processes/marked-processes.ts'
import { reapMarked } from '../../platform/processes/reap-marked.ts'
import { withMarkerFile } from '../../platform/processes/reap-orphans.ts'
import { appendEvents } from '../append-events.ts'
import { storeArtifact } from '../artifacts.ts'
import type { Heartbeat } from '../context.ts'
import { type ActivityContext, type Session, sessionFolder } from '../context.ts'
import { parseConversation, toConversation } from './conversation.ts'
import {
  type CallLimits,
  computeCallLimits,
  explainBudgetFailure,
  releaseReserved,
  toBudgetFailure,
} from './enforce-budget.ts'
import { maskPrompt } from './prompt-context.ts'
import { createProgressWriter } from './record-progress.ts'

export interface AgentRequest {
  readonly key: string
  readonly role: AgentName
  readonly prompt: string
  /** The issues whose texts the prompt holds, if those are not all of the session's. */
  readonly promptIssueCodes?: readonly string[] | undefined
  readonly resume?: Conversation | undefined
  /** Builds the prompt for when that conversation is gone; absent if `prompt` stands by itself. */
  readonly buildFullPrompt?: (() => Promise<string>) | undefined
  /** The call's question for the event log, if it is not the work on its issues. */
  readonly about?: string | undefined
  readonly codes: readonly string[]
  /** The call works on its issues, so their own budgets apply, too. */
  readonly isWork?: boolean | undefined
  /** The call is about work that has passed the gates, so none of the session's limits applies. */
  readonly ignoresLimits?: boolean | undefined
  /** Paid work waits for this answer: where the provider is not reached, the session waits for it as at a limit, and loses nothing. */
  readonly keepsPaidWork?: boolean | undefined
  readonly deadlineMs: number
  /** The call only asks for the form of the answer: the work is done. */
  readonly isRepair?: boolean | undefined
  readonly beforeCall?: (() => Promise<void>) | undefined
  /** Sends `asked` and never `prompt`, which may hold secrets. */
  readonly run: (place: CliRunContext, asked: MaskedPrompt) => Promise<CallResult>
}

/** The prompt as it is sent, without secrets, and the conversation that it resumes. */
export type MaskedPrompt = Pick<AgentRequest, 'prompt' | 'resume'>

export interface CliRunContext extends Omit<CallLimits, 'leftMs'> {
  readonly role: AgentName
  readonly isRepair: boolean
  /** By the request and by the session's time. */
  readonly deadlineMs: number
  readonly prices: readonly Price[]
  readonly marker: string
  readonly scratch: string
  readonly signal: AbortSignal
  readonly onProgress: (progress: Progress) => void
}

interface FailedAnswer {
  readonly kind: 'failed'
  readonly failure: CallFailure
}

export type AgentAnswer =
  | {
      readonly kind: 'answered'
      readonly text: string
      /** For a later call that resumes the conversation. */
      readonly conversation?: Conversation | undefined
    }
  | FailedAnswer

/** A CLI is missing for a moment while it is updated, so a lasting failure is tried again. */
const LASTING_FAILURE_ATTEMPTS = 3
/** A CLI that is killed on every attempt at the same prompt (it eats all memory, say) is not killed by accident. */
const KILLED_ATTEMPTS = 3

/**
 * Makes a call once: a retry finds a finished one and does not pay again, or ends a lost one and makes it again after
 * `beforeCall`, which puts the tree back. If the resumed conversation is gone from this host, the full prompt begins a
 * new one.
 */
export async function callAgent(
  context: ActivityContext,
  session: Session,
  question: AgentRequest,
  heartbeat: Heartbeat,
): Promise<AgentAnswer> {
  try {
    return await callOnce(context, session, question, heartbeat)
  } finally {
    releaseReserved(context, session.id, question.key)
  }
}

async function callOnce(
  context: ActivityContext,
  session: Session,
  question: AgentRequest,
  heartbeat: Heartbeat,
): Promise<AgentAnswer> {
  const { store } = context
  const { key, role } = question
  const known = await store.agentCalls.findLatest(session.id, key)
  if (known?.state === 'finished') return await loadRecordedAnswer(context, known)
  const allowed = await computeCallLimits(context, session, question, heartbeat)
  if ('reached' in allowed)
    return await refuseCall(context, session, question, { known, failure: toBudgetFailure(allowed.reached) })
  const masked = await maskPrompt(context, question.prompt)
  const prompt_ref = await storeArtifact(context, session.id, 'prompt', key, masked)
  const claim = await store.agentCalls.claim({
    session_id: session.id,
    key,
    role,
    prompt_ref,
    codes: [...question.codes],
    queued_ms: heartbeat.takeQueuedMs?.(),
  })
  if (claim.kind === 'finished') return await loadRecordedAnswer(context, claim.call)
  for (const lost of claim.lost) await endLostCall(context, session, lost)
  await question.beforeCall?.()

  const id = { session_id: session.id, key, attempt: claim.call.attempt }
  const marker = formatMarker(session.id, key, id.attempt, randomUUID().slice(0, 8))
  const scratch = join(sessionFolder(context, session.id), 'calls', key, String(id.attempt))
  await mkdir(scratch, { recursive: true })
  await store.agentCalls.updateRunning(id, { marker })
  const identity = { role, call: key, attempt: id.attempt, codes: question.codes }
  await appendEvents(context, session.id, [fixCallStarted(identity, question.about)])

  const { leftMs = question.deadlineMs, ...limits } = allowed.limits
  const stream = createProgressWriter(context, id, heartbeat, describeProvider(role, context.environment))
  const place: CliRunContext = {
    ...limits,
    role,
    isRepair: question.isRepair ?? false,
    deadlineMs: Math.min(question.deadlineMs, leftMs),
    prices: session.settings.prices,
    marker,
    scratch,
    signal: heartbeat.signal,
    onProgress: stream.write,
  }
  let { resume } = question
  const result = await withMarkerFile(context.markersFolder, marker, async () => {
    const first = await question.run(place, { prompt: masked, resume })
    if (resume === undefined || first.kind === 'answered' || !first.conversationGone) return first
    const prompt = await wholePrompt(resume)
    resume = undefined
    return await question.run(place, { prompt })
  })
  await stream.flushed()
  await store.agentCalls.updateRunning(id, toSpendingFields(result.report))
  const failed =
    result.kind === 'failed'
      ? await explainBudgetFailure(context, session, question, result.failure, heartbeat)
      : undefined
  // Everything after this point is free of secrets, because an answer's parts are written down in many places.
  const answer = await context.masking.maskValues<AgentAnswer>(
    result.kind === 'failed'
      ? {
          kind: 'failed',
          failure: waitForProvider(question, giveUpAfterRepeatedKills(failed ?? result.failure, claim.lost)),
        }
      : {
          kind: 'answered',
          text: toAnswerText(result),
          conversation: toConversation(result.report, resume ? resume.codes : question.promptIssueCodes),
        },
  )
  const reported = await storeCallResult(context, session, key, result.report, answer)
  // An infrastructure failure is no answer: the call stays unfinished, so that Temporal's retry makes it again.
  if (answer.kind === 'failed' && answer.failure.class === 'infrastructure') {
    const { detail, lasting = false } = answer.failure
    await store.agentCalls.updateRunning(id, reported)
    await appendEvents(context, session.id, [completed(answer)])
    throw ApplicationFailure.create({
      message: detail,
      nonRetryable: lasting && activityInfo().attempt >= LASTING_FAILURE_ATTEMPTS,
    })
  }
  const kept = await store.agentCalls.finish(id, reported)
  if (!kept) throw new Error(`another worker has taken over ${key} of session ${session.id}`)
  await appendEvents(context, session.id, [completed(answer)])
  return answer

  /** Stores the full prompt on record in place of the one that was not answered. */
  async function wholePrompt(gone: Conversation): Promise<string> {
    const prompt = await maskPrompt(context, (await question.buildFullPrompt?.()) ?? question.prompt)
    await store.agentCalls.updateRunning(id, {
      prompt_ref: await storeArtifact(context, session.id, 'prompt', key, prompt),
    })
    await appendEvents(context, session.id, [logConversationGone({ ...identity, conversation: gone.id })])
    return prompt
  }

  function completed(outcome: AgentAnswer) {
    const failure = outcome.kind === 'failed' ? outcome.failure : undefined
    return fixCallCompleted(identity, { ...summarizeReport(result.report), failure })
  }
}

/** Refuses the call over its budget, after ending what a dead worker left of it and putting back the tree. */
async function refuseCall(
  context: ActivityContext,
  session: Session,
  { key, role, beforeCall }: AgentRequest,
  { known, failure }: { readonly known: AgentCallRecord | undefined; readonly failure: CallFailure },
): Promise<AgentAnswer> {
  if (known?.state === 'started') await endLostCall(context, session, known)
  await beforeCall?.()
  await appendEvents(context, session.id, [logCallRefused({ call: key, role, failure })])
  return { kind: 'failed', failure }
}

function giveUpAfterRepeatedKills(failure: CallFailure, before: readonly AgentCallRecord[]): CallFailure {
  if (!wasKilled(failure)) return failure
  const times =
    before.filter(({ result }) => wasKilled((result as Partial<FailedAnswer> | undefined)?.failure)).length + 1
  if (times < KILLED_ATTEMPTS) return failure
  return { class: 'no_usable_work', reason: 'crash', detail: `${failure.detail}; ${times} times in a row` }
}

const UNREACHED_ATTEMPTS = 2

/** Once tries in a row have not helped: anything but a missing CLI passes with time, and ending the session would throw the work away. */
function waitForProvider({ keepsPaidWork }: AgentRequest, failure: CallFailure): CallFailure {
  const isOver = keepsPaidWork && failure.class === 'infrastructure' && !failure.lasting && !failure.killed
  if (!isOver || activityInfo().attempt < UNREACHED_ATTEMPTS) return failure
  return { class: 'limit', reason: 'overloaded', detail: failure.detail }
}

function wasKilled(failure: CallFailure | undefined): boolean {
  return failure?.class === 'infrastructure' && failure.killed === true
}

function toAnswerText(result: CallResult & { kind: 'answered' }): string {
  return result.structured === undefined ? result.text : JSON.stringify(result.structured)
}

async function loadRecordedAnswer({ artifacts }: ActivityContext, call: AgentCallRecord): Promise<AgentAnswer> {
  if (call.reply_ref === undefined) return call.result as AgentAnswer
  const text = await artifacts.getText(call.reply_ref)
  return { kind: 'answered', text, conversation: parseConversation(call) }
}

/** Ends the processes of a call whose worker died, before the call is made again. */
async function endLostCall(context: ActivityContext, session: Session, lost: AgentCallRecord): Promise<void> {
  const ended = lost.marker === undefined ? [] : (await reapMarked(lost.marker)).ended
  // The call put its failure on record before its worker died.
  if (lost.result !== undefined) return
  const { key: call, attempt } = lost
  await appendEvents(context, session.id, [logCallLost({ call, attempt, processes_ended: ended.length })])
}

async function storeCallResult(
  context: ActivityContext,
  session: Session,
  key: string,
  record: Report,
  answer: AgentAnswer,
) {
  const transcript_ref = await storeArtifact(context, session.id, 'transcript', key, { file: record.stdoutFile })
  const thinking = await readThinking(record.stdoutFile)
  if (thinking !== '') await storeArtifact(context, session.id, 'thinking', key, thinking)
  const reply_ref =
    answer.kind === 'answered' ? await storeArtifact(context, session.id, 'reply', key, answer.text) : undefined
  return {
    model: record.model,
    transcript_ref,
    duration_ms: Math.round(record.durationMs),
    ...toSpendingFields(record),
    ...(record.conversationId === undefined ? {} : { cli_session_id: record.conversationId }),
    ...(answer.kind === 'answered' ? { reply_ref, result: { conversation: answer.conversation } } : { result: answer }),
  }
}

function toSpendingFields({ costUsd, costPartial, inputTokens = 0, cachedTokens = 0, outputTokens = 0 }: Report) {
  return {
    ...(costUsd === undefined ? {} : { cost_usd: costUsd }),
    ...(costPartial ? { cost_partial: true as const } : {}),
    tokens: { input: inputTokens, cached: cachedTokens, output: outputTokens },
  }
}

function summarizeReport(record: Report) {
  const { model, modelsTried, costUsd, costPartial, durationMs, sandbox, notes } = record
  const { inputTokens, outputTokens, contextTokens } = record
  return {
    model,
    models_tried: modelsTried,
    cost_usd: costUsd,
    ...(costPartial ? { cost_partial: true as const } : {}),
    tokens: { inputTokens, outputTokens, contextTokens },
    durationMs: Math.round(durationMs),
    sandbox,
    notes,
  }
}
