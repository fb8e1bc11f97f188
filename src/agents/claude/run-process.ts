// One run of the Claude CLI: a process from its start to its end, what it came to, and the record of it. The prompt goes through standard
// input; the first refusal of the provider decides, not minutes of silent asking; a result that came is used even if the CLI then hangs.
// Costs: the CLI counts on over --resume and --fork-session, so the record holds the difference to what was before and the new total.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { costOf, type Price, priceOf } from '../../domain/budget/prices.ts'
import { type RunResult, runProcess } from '../../platform/processes/run-process.ts'
import type { Enclosed } from '../../platform/sandbox/enter-sandbox.ts'
import type { AgentCall, CallRecord, CallResult } from '../agent-call.ts'
import type { Judged } from '../model-fallback.ts'
import { claudeEnvironment } from '../provider/environment.ts'
import { isFree, watchRetries } from '../provider/refusals.ts'
import { aroundIt, encloseClaude, refusalNotes } from '../provider/sandbox.ts'
import { type Conversation, claudeArguments } from './arguments.ts'
import { claudeOutcome } from './outcome.ts'
import { type ClaudeStream, readClaudeStream } from './stream.ts'

export interface ClaudeRun {
  /** Names its files. */
  readonly name: string
  readonly model: string
  readonly session: Conversation
  /** Standard input, whole: what begins with a slash is a command of the CLI. */
  readonly input: string
  readonly deadlineMs: number
  readonly hasNextModel: boolean
  /** What the conversation had cost before. */
  readonly costBefore: number | undefined
}

export interface ClaudeRan extends Pick<Judged, 'tryNextModel'> {
  readonly run: RunResult
  readonly stream: ClaudeStream
  readonly result: CallResult
}

export async function runClaude(call: AgentCall, asked: ClaudeRun): Promise<ClaudeRan> {
  const { name, model, session, costBefore } = asked
  const tmpdir = join(call.scratch, 'tmp')
  await mkdir(tmpdir, { recursive: true })
  const files = {
    stdoutFile: join(call.scratch, `claude-${name}.jsonl`),
    stderrFile: join(call.scratch, `claude-${name}.stderr`),
  }
  const agentsFile = join(call.scratch, 'agents.json')
  const args = await claudeArguments(call, { model, session, agentsFile })
  const env = claudeEnvironment(call.environment, { tmpdir, thinkingBudget: call.thinkingBudget })
  const enclosed = await encloseClaude(call, { env, cwd: call.cwd, agentsFile })
  const price = priceOf(call.prices ?? [], model)
  const watch = watchRetries({ hasNextModel: asked.hasNextModel, patienceMs: call.retryPatienceMs })
  const stream = readClaudeStream({
    watch,
    onProgress: call.onProgress,
    model,
    mayRenewToken: env.ANTHROPIC_API_KEY === undefined && env.ANTHROPIC_AUTH_TOKEN === undefined,
    maxTokens: call.maxTokens,
    price,
  })
  const run = await runProcess({
    ...files,
    command: call.command,
    args,
    cwd: call.cwd,
    env: { ...env, ...enclosed?.environment },
    walls: enclosed?.walls,
    input: asked.input,
    deadlineMs: asked.deadlineMs,
    graceMs: call.graceMs ?? 5_000,
    signal: call.signal,
    marker: call.marker,
    onLine: stream.onLine,
    pidNamespace: call.pidNamespace ?? 'auto',
    // Told to end while a tool runs it says what it has cost; while it waits for an answer it does not.
    endsOnInterrupt: true,
  }).finally(() => enclosed?.release())
  if (run.ended === 'cancelled') throw call.signal.reason
  const { outcome, tryNextModel } = claudeOutcome(run, stream, watch, call)
  const costUsd = isFree(outcome, stream.begun()) ? 0 : costIn(stream, costBefore, price)
  // The turn that it was in is in no sum.
  const costPartial = costUsd === undefined || run.ended === 'deadline'
  const record = {
    ...recordOf(model, run, stream, enclosed),
    costUsd,
    // Where it could not say so itself: the CLI counts on from there all the same.
    sessionCostUsd: stream.result()?.total_cost_usd ?? (costBefore ?? 0) + (costUsd ?? 0),
    ...(costPartial ? { costPartial } : {}),
    ...files,
  }
  return { run, stream, tryNextModel, result: { record, ...outcome } }
}

function costIn(stream: ClaudeStream, costBefore = 0, price: Price | undefined): number | undefined {
  const total = stream.result()?.total_cost_usd
  // A conversation that began afresh counts from zero again.
  if (total !== undefined) return total - (costBefore <= total ? costBefore : 0)
  return stream.begun() ? costOf(stream.used(), price) : undefined
}

function recordOf(
  model: string,
  run: RunResult,
  stream: ClaudeStream,
  enclosed: Enclosed | undefined,
): Omit<CallRecord, 'stdoutFile' | 'stderrFile'> {
  const result = stream.result()
  const used = stream.used()
  const notes = [...stream.notes(), ...refusalNotes(enclosed)]
  if (run.leftovers > 0) notes.push(`${run.leftovers} processes were still running at its end and were ended`)
  if (run.ended === 'finished_early' && result) notes.push('it did not end by itself after its result')
  return {
    model,
    modelsTried: [model],
    sessionId: stream.sessionId(),
    inputTokens: used.input,
    cachedTokens: used.cached,
    outputTokens: used.output,
    contextTokens: stream.contextTokens(),
    durationMs: run.durationMs,
    turns: result?.num_turns,
    sandbox: aroundIt(run, enclosed),
    notes,
  }
}
