// Runs the Gemini CLI for one call: read-only, in a folder that holds nothing of the repository. It has no tools, or some that read a tree.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { computeCost, countTokens, findPrice, type Price, type TokenUsage } from '../../domain/budget/prices.ts'
import { type RunResult, runProcess } from '../../platform/processes/run-process.ts'
import type { EnteredSandbox } from '../../platform/sandbox/enter-sandbox.ts'
import { installHint } from '../cli-version.ts'
import {
  type ModelAttempt,
  type ModelAttemptResult,
  type ModelOutcome,
  remainingBudget,
  tryModels,
} from '../model-fallback.ts'
import { escapeSlashCommand } from '../prompts/render-prompt.ts'
import {
  classifyApiError,
  isUnbilled,
  type RetryWatch,
  summarizeOnOneLine,
  watchRetries,
} from '../provider/classify-api-error.ts'
import { describeRefusals, getSandboxLevel } from '../provider/enter-cli-sandbox.ts'
import {
  describeExit,
  failedOutcome,
  formatSeconds,
  unusableOutcome,
  wasKilledExternally,
} from '../provider/process-failure.ts'
import type { AgentCall, CallResult, CliCallReport } from '../provider-contract.ts'
import { ensureCompiledGemini } from './compile-cache.ts'
import { enterGeminiEnvironment } from './environment.ts'
import { type GeminiResult, type GeminiStream, readGeminiStream, toGeminiUsage } from './read-stream.ts'
import { prepareGeminiFolder, readGeminiLogin } from './working-folder.ts'

// The CLI reads no more of its standard input, and only says so on standard error.
const MAX_PROMPT_BYTES = 8 * 2 ** 20
// The exit status is a status of the CLI's own, or the HTTP status of the failure modulo 256.
const HTTP_ERRORS = [400, 401, 403, 404, 429, 499, 500, 502, 503, 504]
const NOT_SIGNED_IN_STATUS = 41
const OPTIONS_REFUSED_STATUSES = [42, 52]

export async function callGemini(call: AgentCall): Promise<CallResult> {
  return tryModels(call, (attempt) => runAttempt(call, attempt))
}

export function buildGeminiArguments(model: string, readableTree?: string): readonly string[] {
  return [
    ...['--output-format', 'stream-json', '--approval-mode', 'plan', '--skip-trust', '-m', model],
    // Names that exist nowhere keep the operator's servers and extensions out.
    ...['--allowed-mcp-server-names', 'none', '-e', 'none'],
    ...(readableTree === undefined ? [] : ['--include-directories', readableTree]),
  ]
}

async function runAttempt(whole: AgentCall, attempt: ModelAttempt): Promise<ModelAttemptResult> {
  const call = remainingBudget(whole, attempt.spent)
  const folder = call.workingFolder ?? join(call.scratch, 'empty')
  const tmpdir = join(call.scratch, 'tmp')
  await mkdir(tmpdir, { recursive: true })
  const login = await readGeminiLogin(call.environment)
  await prepareGeminiFolder(folder, {
    models: call.models,
    thinkingBudget: call.thinkingBudget,
    // If there is another model, one retry is enough.
    maxAttempts: attempt.hasNextModel ? 2 : 3,
    authType: login.authType,
    reads: call.readableTree !== undefined,
  })
  const watch = watchRetries({ hasNextModel: attempt.hasNextModel, patienceMs: call.maxRetryWaitMs })
  const input = escapeFolderMentions(escapeSlashCommand(call.prompt))
  const { onProgress } = call
  const price = findPrice(call.prices ?? [], attempt.model)
  const stream = readGeminiStream({
    ...{ watch, onProgress, price },
    model: attempt.model,
    promptLength: input.length,
    isTooMuch: (usage) => exceedsLimits(call, usage, price),
  })
  const files = {
    stdoutFile: join(call.scratch, `gemini-${attempt.nth}.jsonl`),
    stderrFile: join(call.scratch, `gemini-${attempt.nth}.stderr`),
  }
  const compiled = await ensureCompiledGemini(call)
  const { env, enclosed } = await enterGeminiEnvironment(call, {
    ...{ tmpdir, cwd: folder },
    compiled: compiled?.folder,
    variables: login.variables,
  })
  const run = await runProcess({
    ...files,
    command: compiled?.command ?? call.command,
    args: [...(compiled?.args ?? []), ...buildGeminiArguments(attempt.model, call.readableTree)],
    cwd: folder,
    env,
    bubblewrap: enclosed?.bubblewrap,
    stdin: input,
    deadlineMs: attempt.deadlineMs,
    graceMs: call.graceMs ?? 3_000,
    signal: call.signal,
    marker: call.marker,
    onLine: stream.onLine,
    onErrorLine: stream.onErrorLine,
    pidNamespace: call.pidNamespace ?? 'auto',
  }).finally(() => enclosed?.release())
  if (run.ended === 'cancelled') throw call.signal.reason
  const classified =
    Buffer.byteLength(input) > MAX_PROMPT_BYTES
      ? unusableOutcome('unreadable', 'the prompt is longer than the 8 MiB that gemini reads')
      : classifyGeminiRun(run, stream, watch, call)
  const ran = buildCallReport(attempt.model, run, stream, files, enclosed)
  const record = { ...ran, ...computeSpending(attempt.model, stream, classified, call) }
  return { result: { report: record, ...classified.outcome }, tryNextModel: classified.tryNextModel, hasBegun: false }
}

