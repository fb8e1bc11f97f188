// Runs one call over a chain of models, within one deadline: the next is tried at once when one is overloaded, limited or unknown. Only
// if every model refuses is the call limited, until the earliest of them serves again.

import { addUsage } from '../domain/budget/prices.ts'
import type { CallFailure } from '../domain/session/failure.ts'
import { limitFailure } from './provider/classify-api-error.ts'
import type { AgentCall, CallOutcome, CallResult, CliCallReport } from './provider-contract.ts'

export interface ModelAttempt {
  readonly model: string
  /** 1-based; names the files of the attempt. */
  readonly nth: number
  readonly hasNextModel: boolean
  readonly deadlineMs: number
  readonly previous?: ModelAttemptResult | undefined
  /** The use of all earlier attempts. */
  readonly spent: CallUsage
}

export interface ModelOutcome {
  readonly outcome: CallOutcome
  /** The failure is this model's, not the account's or the work's. */
  readonly tryNextModel: boolean
}

export interface ModelAttemptResult {
  readonly result: CallResult
  readonly tryNextModel: boolean
  /** The model had begun to work, so the next one should go on from there. */
  readonly hasBegun: boolean
}

export async function tryModels(
  call: AgentCall,
  attempt: (attempt: ModelAttempt) => Promise<ModelAttemptResult>,
): Promise<CallResult> {
  if (call.models.length === 0) throw new RangeError('a call needs at least one model')
  const started = performance.now()
  const tried: ModelAttemptResult[] = []
  for (const [index, model] of call.models.entries()) {
    const deadlineMs = call.deadlineMs - (performance.now() - started)
    const previous = tried.at(-1)
    if (previous && deadlineMs <= 0) break
    const hasNextModel = index < call.models.length - 1
    const spent = sumCallUsage(tried.map(({ result }) => result.report))
    const last = await attempt({ model, nth: index + 1, hasNextModel, deadlineMs, previous, spent })
    tried.push(last)
    const next = call.models[index + 1]
    if (last.result.kind === 'answered' || !last.tryNextModel || next === undefined) break
    const because = last.result.failure.detail
    call.onProgress({ kind: 'model_switched', from: model, to: next, because })
  }
  return combineAttempts(tried, performance.now() - started)
}

function combineAttempts(tried: readonly ModelAttemptResult[], durationMs: number): CallResult {
  const last = tried.at(-1)!.result
  const record = mergeReports(
    tried.map(({ result }) => result),
    durationMs,
  )
  if (last.kind === 'answered' || !tried.at(-1)!.tryNextModel) return { ...last, report: record }
  const failures = tried.flatMap(({ result }) => (result.kind === 'failed' ? [result.failure] : []))
  return { ...last, failure: combineFailures(failures), report: record }
}

function combineFailures(failures: readonly CallFailure[]): CallFailure {
  const limits = failures.filter((failure) => failure.class === 'limit')
  const first = limits[0]
  if (!first) return failures.at(-1)!
  if (failures.length === 1) return first
  const times = limits.flatMap(({ until }) => (until === undefined ? [] : [until]))
  // A model that named no time may serve sooner than the others. Then the time is unknown, and the caller backs off by itself.
  const until = times.length === limits.length ? Math.min(...times) : undefined
  const soonest = limits.find((each) => each.until === until) ?? first
  const detail = `no model of the chain can answer now: ${failures.map((failure) => failure.detail).join('; ')}`
  return limitFailure(soonest.reason, until, detail)
}

function mergeReports(results: readonly CallResult[], durationMs: number): CliCallReport {
  const records = results.map(({ report }) => report)
  const last = records.at(-1)!
  const switches = results.slice(0, -1).map((result) => {
    const why = result.kind === 'failed' ? result.failure.detail : ''
    return `${result.report.model} could not answer: ${why}`
  })
  return {
    ...last,
    modelsTried: records.flatMap((record) => record.modelsTried),
    ...sumCallUsage(records),
    turns: sum(records.map((record) => record.turns)),
    durationMs,
    notes: [...switches, ...records.flatMap((record) => record.notes)],
  }
}

type CallUsage = Pick<CliCallReport, 'costUsd' | 'costPartial' | 'inputTokens' | 'cachedTokens' | 'outputTokens'>

export function sumCallUsage(records: readonly CliCallReport[]): CallUsage {
  return {
    costUsd: sum(records.map(({ costUsd }) => costUsd)),
    ...(records.some(({ costPartial }) => costPartial) ? { costPartial: true } : {}),
    inputTokens: sum(records.map(({ inputTokens }) => inputTokens)),
    cachedTokens: sum(records.map(({ cachedTokens }) => cachedTokens)),
    outputTokens: sum(records.map(({ outputTokens }) => outputTokens)),
  }
}

/** The call with the budget that is left after this use. The use that it reports includes what was spent before. */
export function remainingBudget<Call extends AgentCall>(
  call: Call,
  { costUsd: spentUsd, inputTokens = 0, cachedTokens = 0, outputTokens = 0 }: CallUsage,
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
    ...(maxBudgetUsd === undefined ? {} : { maxBudgetUsd: Math.max(maxBudgetUsd - (spentUsd ?? 0), MIN_BUDGET_USD) }),
    ...(maxTokens === undefined ? {} : { maxTokens: Math.max(maxTokens - inputTokens - outputTokens, 1) }),
  }
}

/** The least that the CLI accepts. */
const MIN_BUDGET_USD = 0.000_001

function sum(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined)
  return known.length === 0 ? undefined : known.reduce((total, value) => total + value, 0)
}
