// Plays sessions through the terminal's own door, `bin/fixwright fix`, two at a time, in a home of their own.
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { FixSessionResult } from '../src/domain/session/session.ts'
import { isRunning } from '../src/platform/processes/process-identity.ts'
import { openHome } from '../src/runtime/home/home.ts'
import { findLiveInstance } from '../src/runtime/instance/instance-file.ts'
import type { EvalCase } from './cases.ts'
import { type Judged, judgeCases } from './judge-cases.ts'
import { listFindings, makeRepository } from './stage-cases.ts'

const FIXWRIGHT = join(import.meta.dirname, '..', 'bin', 'fixwright')
const SESSIONS_AT_ONCE = 2
const INSTANCE_END_MS = 60_000

export interface PlannedSession {
  /** Unique among the sessions of a run. */
  readonly name: string
  readonly cases: readonly EvalCase[]
  /** The fixer's model; the settings' own by default. */
  readonly model?: string | undefined
}

export interface PlayedSession extends PlannedSession {
  readonly judged: readonly Judged[]
  readonly result: FixSessionResult | undefined
  readonly seconds: number
}

export interface Playground {
  readonly folder: string
  readonly environment: NodeJS.ProcessEnv
  /** Further options of `fix`. */
  readonly options: readonly string[]
  readonly say: (text: string) => void
  /** No further session begins after it. */
  readonly signal: AbortSignal
}

export async function playSessions(at: Playground, planned: readonly PlannedSession[]): Promise<PlayedSession[]> {
  const played: PlayedSession[] = []
  const waiting = [...planned]
  const playNext = async (): Promise<void> => {
    for (let next = waiting.shift(); next && !at.signal.aborted; next = waiting.shift()) {
      const session = await playSession(at, next)
      played.push(session)
      at.say(`${played.length} of ${planned.length} sessions · ${session.name} · ${session.seconds.toFixed(0)} s`)
    }
  }
  await Promise.all(Array.from({ length: SESSIONS_AT_ONCE }, playNext))
  await untilInstanceEnded(at)
  return planned.flatMap(({ name }) => played.find((each) => each.name === name) ?? [])
}

async function playSession(at: Playground, planned: PlannedSession): Promise<PlayedSession> {
  const repository = join(at.folder, planned.name.replaceAll(/[^\w.-]+/g, '-'))
  makeRepository(repository, planned.cases)
  const findings = `${repository}.json`
  writeFileSync(findings, JSON.stringify({ issues: listFindings(planned.cases) }))
  const models = planned.model === undefined ? [] : ['--set', `claude.models=${planned.model}`]
  const startedAt = performance.now()
  const { stdout, stderr } = await run(at, ['fix', findings, '--repo', repository, '--json', ...models, ...at.options])
  const seconds = (performance.now() - startedAt) / 1000
  const result = parseResult(stdout)
  if (!result) at.say(`${planned.name} has no result:\n${stderr.trim()}`)
  return { ...planned, result, seconds, judged: await judgeCases(planned.cases, repository, result) }
}

/** The instance ends a moment after its last command. */
async function untilInstanceEnded({ environment }: Playground): Promise<void> {
  const home = openHome(environment)
  const instance = findLiveInstance(home)?.identity
  const deadline = performance.now() + INSTANCE_END_MS
  while (instance && isRunning(instance) && performance.now() < deadline) await delay(50)
}

function parseResult(stdout: string): FixSessionResult | undefined {
  try {
    const parsed = FixSessionResult.safeParse(JSON.parse(stdout))
    return parsed.success ? parsed.data : undefined
  } catch {
    return undefined
  }
}

async function run(
  { environment: env }: Playground,
  args: readonly string[],
): Promise<{ stdout: string; stderr: string }> {
  const child = spawn(FIXWRIGHT, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  await new Promise((resolve) => child.once('close', resolve))
  return { stdout, stderr }
}