/** The CLI takes "@." for its folder and would rewrite the whole prompt around it. Other names resolve to nothing here. */
function escapeFolderMentions(prompt: string): string {
  return prompt.replaceAll(/(?<!\\)@(?=\.)/g, '\\@')
}

function classifyGeminiRun(run: RunResult, stream: GeminiStream, watch: RetryWatch, call: AgentCall): ModelOutcome {
  if (run.ended === 'not_found')
    return failedOutcome({ class: 'infrastructure', lasting: true, detail: installHint(call.command, 'gemini') })
  const stopped = stream.stopError()
  if (stopped) return failedOutcome(stopped.failure, stopped.tryNextModel)
  const result = stream.result()
  if (result) return classifyResult(result, run, stream)
  if (stream.isOverBudget())
    return failedOutcome({
      class: 'budget',
      detail: `it had used about ${countTokens(stream.usage())} tokens, which is more than it might`,
    })
  if (run.ended === 'deadline') {
    const apiError = watch.currentError()
    if (apiError) return failedOutcome(apiError.failure, apiError.tryNextModel)
    return unusableOutcome('timeout', `no answer within ${formatSeconds(call.deadlineMs)}`)
  }
  return classifyMissingResult(run)
}

function classifyResult(result: GeminiResult, run: RunResult, stream: GeminiStream): ModelOutcome {
  const complaints = stream.complaints().join('; ')
  if (result.error || (run.exitCode !== 0 && run.ended === 'exited')) {
    const problem = result.error?.message || complaints || `gemini ended with ${describeExit(run)}`
    return classifyError(problem, run)
  }
  const text = stream.text()
  if (text.trim() !== '' && result.status === 'success')
    return { outcome: { kind: 'answered', text }, tryNextModel: false }
  // The CLI's filters and an empty answer end with status 0, too.
  return unusableOutcome('empty', complaints || 'the answer was empty')
}

function classifyError(problem: string, run: RunResult): ModelOutcome {
  const status = HTTP_ERRORS.find((code) => code % 256 === run.exitCode)
  const tooLong = /token count.*exceeds|prompt is too long|request payload size exceeds/i.test(problem)
  const apiError = tooLong ? undefined : classifyApiError(status === 400 ? undefined : status, problem)
  if (apiError)
    return failedOutcome({ ...apiError.failure, detail: extractErrorMessage(problem) }, apiError.tryNextModel)
  if (run.exitCode === NOT_SIGNED_IN_STATUS)
    return failedOutcome({ class: 'access', detail: extractErrorMessage(problem), credentials: true })
  return unusableOutcome('crash', extractErrorMessage(problem))
}

