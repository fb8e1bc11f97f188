// Runs the Gemini CLI for one call: read-only, without tools, in a folder that holds nothing of the repository. Its exit status is
// the HTTP status of what went wrong, of which eight bits are left, or one of its own; the text says which quota or key it was.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { costOf, type Price, priceOf, tokensIn, type Usage } from '../../domain/budget/prices.ts'
import { type RunResult, runProcess } from '../../platform/processes/run-process.ts'
import type { Enclosed } from '../../platform/sandbox/enter-sandbox.ts'
import type { AgentCall, CallRecord, CallResult } from '../agent-call.ts'
import { howToInstall } from '../cli-version.ts'
import { type Attempt, type AttemptResult, alongChain, type Judged, lessSpent } from '../model-fallback.ts'
import { asPlainText } from '../prompts/escape-slash-command.ts'
import { geminiEnvironment } from '../provider/environment.ts'
import { endedFromOutside, failed, howItEnded, seconds, unusable } from '../provider/process-failure.ts'
import { isFree, oneLine, type RetryWatch, refusalOf, watchRetries } from '../provider/refusals.ts'
import { aroundIt, encloseGemini, refusalNotes } from '../provider/sandbox.ts'
import { compiledGemini } from './compile-cache.ts'
import { type GeminiResult, type GeminiStream, readGeminiStream, usageIn } from './stream.ts'
import { ownGeminiLogin, prepareGeminiFolder } from './working-folder.ts'

// It reads no more of its standard input and says so only on standard error.
const LONGEST_PROMPT = 8 * 2 ** 20
const HTTP_ERRORS = [400, 401, 403, 404, 429, 499, 500, 502, 503, 504]
const NOT_SIGNED_IN = 41
const OPTIONS_REFUSED = [42, 52]

export async function callGemini(call: AgentCall): Promise<CallResult> {
  return alongChain(call, (attempt) => start(call, attempt))
}

export function geminiArguments(model: string): readonly string[] {
  return [
    ...['--output-format', 'stream-json', '--approval-mode', 'plan', '--skip-trust', '-m', model],
    // Names that exist nowhere: neither the operator's servers nor their extensions take part.
    ...['--allowed-mcp-server-names', 'none', '-e', 'none'],
  ]
}

async function start(whole: AgentCall, attempt: Attempt): Promise<AttemptResult> {
  const call = lessSpent(whole, attempt.spent)
  const folder = call.emptyFolder ?? join(call.scratch, 'empty')
  const tmpdir = join(call.scratch, 'tmp')
  await mkdir(tmpdir, { recursive: true })
  const login = await ownGeminiLogin(call.environment)
  await prepareGeminiFolder(folder, {
    models: call.models,
    thinkingBudget: call.thinkingBudget,
    // With another model at hand one second try is enough.
    maxAttempts: attempt.hasNextModel ? 2 : 3,
    authType: login.authType,
  })
  const watch = watchRetries({ hasNextModel: attempt.hasNextModel, patienceMs: call.retryPatienceMs })
  const input = withoutMentions(asPlainText(call.prompt))
  const { onProgress } = call
  const price = priceOf(call.prices ?? [], attempt.model)
  const stream = readGeminiStream({
    ...{ watch, onProgress, price },
    model: attempt.model,
    promptLength: input.length,
    isTooMuch: (usage) => isBeyond(call, usage, price),
  })
  const files = {
    stdoutFile: join(call.scratch, `gemini-${attempt.nth}.jsonl`),
    stderrFile: join(call.scratch, `gemini-${attempt.nth}.stderr`),
  }
  const compiled = await compiledGemini(call)
  const env = { ...login.variables, ...geminiEnvironment(call.environment, { tmpdir, compiled: compiled?.folder }) }
  const enclosed = await encloseGemini(call, { env, cwd: folder })
  const run = await runProcess({
    ...files,
    command: compiled?.program ?? call.command,
    args: geminiArguments(attempt.model),
    cwd: folder,
    env: { ...env, ...enclosed?.environment },
    walls: enclosed?.walls,
    input,
    deadlineMs: attempt.deadlineMs,
    graceMs: call.graceMs ?? 3_000,
    signal: call.signal,
    marker: call.marker,
    onLine: stream.onLine,
    onErrorLine: stream.onErrorLine,
    pidNamespace: call.pidNamespace ?? 'auto',
  }).finally(() => enclosed?.release())
  if (run.ended === 'cancelled') throw call.signal.reason
  const judged =
    Buffer.byteLength(input) > LONGEST_PROMPT
      ? unusable('unreadable', 'the prompt is longer than the 8 MiB that gemini reads')
      : judge(run, stream, watch, call)
  const ran = recordOf(attempt.model, run, stream, files, enclosed)
  const record = { ...ran, ...spentIn(attempt.model, stream, judged, call) }
  return { result: { record, ...judged.outcome }, tryNextModel: judged.tryNextModel, begun: false }
}

/**
 * "@." names the folder itself: the CLI would rewrite the whole prompt around it. A backslash keeps it from being a name;
 * all other names resolve to nothing here and are left as they are.
 */
function withoutMentions(prompt: string): string {
  return prompt.replaceAll(/(?<!\\)@(?=\.)/g, '\\@')
}

