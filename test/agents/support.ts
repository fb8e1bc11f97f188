// A folder, a scripted model, and a call of a real CLI against it, with an operator's environment as it might be: own HOME,
// keys, and much that is none of the CLI's business. When the test is over nothing that carries the call's marker may live.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { Answer } from '../../rehearsal/answer.ts'
import { anthropicStream } from '../../rehearsal/anthropic.ts'
import { cliPaths } from '../../rehearsal/environment.ts'
import { type ScriptedModel, startModel } from '../../rehearsal/model.ts'
import { writePrompt } from '../../rehearsal/prompt.ts'
import type { ScenarioInput } from '../../rehearsal/scenario.ts'
import { callClaude } from '../../src/agents/claude/call-claude.ts'
import { compactAndCallClaude } from '../../src/agents/claude/compact-conversation.ts'
import { callGemini } from '../../src/agents/gemini/call-gemini.ts'
import type { AgentCall, CallResult, Progress } from '../../src/agents/provider-contract.ts'
import { findMarkedProcesses, formatMarker } from '../../src/platform/processes/marked-processes.ts'
import { resolveCachePath } from '../../src/runtime/home/home.ts'

interface CallOptions extends Partial<AgentCall> {
  readonly compactFirst?: boolean
}

export interface Stage {
  readonly model: ScriptedModel
  readonly folder: string
  readonly work: string
  readonly home: string
  readonly marker: string
  readonly environment: NodeJS.ProcessEnv
  readonly progress: Progress[]
  call(cli: 'claude' | 'gemini', options?: CallOptions): Promise<CallResult>
}

const SECRETS = ['GITHUB_TOKEN', 'NPM_TOKEN', 'AWS_SECRET_ACCESS_KEY', 'OPENAI_API_KEY', 'TEMPORAL_API_KEY']

/** A request of the real Claude CLI to a model that says whatever a test wants it to say. */
export interface Heard {
  /** Of which sub-agent; absent where it is the conversation's own. */
  readonly agent: string | undefined
  /** How often the model has answered in it. */
  readonly turn: number
  readonly tools: readonly string[]
  /** All of the conversation, as JSON. */
  readonly said: string
}

/** For what the scripted model of the rehearsal never does. */
export async function setStageFor(
  test: TestContext,
  answer: (heard: Heard) => Partial<Answer> | Promise<Partial<Answer>>,
): Promise<Omit<Stage, 'model'> & { readonly heard: Heard[] }> {
  const heard: Heard[] = []
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const part of request) text += part
    const body = JSON.parse(text || '{}') as Asked
    const { messages = [], tools = [], model = '' } = body
    const each: Heard = {
      agent: request.headers['x-claude-code-agent-id']?.toString(),
      turn: messages.filter(({ role }) => role === 'assistant').length,
      tools: tools.map(({ name }) => name),
      said: JSON.stringify(messages),
    }
    const id = `of-test-${heard.push(each)}`
    const spoken = { text: '', tools: [], ...(await answer(each)) }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(anthropicStream(spoken, model, body, id).join(''))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const folder = mkdtempSync(join(tmpdir(), 'fixwright-agents-'))
  test.after(() => {
    server.closeAllConnections()
    server.close()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  })
  const stage = stageOn(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, folder)
  test.after(() => assert.deepEqual(findMarkedProcesses(stage.marker), [], 'a process of the call is left'))
  return { ...stage, heard }
}

interface Asked {
  readonly messages?: readonly { readonly role: string }[]
  readonly tools?: readonly { readonly name: string }[]
  readonly model?: string
}

export async function setStage(test: TestContext, scenario: ScenarioInput = {}): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'fixwright-agents-'))
  test.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  const model = await startModel({ scenario })
  test.after(() => model.close())
  const stage = stageOn(model.url, folder)
  test.after(() => assert.deepEqual(findMarkedProcesses(stage.marker), [], 'a process of the call is left'))
  return { ...stage, model }
}

function stageOn(url: string, folder: string): Omit<Stage, 'model'> {
  const [work, home] = [join(folder, 'work'), join(folder, 'home')]
  mkdirSync(work, { recursive: true })
  mkdirSync(home, { recursive: true })
  const marker = formatMarker(`agents-${process.pid}-${randomUUID()}`, 'call', 1, 'n')
  const progress: Progress[] = []
  const environment = {
    PATH: [dirname(process.execPath), cliPaths().bin, process.env.PATH].join(delimiter),
    HOME: home,
    LANG: 'C.UTF-8',
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'a-key-for-rehearsals-only',
    GOOGLE_GEMINI_BASE_URL: url,
    GEMINI_API_KEY: 'a-key-for-rehearsals-only',
    ...Object.fromEntries(SECRETS.map((name) => [name, `secret-of-${name}`])),
  }
  let calls = 0
  function call(cli: 'claude' | 'gemini', { compactFirst, ...more }: CallOptions = {}): Promise<CallResult> {
    calls += 1
    const full: AgentCall = {
      command: cliPaths()[cli],
      prompt: promptFor(cli),
      cwd: work,
      models: [cli === 'claude' ? 'claude-opus-4-5' : 'gemini-2.5-flash'],
      deadlineMs: 60_000,
      marker,
      scratch: join(folder, `call-${calls}`),
      environment,
      compileCache: join(resolveCachePath(process.env), 'gemini'),
      signal: new AbortController().signal,
      onProgress: (each) => progress.push(each),
      graceMs: 1_500,
      ...more,
    }
    if (cli === 'gemini') return callGemini(full)
    return compactFirst ? compactAndCallClaude(full) : callClaude(full)
  }
  return { folder, work, home, marker, environment, progress, call }
}

export function promptFor(cli: 'claude' | 'gemini', more: Readonly<Record<string, unknown>> = {}): string {
  const role = cli === 'claude' ? 'fixer' : 'fix_challenger'
  return writePrompt(
    { role, codes: ['A'] },
    { issues: [{ issue_code: 'A', title: 'a title', file: 'a.txt' }], diff: 'diff --git a/a.txt b/a.txt\n', ...more },
  )
}

/** One way in which a CLI fails, and what is made of it. */
export interface FailureRow {
  readonly title: string
  readonly fault: NonNullable<ScenarioInput['faults']>[number]['fault']
  readonly expected: object
  readonly said?: RegExp
  readonly requests?: number
  readonly more?: Partial<AgentCall>
  readonly environment?: NodeJS.ProcessEnv
}

export function testFailures(cli: 'claude' | 'gemini', rows: readonly FailureRow[]): void {
  for (const { title, fault, expected, said, requests, more, environment: extra } of rows) {
    test(title, async (t) => {
      const { model, call, environment } = await setStage(t, { faults: [{ match: {}, fault }] })
      const result = await call(cli, { environment: { ...environment, ...extra }, ...more })
      const { detail, ...failure } = failureOf(result)
      assert.deepEqual(failure, expected, detail)
      if (said) assert.match(detail, said)
      assert.ok(!detail.includes('\n') && detail.length > 5, detail)
      if (requests !== undefined) assert.equal(model.calls().length, requests)
    })
  }
}

export function failureOf(result: CallResult) {
  assert.equal(result.kind, 'failed', `it answered: ${result.kind === 'answered' ? result.text.slice(0, 200) : ''}`)
  return (result as CallResult & { kind: 'failed' }).failure
}

export function answerOf(result: CallResult) {
  assert.equal(result.kind, 'answered', JSON.stringify(result))
  return result as CallResult & { kind: 'answered' }
}
