// Runs the Claude CLI once: a process from start to end, its outcome, and its report. The first refusal of the provider decides instead
// of minutes of silent retries, and a result that came is used even if the CLI then hangs.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { computeCost, findPrice, type Price } from '../../domain/budget/prices.ts'
import { type RunResult, runProcess } from '../../platform/processes/run-process.ts'
import type { EnteredSandbox } from '../../platform/sandbox/enter-sandbox.ts'
import type { AgentCall, CallResult, CliCallReport } from '../agent-call.ts'
import type { ModelOutcome } from '../model-fallback.ts'
import { isUnbilled, watchRetries } from '../provider/classify-refusal.ts'
import { describeRefusals, enterClaudeSandbox, getSandboxLevel } from '../provider/enter-cli-sandbox.ts'
import { buildClaudeEnvironment } from '../provider/environment.ts'
import { buildClaudeArguments, type ClaudeConversation } from './arguments.ts'
import { classifyClaudeRun } from './outcome.ts'
import { type ClaudeStream, readClaudeStream } from './stream.ts'

export interface ClaudeRunOptions {
  /** Part of the names of its output files. */
  readonly name: string
  readonly model: string
  readonly session: ClaudeConversation
  /** All of standard input. A slash at its beginning makes it a command of the CLI. */
  readonly input: string
  readonly deadlineMs: number
  readonly hasNextModel: boolean
  /** The conversation's cost before this run. */
  readonly costBefore: number | undefined
}

export interface ClaudeRunResult extends Pick<ModelOutcome, 'tryNextModel'> {
  readonly run: RunResult
  readonly stream: ClaudeStream
  readonly result: CallResult
}

export async function runClaudeProcess(call: AgentCall, asked: ClaudeRunOptions): Promise<ClaudeRunResult> {
  const { name, model, session, costBefore } = asked
  const tmpdir = join(call.scratch, 'tmp')
  await mkdir(tmpdir, { recursive: true })
  const files = {
    stdoutFile: join(call.scratch, `claude-${name}.jsonl`),
    stderrFile: join(call.scratch, `claude-${name}.stderr`),
  }
  const agentsFile = join(call.scratch, 'agents.json')
  const args = await buildClaudeArguments(call, { model, session, agentsFile })
  const env = buildClaudeEnvironment(call.environment, { tmpdir, thinkingBudget: call.thinkingBudget })
  const enclosed = await enterClaudeSandbox(call, { env, cwd: call.cwd, agentsFile })
  const price = findPrice(call.prices ?? [], model)
  const watch = watchRetries({ hasNextModel: asked.hasNextModel, patienceMs: call.maxRetryWaitMs })
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
    bubblewrap: enclosed?.bubblewrap,
    stdin: asked.input,
    deadlineMs: asked.deadlineMs,
    graceMs: call.graceMs ?? 5_000,
    signal: call.signal,
    marker: call.marker,
    onLine: stream.onLine,
    pidNamespace: call.pidNamespace ?? 'auto',
    // On INT the CLI reports its cost if a tool is running, but not while it waits for an answer.
    endsOnInterrupt: true,
  }).finally(() => enclosed?.release())
  if (run.ended === 'cancelled') throw call.signal.reason
  const { outcome, tryNextModel } = classifyClaudeRun(run, stream, watch, call)
  const costUsd = isUnbilled(outcome, stream.hasBegun()) ? 0 : computeRunCost(stream, costBefore, price)
  // The cost of the interrupted turn is in no sum.
  const costPartial = costUsd === undefined || run.ended === 'deadline'
  const record = {
    ...buildCallReport(model, run, stream, enclosed),
    costUsd,
    // If the CLI reported no total, this estimate stands in: the CLI counts on from its own total in any case.
    conversationCostUsd: stream.result()?.total_cost_usd ?? (costBefore ?? 0) + (costUsd ?? 0),
    ...(costPartial ? { costPartial } : {}),
    ...files,
  }
  return { run, stream, tryNextModel, result: { report: record, ...outcome } }
}

/** The CLI counts on over --resume and --fork-session, so the cost of a run is the difference to the total before. */
function computeRunCost(stream: ClaudeStream, costBefore = 0, price: Price | undefined): number | undefined {
  const total = stream.result()?.total_cost_usd
  // The total of a conversation that began afresh starts at zero again.
  if (total !== undefined) return total - (costBefore <= total ? costBefore : 0)
  return stream.hasBegun() ? computeCost(stream.usage(), price) : undefined
}

function buildCallReport(
  model: string,
  run: RunResult,
  stream: ClaudeStream,
  enclosed: EnteredSandbox | undefined,
): Omit<CliCallReport, 'stdoutFile' | 'stderrFile'> {
  const result = stream.result()
  const used = stream.usage()
  const notes = [...stream.notes(), ...describeRefusals(enclosed)]
  if (run.leftovers > 0) notes.push(`${run.leftovers} processes were still running at its end and were ended`)
  if (run.ended === 'finished_early' && result) notes.push('it did not end by itself after its result')
  return {
    model,
    modelsTried: [model],
    conversationId: stream.conversationId(),
    inputTokens: used.input,
    cachedTokens: used.cached,
    outputTokens: used.output,
    contextTokens: stream.contextTokens(),
    durationMs: run.durationMs,
    turns: result?.num_turns,
    sandbox: getSandboxLevel(run, enclosed),
    notes,
  }
}