function judge(run: RunResult, stream: GeminiStream, watch: RetryWatch, call: AgentCall): Judged {
  if (run.ended === 'not_found')
    return failed({ class: 'infrastructure', lasting: true, detail: howToInstall(call.command, 'gemini') })
  const stopped = stream.stopped()
  if (stopped) return failed(stopped.failure, stopped.tryNextModel)
  const result = stream.result()
  if (result) return fromResult(result, run, stream)
  if (stream.isOver())
    return failed({
      class: 'budget',
      detail: `it had used about ${tokensIn(stream.used())} tokens, which is more than it might`,
    })
  if (run.ended === 'deadline') {
    const trouble = watch.trouble()
    if (trouble) return failed(trouble.failure, trouble.tryNextModel)
    return unusable('timeout', `no answer within ${seconds(call.deadlineMs)}`)
  }
  return withoutResult(run)
}

function fromResult(result: GeminiResult, run: RunResult, stream: GeminiStream): Judged {
  const complaints = stream.complaints().join('; ')
  if (result.error || (run.exitCode !== 0 && run.ended === 'exited')) {
    const said = result.error?.message || complaints || `gemini ended with ${howItEnded(run)}`
    return fromError(said, run)
  }
  const text = stream.text()
  if (text.trim() !== '' && result.status === 'success')
    return { outcome: { kind: 'answered', text }, tryNextModel: false }
  // Its loop detector, its filters and an empty answer all end with status 0.
  return unusable('empty', complaints || 'the answer was empty')
}

function fromError(said: string, run: RunResult): Judged {
  const status = HTTP_ERRORS.find((code) => code % 256 === run.exitCode)
  const tooLong = /token count.*exceeds|prompt is too long|request payload size exceeds/i.test(said)
  const refusal = tooLong ? undefined : refusalOf(status === 400 ? undefined : status, said)
  if (refusal) return failed({ ...refusal.failure, detail: plain(said) }, refusal.tryNextModel)
  if (run.exitCode === NOT_SIGNED_IN) return failed({ class: 'access', detail: plain(said) })
  return unusable('crash', plain(said))
}

function withoutResult(run: RunResult): Judged {
  const how = howItEnded(run)
  if (run.exitCode === NOT_SIGNED_IN)
    return failed({ class: 'access', detail: `gemini is not signed in: run it once, or set GEMINI_API_KEY; ${how}` })
  // Ended by TERM it says nothing more and calls it a success.
  if (endedFromOutside(run) || run.exitCode === 0)
    return failed({ class: 'infrastructure', killed: true, detail: `gemini was ended from outside: ${how}` })
  if (
    (run.exitCode !== null && OPTIONS_REFUSED.includes(run.exitCode)) ||
    /Unknown argument|Invalid values/i.test(run.stderr)
  )
    return failed({
      class: 'infrastructure',
      lasting: true,
      detail: `gemini does not take our options or settings: ${how}`,
    })
  const refusal = refusalOf(undefined, run.stderr)
  if (refusal) return failed(refusal.failure, refusal.tryNextModel)
  return unusable('crash', `gemini ended without a result: ${how}`)
}

function isBeyond({ maxTokens, maxBudgetUsd }: AgentCall, usage: Usage, price: Price | undefined): boolean {
  const cost = costOf(usage, price) ?? 0
  return tokensIn(usage) > (maxTokens ?? Number.POSITIVE_INFINITY) || cost > (maxBudgetUsd ?? Number.POSITIVE_INFINITY)
}

/** "[API Error: {json}]" → what the provider said in it. */
function plain(said: string): string {
  const [, message] = /"message":\s*"((?:[^"\\]|\\.)*)"/.exec(said) ?? []
  return oneLine(message ?? said.replace(/^\[API Error: ?/, '').replace(/\]$/, ''))
}

/** The CLI knows no prices. Where it ended without saying what it used, that is an estimate, and so is what it cost. */
function spentIn(model: string, stream: GeminiStream, judged: Judged, { prices = [] }: AgentCall): Partial<CallRecord> {
  const stats = stream.result()?.stats
  const isFreeOfCost = stats === undefined && isFree(judged.outcome, stream.turns() > 0)
  const used = stats ? usageIn(stats) : stream.used()
  const models = Object.entries(stats?.models ?? {}).map(([name, own]) => ({ name, usage: usageIn(own) }))
  const parts = models.length > 0 ? models : [{ name: model, usage: used }]
  const costs = parts.map(({ name, usage }) => costOf(usage, priceOf(prices, name)))
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

function recordOf(
  model: string,
  run: RunResult,
  stream: GeminiStream,
  files: { readonly stdoutFile: string; readonly stderrFile: string },
  enclosed: Enclosed | undefined,
): CallRecord {
  const stats = stream.result()?.stats
  const answeredBy = Object.keys(stats?.models ?? {})
  const notes: string[] = [...refusalNotes(enclosed)]
  if (answeredBy.length > 0 && !answeredBy.includes(model)) notes.push(`${answeredBy.join(', ')} answered for ${model}`)
  if (run.leftovers > 0) notes.push(`${run.leftovers} processes were still running at its end and were ended`)
  if (run.ended === 'finished_early' && stream.result()) notes.push('it did not end by itself after its result')
  return {
    model,
    modelsTried: [model],
    sessionId: stream.sessionId(),
    durationMs: run.durationMs,
    turns: stream.turns(),
    ...files,
    sandbox: aroundIt(run, enclosed),
    notes,
  }
}
