// Starts Claude for one agent call: over its chain of models, in a new, resumed or forked conversation, each run a process. The next model
// goes on with what the one before it had begun.
import { randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { computeCost, findPrice, type Price } from '../../domain/budget/prices.ts'
import { type RunResult, runProcess } from '../../platform/processes/run-process.ts'
import type { EnteredSandbox } from '../../platform/sandbox/enter-sandbox.ts'
import {
  type ModelAttempt,
  type ModelAttemptResult,
  type ModelOutcome,
  remainingBudget,
  tryModels,
} from '../model-fallback.ts'
import { escapeSlashCommand } from '../prompts/render-prompt.ts'
import { isUnbilled, watchRetries } from '../provider/classify-api-error.ts'
import { describeRefusals, getSandboxLevel } from '../provider/enter-cli-sandbox.ts'
import type { AgentCall, CallResult, CliCallReport } from '../provider-contract.ts'
import { classifyClaudeRun } from './classify-run.ts'
import { enterClaudeEnvironment } from './environment.ts'
import { type ClaudeStream, readClaudeStream } from './read-stream.ts'

const CONTINUE_PROMPT =
  'The model that worked on this was interrupted. Go on from where it stopped, finish what is left of the task above, and give the whole answer in the form that was asked for.'

export async function callClaude(call: AgentCall): Promise<CallResult> {
  return await tryModels(call, async (attempt) => {
    const started = await runAttempt(call, attempt, chooseConversation(call, attempt))
    if (!started.idInUse) return started
    // An attempt that nobody remembers used this id. Its conversation can't be trusted, so a new one begins.
    const id = randomUUID()
    const again = await runAttempt(call, { ...attempt, nth: attempt.nth + 0.5 }, { id })
    const note = `the session id was in use already; the conversation has the new id ${id}`
    return {
      ...again,
      result: { ...again.result, report: { ...again.result.report, notes: [note, ...again.result.report.notes] } },
    }
  })
}

function chooseConversation(call: AgentCall, { previous }: ModelAttempt): ClaudeConversation {
  const session = call.conversation ?? { id: randomUUID() }
  const begunAs = previous?.hasBegun ? previous.result.report.conversationId : undefined
  if (begunAs !== undefined) return { resume: begunAs, fork: false }
  return previous && 'id' in session ? { id: randomUUID() } : session
}

async function runAttempt(
  call: AgentCall,
  { model, nth, deadlineMs, hasNextModel, previous, spent }: ModelAttempt,
  session: ClaudeConversation,
): Promise<ModelAttemptResult & { readonly idInUse: boolean }> {
  const goesOn = previous?.hasBegun === true
  const { result, tryNextModel, stream, run } = await runClaudeProcess(remainingBudget(call, spent), {
    name: `${nth}`,
    model,
    session,
    input: goesOn ? CONTINUE_PROMPT : escapeSlashCommand(call.prompt),
    deadlineMs,
    hasNextModel,
    costBefore: goesOn ? previous.result.report.conversationCostUsd : call.conversationCostUsd,
  })
  return {
    result,
    tryNextModel,
    hasBegun: stream.hasBegun(),
    idInUse: 'id' in session && /already in use/i.test(run.stderr) && stream.result() === undefined,
  }
}

type ClaudeConversation = NonNullable<AgentCall['conversation']>

interface ClaudeRunOptions {
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

/**
 * Runs the CLI once. The first error of the provider's API decides instead of minutes of silent retries, and a result that came is used
 * even if the CLI then hangs.
 */
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
  const { env, enclosed } = await enterClaudeEnvironment(call, { tmpdir, agentsFile })
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
    env,
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

/** Tools that make no sense for one answer and a tree of its own. The one for sub-agents is refused by parameter. */
const DISALLOWED_TOOLS = [
  ...['Workflow', 'ScheduleWakeup', 'CronCreate', 'CronDelete', 'CronList', 'EnterWorktree', 'ExitWorktree'],
  ...['AskUserQuestion', 'SendMessage', 'Monitor', 'RemoteTrigger', 'PushNotification'],
  // The work of a sub-agent in a worktree of its own, or on another machine, never reaches this tree.
  'Agent(isolation:*)',
]
// One argument may have 128 KiB on Linux. The CLI accepts the path of a file instead.
const MAX_ARGUMENT_LENGTH = 100_000

/** The flags of one run. Nothing in the repository configures the CLI. */
export async function buildClaudeArguments(
  call: Omit<AgentCall, 'prompt'>,
  {
    model,
    session,
    agentsFile,
  }: { readonly model: string; readonly session: ClaudeConversation; readonly agentsFile: string },
): Promise<readonly string[]> {
  const { schema, subagents, tools, readableFolders = [] } = call
  return [
    ...['--print', '--dangerously-skip-permissions', '--output-format', 'stream-json', '--verbose'],
    // The repository's settings, hooks and servers stay out: its settings could redirect the CLI to another endpoint.
    ...['--setting-sources', 'user', '--strict-mcp-config', '--model', model],
    ...('resume' in session
      ? ['--resume', session.resume, ...(session.fork ? ['--fork-session'] : [])]
      : ['--session-id', session.id]),
    ...optionalFlag('--json-schema', schema && JSON.stringify(schema)),
    ...optionalFlag('--agents', subagents && (await writeIfTooLong(JSON.stringify(subagents), agentsFile))),
    ...optionalFlag('--effort', call.effort),
    ...optionalFlag('--max-budget-usd', call.maxBudgetUsd?.toFixed(6)),
    ...readableFolders.flatMap((folder) => ['--add-dir', folder]),
    ...(tools?.only === undefined ? [] : ['--tools', tools.only.join(',')]),
    ...optionalFlag('--allowedTools', tools?.allowed?.join(',')),
    ...['--disallowedTools', [...DISALLOWED_TOOLS, ...(tools?.disallowed ?? [])].join(',')],
  ]
}

function optionalFlag(flag: string, value: string | undefined): readonly string[] {
  return value === undefined || value === '' ? [] : [flag, value]
}

async function writeIfTooLong(json: string, file: string): Promise<string> {
  if (json.length < MAX_ARGUMENT_LENGTH) return json
  await writeFile(file, json)
  return file
}
