// One call over a chain of models: the next is tried at once when one is overloaded, limited or unknown, within the same call and
// its one deadline. Only when every model refused is the call limited, until the earliest of them serves again.

import { addUsage } from '../domain/budget/prices.ts'
import type { CallFailure } from '../domain/session/failure.ts'
import type { AgentCall, CallOutcome, CallRecord, CallResult } from './agent-call.ts'
import { limit } from './provider/refusals.ts'

export interface Attempt {
  readonly model: string
  /** 1-based; names the files of the attempt. */
  readonly nth: number
  readonly hasNextModel: boolean
  readonly deadlineMs: number
  /** The attempt before, on another model. */
  readonly previous?: AttemptResult | undefined
  /** What all attempts before have used. */
  readonly spent: Spent
}

/** What an attempt came to. */
export interface Judged {
  readonly outcome: CallOutcome
  /** The failure is this model's, not the account's or the work's. */
  readonly tryNextModel: boolean
}

export interface AttemptResult {
  readonly result: CallResult
  /** The failure is this model's, not the account's or the work's. */
  readonly tryNextModel: boolean
  /** The model had begun to work: the next one should go on from there. */
  readonly begun: boolean
}

export async function alongChain(
  call: AgentCall,
  attempt: (attempt: Attempt) => Promise<AttemptResult>,
): Promise<CallResult> {
  if (call.models.length === 0) throw new RangeError('a call needs at least one model')
  const started = performance.now()
  const tried: AttemptResult[] = []
  for (const [index, model] of call.models.entries()) {
    const deadlineMs = call.deadlineMs - (performance.now() - started)
    const previous = tried.at(-1)
    if (previous && deadlineMs <= 0) break
    const hasNextModel = index < call.models.length - 1
    const spent = spentTogether(tried.map(({ result }) => result.record))
    const last = await attempt({ model, nth: index + 1, hasNextModel, deadlineMs, previous, spent })
    tried.push(last)
    const next = call.models[index + 1]
    if (last.result.kind === 'answered' || !last.tryNextModel || next === undefined) break
    const because = last.result.failure.detail
    call.onProgress({ kind: 'model_switched', from: model, to: next, because })
  }
  return together(tried, performance.now() - started)
}

function together(tried: readonly AttemptResult[], durationMs: number): CallResult {
  const last = tried.at(-1)!.result
  const record = mergeRecords(
    tried.map(({ result }) => result),
    durationMs,
  )
  if (last.kind === 'answered' || !tried.at(-1)!.tryNextModel) return { ...last, record }
  const failures = tried.flatMap(({ result }) => (result.kind === 'failed' ? [result.failure] : []))
  return { ...last, failure: whenAllRefused(failures), record }
}

function whenAllRefused(failures: readonly CallFailure[]): CallFailure {
  const limits = failures.filter((failure) => failure.class === 'limit')
  const first = limits[0]
  if (!first) return failures.at(-1)!
  if (failures.length === 1) return first
  const times = limits.flatMap(({ until }) => (until === undefined ? [] : [until]))
  // A model that named no time may serve sooner than the others: then nobody knows when, and the caller backs off by itself.
  const until = times.length === limits.length ? Math.min(...times) : undefined
  const soonest = limits.find((each) => each.until === until) ?? first
  const detail = `no model of the chain can answer now: ${failures.map((failure) => failure.detail).join('; ')}`
  return limit(soonest.reason, until, detail)
}

function mergeRecords(results: readonly CallResult[], durationMs: number): CallRecord {
  const records = results.map(({ record }) => record)
  const last = records.at(-1)!
  const switches = results.slice(0, -1).map((result) => {
    const why = result.kind === 'failed' ? result.failure.detail : ''
    return `${result.record.model} could not answer: ${why}`
  })
  return {
    ...last,
    modelsTried: records.flatMap((record) => record.modelsTried),
    ...spentTogether(records),
    turns: sum(records.map((record) => record.turns)),
    durationMs,
    notes: [...switches, ...records.flatMap((record) => record.notes)],
  }
}

type Spent = Pick<CallRecord, 'costUsd' | 'costPartial' | 'inputTokens' | 'cachedTokens' | 'outputTokens'>

export function spentTogether(records: readonly CallRecord[]): Spent {
  return {
    costUsd: sum(records.map(({ costUsd }) => costUsd)),
    ...(records.some(({ costPartial }) => costPartial) ? { costPartial: true } : {}),
    inputTokens: sum(records.map(({ inputTokens }) => inputTokens)),
    cachedTokens: sum(records.map(({ cachedTokens }) => cachedTokens)),
    outputTokens: sum(records.map(({ outputTokens }) => outputTokens)),
  }
}

/** What is left for the rest of a call when a part of it has used so much; what the rest tells of its use begins with that. */
export function lessSpent<Call extends AgentCall>(
  call: Call,
  { costUsd: spentUsd, inputTokens = 0, cachedTokens = 0, outputTokens = 0 }: Spent,
): Call {
  const { maxBudgetUsd, maxTokens, onProgress } = call
  const before = { input: inputTokens, cached: cachedTokens, output: outputTokens }
  return {
    ...call,
    onProgress: (progress) =>
      onProgress(
        progress.kind === 'used'
          ? { ...progress, usage: addUsage(before, progress.usage), costUsd: sum([spentUsd, progress.costUsd]) }
          : progress,
      ),
    ...(maxBudgetUsd === undefined ? {} : { maxBudgetUsd: Math.max(maxBudgetUsd - (spentUsd ?? 0), LEAST_USD) }),
    ...(maxTokens === undefined ? {} : { maxTokens: Math.max(maxTokens - inputTokens - outputTokens, 1) }),
  }
}

/** The CLI takes no less. */
const LEAST_USD = 0.000_001

function sum(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined)
  return known.length === 0 ? undefined : known.reduce((total, value) => total + value, 0)
}
