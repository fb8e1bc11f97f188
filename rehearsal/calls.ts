// The record of what the scripted model was asked: in memory for the process that runs it, and as lines of JSON (one when a
// request arrives, one when it is over) for tests in other processes.

import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { findCall, type Provider, readTurns } from './conversation.ts'
import { type Asked, type Match, matches } from './faults.ts'

/** No claim about how long it takes: a wait that fails only has to say what it waited for. */
const WAIT_MS = 100_000

export interface Outcome {
  /** Of the HTTP answer; none when there was no answer. */
  readonly status?: number | undefined
  /** What the model was doing: a tool use, the reply, one of the CLI's own requests, or the fault that struck. */
  readonly said: 'tools' | 'reply' | 'auxiliary' | `fault:${string}`
  /** `left`: the CLI closed the connection before the end. */
  readonly ended: 'whole' | 'cut' | 'left'
}

export interface RecordedCall {
  readonly n: number
  readonly provider: Provider
  readonly model: string
  /** As the prompt's call block says; `auxiliary` for the CLIs' own requests. */
  readonly role: string
  readonly codes: readonly string[]
  readonly iteration: number
  readonly purpose?: string | undefined
  readonly call?: string | undefined
  /** The answers of the model since the prompt: 0 for the first request of a call. */
  readonly step: number
  /** Whether the reply is due. */
  readonly reply: boolean
  /** Claude's session. */
  readonly session?: string | undefined
  /** Of one of Claude's sub-agents: which. It has its parent's session. */
  readonly agent?: string | undefined
  readonly path: string
  readonly body: unknown
  /** Milliseconds since 1970. */
  readonly startedAt: number
  readonly endedAt?: number
  readonly outcome?: Outcome
}

export interface CallRecord {
  calls(): RecordedCall[]
  start(call: Omit<RecordedCall, 'n' | 'startedAt'>): number
  end(n: number, outcome: Outcome): void
  waitFor(match: Match): Promise<RecordedCall>
}

export function createRecord(logFile: string | undefined): CallRecord {
  const calls: RecordedCall[] = []
  const waiting = new Set<(call: RecordedCall) => void>()
  const log = (line: unknown) => logFile && appendFileSync(logFile, `${JSON.stringify(line)}\n`)
  return {
    calls: () => [...calls],
    start(call) {
      const recorded = { ...call, n: calls.length + 1, startedAt: Date.now() }
      calls.push(recorded)
      log(recorded)
      for (const tell of waiting) tell(recorded)
      return recorded.n
    },
    end(n, outcome) {
      const call = calls[n - 1]
      if (!call || call.outcome) return
      const endedAt = Date.now()
      calls[n - 1] = { ...call, endedAt, outcome }
      log({ n, endedAt, outcome })
    },
    waitFor(match) {
      const { nth = 1 } = match
      const fits = () => calls.filter((call) => matches(match, asked(call)))[nth - 1]
      return new Promise((resolve, reject) => {
        const found = fits()
        if (found) return resolve(found)
        const timer = setTimeout(() => {
          waiting.delete(tell)
          reject(
            new Error(
              `No request like ${JSON.stringify(match)} reached the scripted model within ${WAIT_MS / 1000} s.`,
            ),
          )
        }, WAIT_MS)
        const tell = () => {
          const arrived = fits()
          if (!arrived) return
          clearTimeout(timer)
          waiting.delete(tell)
          resolve(arrived)
        }
        waiting.add(tell)
      })
    },
  }
}

/** The calls in a log file, those that are under way included. */
export function readCallLog(file: string): RecordedCall[] {
  const calls: RecordedCall[] = []
  if (!existsSync(file)) return calls
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1)
  let restarts = 0
  for (const line of lines) {
    const entry = JSON.parse(line) as RecordedCall
    if (entry.path === undefined) {
      const call = calls[restarts + entry.n - 1]
      if (call) calls[restarts + entry.n - 1] = { ...call, ...entry }
      continue
    }
    if (entry.n === 1) restarts = calls.length
    calls.push(entry)
  }
  return calls
}

/** The prompt of ours that a request answers to, as it reached the model; none for the CLIs' own requests. */
export function promptOf(call: RecordedCall): string | undefined {
  return readTurns(call.provider, call.body).findLast((turn) => turn.by === 'user' && findCall([turn]))?.text
}

function asked(call: RecordedCall): Asked {
  return { ...call, first: call.step === 0 }
}
