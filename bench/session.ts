// The session's side: the real command. A small session first, for the cold start; then, with the instance up, the one under
// measurement, so that its time and CPU are those of the work and not of starting a server.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Client, Connection, type WorkflowHandle } from '@temporalio/client'
import { rehearsalEnvironment } from '../rehearsal/environment.ts'
import type { ScriptedModel } from '../rehearsal/model.ts'
import { makeTwelve } from '../rehearsal/twelve.ts'
import { openArtifactStore } from '../src/artifacts/open-artifact-store.ts'
import { getStageNumber } from '../src/domain/session/step-id.ts'
import { type Home, openHome } from '../src/runtime/home/home.ts'
import { findLiveInstance } from '../src/runtime/instance/instance-file.ts'
import { openStore } from '../src/store/open-store.ts'
import type { Store } from '../src/store/store.ts'
import { busyCpuMs } from './machine.ts'

const FIXWRIGHT = join(import.meta.dirname, '..', 'bin', 'fixwright')

export type HistoryEvent = NonNullable<Awaited<ReturnType<WorkflowHandle['fetchHistory']>>['events']>[number]

export interface Bench {
  readonly folder: string
  readonly model: ScriptedModel
}

export interface Measured {
  readonly wallMs: number
  readonly cpuMs: number
}

export interface RecordedCall {
  readonly role: string
  readonly prompt: string
  /** 1-based, of the stage that it belongs to. */
  readonly stage: number
}

export interface SessionMeasured extends Measured {
  readonly calls: readonly RecordedCall[]
  /** From the command to the start of the first CLI process. */
  readonly coldMs: number
  readonly warmMs: number
  readonly history: { readonly events: number; readonly bytes: number; readonly largest: number }
}

/** What a measurement on a settled instance has at hand. */
export interface Running {
  readonly home: Home
  readonly store: Store
  readonly fix: (name: string, issues: number, args?: readonly string[]) => Promise<Fixed>
}

interface Fixed {
  readonly sessionId: string
  readonly startMs: number
  readonly cpuMs: number
}

export async function runSession(bench: Bench, issues: number): Promise<SessionMeasured> {
  return await onInstance(bench, async ({ home, store, fix }, cold) => {
    const { sessionId, startMs, cpuMs } = await fix('session', issues)
    return {
      wallMs: await wallOf(store, sessionId),
      cpuMs,
      coldMs: cold.startMs,
      warmMs: startMs,
      calls: await callsOf(home, store, sessionId),
      history: sizeOf(await historyOf(home, sessionId)),
    }
  })
}

export interface LanesMeasured {
  readonly one: Measured
  readonly many: Measured
  readonly calls: readonly RecordedCall[]
}

/** The same work in one lane and in several. Each issue has a file of its own. */
export async function runLanes(bench: Bench, issues: number, lanes: number): Promise<LanesMeasured> {
  return await onInstance(bench, async ({ home, store, fix }) => {
    const measure = async (name: string, args: readonly string[]) => {
      const { sessionId, cpuMs } = await fix(name, issues, args)
      return { sessionId, measured: { wallMs: await wallOf(store, sessionId), cpuMs } }
    }
    const one = await measure('one-lane', ['--lanes', '1'])
    const many = await measure('lanes', ['--lanes', `${lanes}`])
    return { one: one.measured, many: many.measured, calls: await callsOf(home, store, one.sessionId) }
  })
}

async function wallOf(store: Store, sessionId: string): Promise<number> {
  const events = await store.events.listAll(sessionId)
  const at = (type: string): number => Date.parse(events.find((event) => event.type === type)?.timestamp ?? '')
  return at('fix_session_completed') - at('fix_session_started')
}

