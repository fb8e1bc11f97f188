// The scripted model: one server on loopback that speaks Anthropic's and Gemini's APIs, so that the real CLIs work without an
// account. What it says follows from the scenario and the request alone (conversation.ts), so it may be killed and started again.
// Gap: how often each fault has matched is in memory and starts again with the process.
//
// As a program: node rehearsal/model.ts --scenario FILE [--port P] [--latency MS] [--log FILE]

import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type Answer, decide, spoil } from './answer.ts'
import { anthropicError, anthropicMessage, anthropicStream } from './anthropic.ts'
import { createRecord, type Outcome, type RecordedCall } from './calls.ts'
import type { Provider } from './conversation.ts'
import { createFaultCounter, type Match, type Misbehaviour } from './faults.ts'
import { geminiError, geminiResponse, geminiStream } from './gemini.ts'
import { readScenario, Scenario, type ScenarioInput } from './scenario.ts'
import { tokens } from './wire.ts'

export interface ModelOptions {
  readonly scenario: ScenarioInput
  readonly port?: number
  readonly latencyMs?: number
  readonly logFile?: string
}

export interface ScriptedModel {
  readonly url: string
  readonly port: number
  calls(): RecordedCall[]
  /** Resolves when a request like that has arrived (the `nth` of them), also when it is held or hangs. */
  waitFor(match: Match): Promise<RecordedCall>
  /** Lets requests held under that name go on, now and later. */
  release(name?: string): void
  setScenario(scenario: ScenarioInput): void
  close(): Promise<void>
}

interface Route {
  readonly provider: Provider
  readonly action: 'generate' | 'count' | 'models'
  readonly stream: boolean
  readonly model: string
}

const HOLD_POLL_MS = 25

