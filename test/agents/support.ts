// A folder, a scripted model, and a call of a real CLI against it, with an operator's environment as it might be: own HOME,
// keys, and much that is none of the CLI's business. When the test is over nothing that carries the call's marker may live.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import type { TestContext } from 'node:test'
import { cliPaths } from '../../rehearsal/environment.ts'
import { type ScriptedModel, startModel } from '../../rehearsal/model.ts'
import { writePrompt } from '../../rehearsal/prompt.ts'
import type { ScenarioInput } from '../../rehearsal/scenario.ts'
import type { AgentCall, CallResult, Progress } from '../../src/agents/call.ts'
import { callClaude } from '../../src/agents/claude.ts'
import { callGemini } from '../../src/agents/gemini.ts'
import { findMarked, markerOf } from '../../src/processes/marker.ts'

export interface Stage {
  readonly model: ScriptedModel
  readonly folder: string
  readonly work: string
  readonly home: string
  readonly marker: string
  readonly environment: NodeJS.ProcessEnv
  readonly progress: Progress[]
  call(cli: 'claude' | 'gemini', more?: Partial<AgentCall>): Promise<CallResult>
}

const SECRETS = ['GITHUB_TOKEN', 'NPM_TOKEN', 'AWS_SECRET_ACCESS_KEY', 'OPENAI_API_KEY', 'TEMPORAL_API_KEY']

export async function setStage(test: TestContext, scenario: ScenarioInput = {}): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'fixwright-agents-'))
  test.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  const model = await startModel({ scenario })
  test.after(() => model.close())
  const stage = stageOn(model.url, folder)
  test.after(() => assert.deepEqual(findMarked(stage.marker), [], 'a process of the call is left'))
  return { ...stage, model }
}

export function stageOn(url: string, folder: string): Omit<Stage, 'model'> {
  const [work, home] = [join(folder, 'work'), join(folder, 'home')]
  mkdirSync(work, { recursive: true })
  mkdirSync(home, { recursive: true })
  const marker = markerOf(`agents-${process.pid}-${randomUUID()}`, 'call', 1, 'n')
  const progress: Progress[] = []
  const environment = {
    PATH: [dirname(process.execPath), cliPaths().bin, process.env.PATH].join(delimiter),
    HOME: home,
    LANG: 'C.UTF-8',
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'rehearsal',
    GOOGLE_GEMINI_BASE_URL: url,
    GEMINI_API_KEY: 'rehearsal',
    ...Object.fromEntries(SECRETS.map((name) => [name, `secret-of-${name}`])),
  }
  let calls = 0
  function call(cli: 'claude' | 'gemini', more: Partial<AgentCall> = {}): Promise<CallResult> {
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
      signal: new AbortController().signal,
      onProgress: (each) => progress.push(each),
      graceMs: 1_500,
      ...more,
    }
    return cli === 'claude' ? callClaude(full) : callGemini(full)
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

export function failureOf(result: CallResult) {
  assert.equal(result.kind, 'failed', `it answered: ${result.kind === 'answered' ? result.text.slice(0, 200) : ''}`)
  return (result as CallResult & { kind: 'failed' }).failure
}

export function answerOf(result: CallResult) {
  assert.equal(result.kind, 'answered', JSON.stringify(result))
  return result as CallResult & { kind: 'answered' }
}

export async function until(condition: () => boolean, what: string, ms = 20_000): Promise<void> {
  const deadline = performance.now() + ms
  while (!condition()) {
    assert.ok(performance.now() < deadline, `never: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
