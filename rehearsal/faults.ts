// Where the scripted model misbehaves. A fault matches requests by who asks for what, and counts its matches,
// so "the second request of the challenger for FUNC-001" is one line of JSON. The first fault that matches is the one that strikes.
// Requests of the CLIs' own (titles, checks) are struck only by a fault that names the role `auxiliary`.

import { z } from 'zod'

const Match = z.strictObject({
  role: z.string().optional(),
  code: z.string().optional(),
  provider: z.enum(['anthropic', 'gemini']).optional(),
  /** Part of the model's name. */
  model: z.string().optional(),
  iteration: z.number().optional(),
  purpose: z.string().optional(),
  /** `first`: nothing was answered yet since the prompt. `reply`: the reply is due, no tool use is left. */
  at: z.enum(['first', 'reply']).optional(),
  /** Of the requests that match all of the above: the n-th (1-based), or those from … until (inclusive). */
  nth: z.number().int().min(1).optional(),
  from: z.number().int().min(1).optional(),
  until: z.number().int().min(1).optional(),
})
export type Match = z.infer<typeof Match>

const httpPresets = [
  'out-of-credit',
  'unauthorized',
  'forbidden',
  'model-not-found',
  'rate-limit',
  'usage-limit',
  'daily-quota',
  'minute-quota',
  'server-error',
  'overloaded',
  'prompt-too-long',
] as const

const textPresets = [
  'prose',
  'fenced',
  'broken-json',
  'wrong-schema',
  'missing-issue',
  'empty',
  'huge',
  'repetition',
  'half',
] as const
export type TextPreset = (typeof textPresets)[number]

const Misbehaviour = z.discriminatedUnion('kind', [
  /** An answer with an error status: a known one, or any status and message. */
  z.strictObject({
    kind: z.literal('http'),
    preset: z.enum(httpPresets).optional(),
    status: z.number().int().optional(),
    message: z.string().optional(),
    retryAfterSeconds: z.number().optional(),
    /** When a usage limit ends, in seconds since 1970. */
    resetAt: z.number().optional(),
  }),
  /** Never answers. */
  z.strictObject({ kind: z.literal('hang') }),
  /** Answers with the start of the stream, then nothing. */
  z.strictObject({ kind: z.literal('stall') }),
  /** Answers with the start of the stream, then drops the connection. */
  z.strictObject({ kind: z.literal('cut') }),
  /** Answers after `ms`. */
  z.strictObject({ kind: z.literal('slow'), ms: z.number() }),
  /** Answers in small pieces with `ms` between them. */
  z.strictObject({ kind: z.literal('drip'), ms: z.number() }),
  /** Waits until `file` exists, or until the model is told to release `name`. */
  z.strictObject({ kind: z.literal('hold'), file: z.string().optional(), name: z.string().default('hold') }),
  /** Says something else instead of the reply. */
  z.strictObject({ kind: z.literal('text'), preset: z.enum(textPresets).optional(), text: z.string().optional() }),
])
export type Misbehaviour = z.infer<typeof Misbehaviour>

export const Fault = z.strictObject({ match: Match.default({}), fault: Misbehaviour })
export type Fault = z.infer<typeof Fault>
/** A fault as it is written: what has a default may be left out. */
export type FaultInput = z.input<typeof Fault>

/** What of a request a fault can match. */
export interface Asked {
  readonly provider: 'anthropic' | 'gemini'
  readonly model: string
  readonly role: string
  readonly codes: readonly string[]
  readonly iteration: number
  readonly purpose?: string | undefined
  readonly first: boolean
  readonly reply: boolean
}

export function matches(match: Match, asked: Asked): boolean {
  if (asked.role === 'auxiliary' && match.role !== 'auxiliary') return false
  if (match.role !== undefined && match.role !== asked.role) return false
  if (match.code !== undefined && !asked.codes.includes(match.code)) return false
  if (match.provider !== undefined && match.provider !== asked.provider) return false
  if (match.model !== undefined && !asked.model.includes(match.model)) return false
  if (match.iteration !== undefined && match.iteration !== asked.iteration) return false
  if (match.purpose !== undefined && match.purpose !== asked.purpose) return false
  if (match.at === 'first' && !asked.first) return false
  if (match.at === 'reply' && !asked.reply) return false
  return true
}

/** Counts the matches of each fault, and tells which one strikes. */
export function createFaultCounter(faults: readonly Fault[]): (asked: Asked) => Misbehaviour | undefined {
  const counts = new Map<Fault, number>()
  return (asked) => {
    let struck: Misbehaviour | undefined
    for (const fault of faults) {
      if (!matches(fault.match, asked)) continue
      if (fault.fault.kind === 'text' && !asked.reply) continue
      const count = (counts.get(fault) ?? 0) + 1
      counts.set(fault, count)
      const { nth, from = 1, until = Number.POSITIVE_INFINITY } = fault.match
      if (nth === undefined ? count >= from && count <= until : count === nth) struck ??= fault.fault
    }
    return struck
  }
}