export async function startModel(options: ModelOptions): Promise<ScriptedModel> {
  let scenario = Scenario.parse(options.scenario)
  let strike = createFaultCounter(scenario.faults)
  const released = new Set<string>()
  const record = createRecord(options.logFile)
  const latencyMs = options.latencyMs ?? 0

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      response.destroy(error instanceof Error ? error : undefined)
    })
  })

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request)
    const route = readRoute(request.url ?? '/', body)
    if (!route || request.method !== 'POST' || route.action !== 'generate')
      return sendJson(response, ...aside(route, body))

    const { call, reply, answer: right } = decide(scenario, route.provider, body)
    const step = call?.turnsSince.filter((turn) => turn.by === 'model').length ?? 0
    const role = call?.call.role ?? 'auxiliary'
    const about = {
      provider: route.provider,
      model: route.model,
      role,
      codes: call?.call.codes ?? [],
      iteration: call?.call.iteration ?? 1,
      purpose: call?.call.purpose,
      reply: reply !== undefined,
    }
    const session = request.headers['x-claude-code-session-id']?.toString()
    const agent = request.headers['x-claude-code-agent-id']?.toString()
    const n = record.start({ ...about, call: call?.call.call, step, session, agent, path: request.url ?? '', body })
    const fault = strike({ ...about, first: step === 0 })
    const said: Outcome['said'] = fault ? `fault:${fault.kind}` : !call ? 'auxiliary' : reply ? 'reply' : 'tools'
    response.once('close', () => {
      const { headersSent, statusCode: status, writableFinished } = response
      record.end(n, { status: headersSent ? status : undefined, said, ended: writableFinished ? 'whole' : 'left' })
    })
    await sleep(scenario.latencyMs[role] ?? latencyMs)
    const spoken = fault?.kind === 'text' && reply ? spoil(reply, fault.preset, fault.text, body) : right
    await deliver(response, route, body, spoken, fault, () => {
      record.end(n, { status: 200, said, ended: 'cut' })
    })
  }

  async function deliver(
    response: ServerResponse,
    route: Route,
    body: unknown,
    spoken: Answer,
    fault: Misbehaviour | undefined,
    onCut: () => void,
  ): Promise<void> {
    if (fault?.kind === 'hang') return
    if (fault?.kind === 'http') return sendError(response, route, fault)
    if (fault?.kind === 'slow') await sleep(fault.ms)
    if (fault?.kind === 'hold') await held(fault, response)
    if (!route.stream) return sendJson(response, 200, whole(route, spoken, body))

    const chunks = stream(route, spoken, body)
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
    if (fault?.kind === 'stall' || fault?.kind === 'cut') {
      const half = halfOf(chunks)
      await new Promise<void>((done) => response.write(half, () => done()))
      if (fault.kind === 'stall') return
      onCut()
      response.destroy()
      return
    }
    for (const chunk of chunks) {
      response.write(chunk)
      if (fault?.kind === 'drip') await sleep(fault.ms)
    }
    response.end()
  }

  async function held(fault: Misbehaviour & { kind: 'hold' }, response: ServerResponse): Promise<void> {
    while (!released.has(fault.name) && !(fault.file && existsSync(fault.file)) && !response.destroyed) {
      await sleep(HOLD_POLL_MS)
    }
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port ?? 0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    calls: record.calls,
    waitFor: record.waitFor,
    release: (name = 'hold') => void released.add(name),
    setScenario(next) {
      scenario = Scenario.parse(next)
      strike = createFaultCounter(scenario.faults)
      released.clear()
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function readRoute(url: string, body: unknown): Route | undefined {
  const { pathname } = new URL(url, 'http://loopback')
  const gemini = /\/models\/([^/:]+):(streamGenerateContent|generateContent|countTokens)$/.exec(pathname)
  if (gemini) {
    const [, model = '', method] = gemini
    const action = method === 'countTokens' ? 'count' : 'generate'
    return { provider: 'gemini', action, stream: method === 'streamGenerateContent', model }
  }
  const { model = '', stream = false } = body as { model?: string; stream?: boolean }
  if (pathname.endsWith('/v1/messages')) return { provider: 'anthropic', action: 'generate', stream, model }
  if (pathname.endsWith('/v1/messages/count_tokens'))
    return { provider: 'anthropic', action: 'count', stream: false, model }
  if (pathname.endsWith('/models')) {
    return { provider: pathname.includes('v1beta') ? 'gemini' : 'anthropic', action: 'models', stream: false, model }
  }
  return undefined
}

/** What is asked besides answers: counts, the list of models, and whatever else a CLI tries. */
function aside(route: Route | undefined, body: unknown): [status: number, body: unknown] {
  if (!route) return [404, { error: { code: 404, status: 'NOT_FOUND', message: 'Not rehearsed' } }]
  const ofAnthropic = route.provider === 'anthropic'
  if (route.action === 'models') return [200, ofAnthropic ? { data: [], has_more: false } : { models: [] }]
  const count = tokens(body)
  return [200, ofAnthropic ? { input_tokens: count } : { totalTokens: count }]
}

function whole(route: Route, answer: Answer, body: unknown): unknown {
  const say = route.provider === 'anthropic' ? anthropicMessage : geminiResponse
  return say(answer, route.model, body, answerId(body))
}

function stream(route: Route, answer: Answer, body: unknown): string[] {
  const say = route.provider === 'anthropic' ? anthropicStream : geminiStream
  return say(answer, route.model, body, answerId(body))
}

function sendError(response: ServerResponse, route: Route, fault: Misbehaviour & { kind: 'http' }): void {
  const { status, headers, body } = (route.provider === 'anthropic' ? anthropicError : geminiError)(fault, route.model)
  sendJson(response, status, body, headers)
}

function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}

/** Of no other conversation, and the same for the same request. The CLI drops a tool use whose id it has seen before. */
function answerId(body: unknown): string {
  const { messages, contents } = body as { messages?: unknown; contents?: unknown }
  return `rehearsal${createHash('sha256')
    .update(JSON.stringify(messages ?? contents ?? []))
    .digest('hex')
    .slice(0, 16)}`
}

/** The start of a stream: whole chunks up to the middle, and half of the next one. */
function halfOf(chunks: readonly string[]): string {
  const middle = Math.floor(chunks.length / 2)
  const next = chunks[middle] ?? ''
  return chunks.slice(0, middle).join('') + next.slice(0, Math.floor(next.length / 2))
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  try {
    return JSON.parse(Buffer.concat(parts).toString('utf8') || '{}')
  } catch {
    return {}
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      scenario: { type: 'string' },
      port: { type: 'string' },
      latency: { type: 'string' },
      log: { type: 'string' },
    },
  })
  if (!values.scenario)
    throw new Error('Usage: node rehearsal/model.ts --scenario FILE [--port P] [--latency MS] [--log FILE]')
  const model = await startModel({
    scenario: readScenario(values.scenario),
    port: Number(values.port ?? 0),
    latencyMs: Number(values.latency ?? 0),
    ...(values.log ? { logFile: values.log } : {}),
  })
  process.stdout.write(`${JSON.stringify({ rehearsal: true, url: model.url, port: model.port })}\n`)
  const stop = () => void model.close().then(() => process.exit(0))
  process.once('SIGTERM', stop)
  process.once('SIGINT', stop)
}

if (import.meta.main) await main()
