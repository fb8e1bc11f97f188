// A temporary folder with a scripted model and the real CLIs in it; everything goes when the test is over.

import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { cliPaths, rehearsalEnvironment } from '../../rehearsal/environment.ts'
import { type ScriptedModel, startModel } from '../../rehearsal/model.ts'
import type { ScenarioInput } from '../../rehearsal/scenario.ts'

export interface CliRun {
  readonly status: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface Stage {
  readonly model: ScriptedModel
  /** The folder that the fixer works in. */
  readonly work: string
  readonly folder: string
  claude(prompt: string, args?: readonly string[]): Promise<CliRun>
  gemini(prompt: string, args?: readonly string[], options?: { cwd?: string }): Promise<CliRun>
}

const REPLY_SCHEMA = JSON.stringify({
  type: 'object',
  properties: {
    results: {
      type: 'array',
      items: {
        type: 'object',
        properties: { issue_code: { type: 'string' }, status: { type: 'string' } },
        required: ['issue_code', 'status'],
      },
    },
  },
  required: ['results'],
})
export const withSchema = ['--json-schema', REPLY_SCHEMA] as const

export function temporaryFolder(test: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'fixwright-rehearsal-'))
  test.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}

export async function setStage(
  test: TestContext,
  scenario: ScenarioInput,
  options: { attempts?: number; logFile?: string; environment?: Readonly<Record<string, string>> } = {},
): Promise<Stage> {
  const folder = temporaryFolder(test)
  const [work, empty] = [join(folder, 'work'), join(folder, 'empty')]
  mkdirSync(work)
  mkdirSync(empty)
  const model = await startModel({ scenario, ...(options.logFile ? { logFile: join(folder, options.logFile) } : {}) })
  test.after(() => model.close())
  const env = {
    ...rehearsalEnvironment({ url: model.url, home: join(folder, 'home'), attempts: options.attempts ?? 2 }),
    ...options.environment,
  }
  const run = (file: string, args: readonly string[], prompt: string, cwd: string) =>
    runCli(test, { file, args, prompt, cwd, env })
  return {
    model,
    work,
    folder,
    claude: (prompt, args = []) =>
      run(
        cliPaths().claude,
        ['--print', '--dangerously-skip-permissions', '--output-format', 'json', ...args],
        prompt,
        work,
      ),
    gemini: (prompt, args = ['--approval-mode', 'plan'], { cwd = empty } = {}) =>
      run(
        cliPaths().gemini,
        ['--output-format', 'json', '--skip-trust', '-m', 'gemini-2.5-flash', ...args],
        prompt,
        cwd,
      ),
  }
}

/** A request as a CLI would make it. */
export async function post(url: string, body: unknown) {
  const answer = await fetch(url, { method: 'POST', body: JSON.stringify(body) })
  return { status: answer.status, headers: answer.headers, body: JSON.parse(await answer.text()) }
}

interface CliCommand {
  readonly file: string
  readonly args: readonly string[]
  readonly prompt: string
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

function runCli(test: TestContext, { file, args, prompt, cwd, env }: CliCommand): Promise<CliRun> {
  const child = spawn(file, args, { cwd, env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] })
  test.after(() => endGroup(child.pid))
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text
    })
  }
  child.stdin.on('error', () => {})
  child.stdin.end(prompt)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (status, signal) => resolve({ status, signal, ...output }))
  })
}

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}
