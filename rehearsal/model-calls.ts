// What a test wants to know of the requests that reached the model: which calls they make up, what each conversation held before, and
// which sub-agents worked at the same time. Works on the record of a running model and on that of a log file alike.

import type { RecordedCall } from './calls.ts'
import { findCall, readTurns } from './conversation.ts'

/** All requests of one call, or of one sub-agent inside a call (`agent`). */
export interface ModelCall {
  readonly role: string
  readonly call?: string | undefined
  readonly codes: readonly string[]
  readonly iteration: number
  readonly purpose?: string | undefined
  readonly session?: string | undefined
  readonly agent?: string | undefined
  readonly requests: number
  /** What the first request brings: its conversation as JSON, without the CLI's own instructions and tools. */
  readonly characters: number
  /** The names of the calls whose prompts the conversation held before, a summary's included; empty = begun afresh. */
  readonly before: readonly string[]
  /** From the first request until the last answer was out; without an end while one is under way. */
  readonly startedAt: number
  readonly endedAt: number
}

/** In the order in which they began. The CLIs' own requests are left out. */
export function modelCalls(requests: readonly RecordedCall[]): ModelCall[] {
  const byCall = Map.groupBy(
    requests.filter(({ role }) => role !== 'auxiliary'),
    ({ session, agent, role, call, purpose, iteration, codes }) =>
      JSON.stringify([session, agent, role, call, purpose, iteration, codes]),
  )
  return [...byCall.values()].map((all) => {
    const first = all[0] as RecordedCall
    const { role, call, codes, iteration, purpose, session, agent, startedAt } = first
    return {
      ...{ role, call, codes, iteration, purpose, session, agent, startedAt },
      requests: all.length,
      characters: charactersOf(first),
      before: namesBefore(first),
      endedAt: Math.max(...all.map(({ endedAt = Number.POSITIVE_INFINITY }) => endedAt)),
    }
  })
}

export function subAgents(requests: readonly RecordedCall[]): ModelCall[] {
  return modelCalls(requests).filter(({ agent }) => agent !== undefined)
}

export function overlapped(one: ModelCall, other: ModelCall): boolean {
  return one.startedAt < other.endedAt && other.startedAt < one.endedAt
}

export interface Phase {
  readonly codes: readonly string[]
  /** Each of them worked while each of the others did. */
  readonly together: boolean
}

/** Calls one after the other as time shows them: a phase begins when everything before it is over. */
export function phases(calls: readonly ModelCall[]): Phase[] {
  const groups: ModelCall[][] = []
  for (const call of calls.toSorted((a, b) => a.startedAt - b.startedAt)) {
    const last = groups.at(-1)
    if (last?.some((other) => overlapped(call, other))) last.push(call)
    else groups.push([call])
  }
  return groups.map((group) => ({
    codes: group.flatMap(({ codes }) => codes).sort(),
    together: group.every((one) => group.every((other) => one === other || overlapped(one, other))),
  }))
}

function charactersOf({ body }: RecordedCall): number {
  const { messages, contents } = body as { messages?: unknown; contents?: unknown }
  return JSON.stringify(messages ?? contents ?? []).length
}

function namesBefore({ provider, body }: RecordedCall): string[] {
  const before = findCall(readTurns(provider, body))?.turnsBefore ?? []
  return before.flatMap((turn) => {
    const call = turn.by === 'user' ? findCall([turn])?.call : undefined
    return call ? [call.call ?? call.role] : []
  })
}