export async function onInstance<T>(bench: Bench, use: (at: Running, cold: Fixed) => Promise<T>): Promise<T> {
  const env = environmentOf(bench)
  const home = openHome(env)
  const store = await openStore(home.database)
  try {
    const fix: Running['fix'] = (name, issues, args) => runFix(bench, env, store, { name, issues, args })
    const cold = await fix('cold', 1)
    const up = spawn(FIXWRIGHT, ['up'], { env, stdio: 'ignore' })
    try {
      await until(() => findLiveInstance(home) !== undefined)
      // The first session on a fresh instance still loads code; the one after it is what a person's second one is.
      await fix('settling', 1)
      return await use({ home, store, fix }, cold)
    } finally {
      up.kill('SIGINT')
      await once(up, 'exit')
      await until(() => findLiveInstance(home) === undefined)
    }
  } finally {
    await store.close()
  }
}

export function environmentOf({ folder, model }: Bench): Record<string, string> {
  const { FIXWRIGHT_TEMPORAL_CLI, FIXWRIGHT_CACHE, HOME } = process.env
  return {
    ...rehearsalEnvironment({ url: model.url, home: join(folder, 'agents') }),
    FIXWRIGHT_HOME: join(folder, 'home'),
    FIXWRIGHT_CACHE: FIXWRIGHT_CACHE ?? join(HOME ?? folder, '.cache', 'fixwright'),
    ...(FIXWRIGHT_TEMPORAL_CLI ? { FIXWRIGHT_TEMPORAL_CLI } : {}),
  }
}

async function runFix(
  { folder, model }: Bench,
  env: Record<string, string>,
  store: Store,
  { name, issues, args = [] }: { name: string; issues: number; args?: readonly string[] | undefined },
): Promise<Fixed> {
  const made = makeTwelve(join(folder, name), issues, { apart: args.includes('--lanes') })
  const findings = join(folder, `${name}.json`)
  writeFileSync(findings, JSON.stringify(made.findings))
  model.setScenario(made.scenario)
  const cpuBefore = busyCpuMs()
  const startedAt = Date.now()
  const output = await run(env, ['fix', findings, '--repo', made.repository, '--json', ...args])
  const cpuMs = busyCpuMs() - cpuBefore
  const { session_id: sessionId } = JSON.parse(output) as { session_id: string }
  const first = (await store.events.listAfter(sessionId)).find(({ type }) => type === 'fix_call_started')
  return { sessionId, cpuMs, startMs: Date.parse(first?.timestamp ?? '') - startedAt }
}

async function run(env: Record<string, string>, args: readonly string[]): Promise<string> {
  const child = spawn(FIXWRIGHT, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  const [code] = (await once(child, 'close')) as [number]
  if (code !== 0) throw new Error(`fixwright ${args.join(' ')} ended with ${code}:\n${said}`)
  return output
}

async function callsOf(home: Home, store: Store, sessionId: string): Promise<RecordedCall[]> {
  const artifacts = openArtifactStore(home.artifacts)
  const calls: RecordedCall[] = []
  for (const { key, role, prompt_ref = '' } of await store.agentCalls.listForSession(sessionId)) {
    calls.push({ role, prompt: await artifacts.getText(prompt_ref), stage: getStageNumber(key) ?? 0 })
  }
  return calls
}

export async function historyOf(home: Home, sessionId: string): Promise<readonly HistoryEvent[]> {
  const { address, namespace } = findLiveInstance(home)!
  const connection = await Connection.connect({ address })
  try {
    const client = new Client({ connection, namespace })
    for await (const { workflowId, memo } of client.workflow.list()) {
      if (memo?.sessionId !== sessionId) continue
      const { events } = await client.workflow.getHandle(workflowId).fetchHistory()
      return events ?? []
    }
    throw new Error(`the history of session ${sessionId} is not there`)
  } finally {
    await connection.close()
  }
}

function sizeOf(history: readonly HistoryEvent[]): SessionMeasured['history'] {
  const texts = history.map((event) => JSON.stringify(event))
  const payloads = texts.flatMap((text) => text.match(/"data":"[^"]*"/g) ?? [])
  return {
    events: texts.length,
    bytes: texts.reduce((sum, text) => sum + text.length, 0),
    largest: Math.max(0, ...payloads.map((payload) => Math.floor(((payload.length - 9) * 3) / 4))),
  }
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await delay(20)
}