function classifyMissingResult(run: RunResult): ModelOutcome {
  const how = describeExit(run)
  if (run.exitCode === NOT_SIGNED_IN_STATUS)
    return failedOutcome({
      class: 'access',
      detail: `gemini is not signed in: run it once, or set GEMINI_API_KEY; ${how}`,
      credentials: true,
    })
  // On TERM the CLI ends without a result, with status 0.
  if (wasKilledExternally(run) || run.exitCode === 0)
    return failedOutcome({ class: 'infrastructure', killed: true, detail: `gemini was ended from outside: ${how}` })
  if (
    (run.exitCode !== null && OPTIONS_REFUSED_STATUSES.includes(run.exitCode)) ||
    /Unknown argument|Invalid values/i.test(run.stderr)
  )
    return failedOutcome({
      class: 'infrastructure',
      lasting: true,
      detail: `gemini does not take our options or settings: ${how}`,
    })
  const apiError = classifyApiError(undefined, run.stderr)
  if (apiError) return failedOutcome(apiError.failure, apiError.tryNextModel)
  return unusableOutcome('crash', `gemini ended without a result: ${how}`)
}

function exceedsLimits({ maxTokens, maxBudgetUsd }: AgentCall, usage: TokenUsage, price: Price | undefined): boolean {
  const cost = computeCost(usage, price) ?? 0
  return (
    countTokens(usage) > (maxTokens ?? Number.POSITIVE_INFINITY) || cost > (maxBudgetUsd ?? Number.POSITIVE_INFINITY)
  )
}

/** Extracts the provider's message from "[API Error: {json}]". */
function extractErrorMessage(problem: string): string {
  const [, message] = /"message":\s*"((?:[^"\\]|\\.)*)"/.exec(problem) ?? []
  return summarizeOnOneLine(message ?? problem.replace(/^\[API Error: ?/, '').replace(/\]$/, ''))
}

/** The CLI knows no prices. If it ended without reporting its use, use and cost are estimates. */
function computeSpending(
  model: string,
  stream: GeminiStream,
  classified: ModelOutcome,
  { prices = [] }: AgentCall,
): Partial<CliCallReport> {
  const stats = stream.result()?.stats
  const isFreeOfCost = stats === undefined && isUnbilled(classified.outcome, stream.turns() > 0)
  const used = stats ? toGeminiUsage(stats) : stream.usage()
  const models = Object.entries(stats?.models ?? {}).map(([name, own]) => ({ name, usage: toGeminiUsage(own) }))
  const parts = models.length > 0 ? models : [{ name: model, usage: used }]
  const costs = parts.map(({ name, usage }) => computeCost(usage, findPrice(prices, name)))
  const isPartial = costs.includes(undefined) || (stats === undefined && !isFreeOfCost)
  const known = costs.filter((cost) => cost !== undefined)
  return {
    ...(known.length > 0 ? { costUsd: known.reduce((sum, cost) => sum + cost, 0) } : {}),
    ...(isPartial ? { costPartial: true } : {}),
    inputTokens: used.input,
    cachedTokens: used.cached,
    outputTokens: used.output,
  }
}

function buildCallReport(
  model: string,
  run: RunResult,
  stream: GeminiStream,
  files: { readonly stdoutFile: string; readonly stderrFile: string },
  enclosed: EnteredSandbox | undefined,
): CliCallReport {
  const stats = stream.result()?.stats
  const answeredBy = Object.keys(stats?.models ?? {})
  const notes: string[] = [...describeRefusals(enclosed)]
  if (answeredBy.length > 0 && !answeredBy.includes(model)) notes.push(`${answeredBy.join(', ')} answered for ${model}`)
  if (run.leftovers > 0) notes.push(`${run.leftovers} processes were still running at its end and were ended`)
  if (run.ended === 'finished_early' && stream.result()) notes.push('it did not end by itself after its result')
  return {
    model,
    modelsTried: [model],
    conversationId: stream.conversationId(),
    durationMs: run.durationMs,
    turns: stream.turns(),
    ...files,
    sandbox: getSandboxLevel(run, enclosed),
    notes,
  }
}
