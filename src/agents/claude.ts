// Runs the Claude CLI for one call. The prompt goes through standard input; nothing in the repository configures or redirects the CLI;
// the first refusal of the provider decides, not minutes of silent asking; a result that came is used even if the CLI then hangs.
// Costs: the CLI counts on over --resume and --fork-session, so the record holds the difference to `costSoFarUsd` and the new total.
import { randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type RunResult, runProcess } from '../processes/run.ts'
import type { AgentCall, CallRecord, CallResult } from './call.ts'
import { type Attempt, type AttemptResult, alongChain } from './chain.ts'
import { claudeOutcome } from './claude-outcome.ts'
import { type ClaudeStream, readClaudeStream } from './claude-stream.ts'
import { claudeEnvironment } from './environment.ts'
import { asPlainText } from './plain-text.ts'
import { watchRetries } from './provider.ts'

// Tools that make no sense, or harm, in a call that has one answer and a tree of its own.
const NEVER = [
  ...['Workflow', 'ScheduleWakeup', 'CronCreate', 'CronDelete', 'CronList', 'EnterWorktree', 'ExitWorktree'],
  ...['AskUserQuestion', 'SendMessage', 'Monitor', 'RemoteTrigger', 'PushNotification'],
]
const GO_ON =
  'The model that worked on this was interrupted. Go on from where it stopped, finish what is left of the task above, and give the whole answer in the form that was asked for.'
// One argument may have 128 KiB on Linux; the CLI takes the path of a file instead.
const LONGEST_ARGUMENT = 100_000

export async function callClaude(call: AgentCall): Promise<CallResult> {
  return alongChain(call, async (attempt) => {
    const started = await start(call, attempt, conversation(call, attempt))
    if (!started.idInUse) return started
    // The id was used by an attempt that nobody remembers: its conversation is not believed, a new one begins.
    const id = randomUUID()
    const again = await start(call, { ...attempt, nth: attempt.nth + 0.5 }, { id })
    const note = `the session id was in use already; the conversation has the new id ${id}`
    return {
      ...again,
      result: { ...again.result, record: { ...again.result.record, notes: [note, ...again.result.record.notes] } },
    }
  })
}

type Conversation = NonNullable<AgentCall['session']>

/** Where the conversation of an attempt begins: the next model goes on with what the one before it had begun. */
function conversation(call: AgentCall, { previous }: Attempt): Conversation {
  const session = call.session ?? { id: randomUUID() }
  const begunAs = previous?.begun ? previous.result.record.sessionId : undefined
  if (begunAs !== undefined) return { resume: begunAs, fork: false }
  return previous && 'id' in session ? { id: randomUUID() } : session
}

async function start(
  call: AgentCall,
  attempt: Attempt,
  session: Conversation,
): Promise<AttemptResult & { readonly idInUse: boolean }> {
  const goesOn = attempt.previous?.begun === true
  const files = await prepare(call, attempt.nth)
  const env = claudeEnvironment(call.environment, { tmpdir: files.tmpdir, thinkingBudget: call.thinkingBudget })
  const watch = watchRetries({ hasNextModel: attempt.hasNextModel, patienceMs: call.retryPatienceMs })
  const stream = readClaudeStream({
    watch,
    onProgress: call.onProgress,
    model: attempt.model,
    mayRenewToken: env.ANTHROPIC_API_KEY === undefined && env.ANTHROPIC_AUTH_TOKEN === undefined,
  })
  const run = await runProcess({
    command: call.command,
    args: await claudeArguments(call, attempt.model, session, files.agents),
    cwd: call.cwd,
    env,
    input: goesOn ? GO_ON : asPlainText(call.prompt),
    stdoutFile: files.stdout,
    stderrFile: files.stderr,
    deadlineMs: attempt.deadlineMs,
    graceMs: call.graceMs ?? 5_000,
    signal: call.signal,
    marker: call.marker,
    onLine: stream.onLine,
    pidNamespace: call.pidNamespace ?? 'auto',
  })
  if (run.ended === 'cancelled') throw call.signal.reason
  const before = goesOn ? attempt.previous?.result.record.sessionCostUsd : call.costSoFarUsd
  const record = recordOf(attempt.model, run, stream, files, before)
  const outcome = claudeOutcome(run, stream, watch, call)
  return {
    result: { record, ...outcome.outcome },
    tryNextModel: outcome.tryNextModel,
    begun: stream.begun(),
    idInUse: 'id' in session && /already in use/i.test(run.stderr) && stream.result() === undefined,
  }
}

interface Files {
  readonly stdout: string
  readonly stderr: string
  readonly agents: string
  readonly tmpdir: string
}

async function prepare(call: AgentCall, nth: number): Promise<Files> {
  const tmpdir = join(call.scratch, 'tmp')
  await mkdir(tmpdir, { recursive: true })
  return {
    stdout: join(call.scratch, `claude-${nth}.jsonl`),
    stderr: join(call.scratch, `claude-${nth}.stderr`),
    agents: join(call.scratch, 'agents.json'),
    tmpdir,
  }
}

async function claudeArguments(
  call: AgentCall,
  model: string,
  session: Conversation,
  agentsFile: string,
): Promise<readonly string[]> {
  return [
    ...['--print', '--dangerously-skip-permissions', '--output-format', 'stream-json', '--verbose'],
    // The repository's settings, hooks and servers stay out: its settings could redirect the CLI to another endpoint.
    ...['--setting-sources', 'user', '--strict-mcp-config', '--model', model],
    ...('resume' in session
      ? ['--resume', session.resume, ...(session.fork ? ['--fork-session'] : [])]
      : ['--session-id', session.id]),
    ...option('--json-schema', call.schema && JSON.stringify(call.schema)),
    ...option('--agents', call.subagents && (await inlineOrFile(JSON.stringify(call.subagents), agentsFile))),
    ...option('--effort', call.effort),
    ...option('--max-budget-usd', call.maxBudgetUsd?.toString()),
    ...option('--allowedTools', call.tools?.allowed?.join(',')),
    ...['--disallowedTools', [...NEVER, ...(call.tools?.disallowed ?? [])].join(',')],
  ]
}

function option(flag: string, value: string | undefined): readonly string[] {
  return value === undefined || value === '' ? [] : [flag, value]
}

async function inlineOrFile(json: string, file: string): Promise<string> {
  if (json.length < LONGEST_ARGUMENT) return json
  await writeFile(file, json)
  return file
}

function recordOf(
  model: string,
  run: RunResult,
  stream: ClaudeStream,
  files: Files,
  costBefore: number | undefined,
): CallRecord {
  const result = stream.result()
  const total = result?.total_cost_usd
  const tokens = stream.tokens()
  const notes = [...stream.notes()]
  if (run.leftovers > 0) notes.push(`${run.leftovers} processes were still running at its end and were ended`)
  if (run.ended === 'finished_early' && result) notes.push('it did not end by itself after its result')
  return {
    model,
    modelsTried: [model],
    sessionId: stream.sessionId(),
    // A conversation that began afresh counts from zero again.
    costUsd:
      total === undefined ? undefined : total - (costBefore !== undefined && costBefore <= total ? costBefore : 0),
    sessionCostUsd: total,
    inputTokens: tokens?.input,
    outputTokens: tokens?.output,
    durationMs: run.durationMs,
    turns: result?.num_turns,
    stdoutFile: files.stdout,
    stderrFile: files.stderr,
    notes,
  }
}
