// Parses an agent's reply: leniently in form, strictly in what decides. No score is ever made up, rounded or guessed: "95" is a number,
// but "95/100", "high" and 120 are no score. Everything left out is named in `notes`.
import {
  type ChallengeReply,
  type ChallengeVerdict,
  type FixReply,
  REPLY_SCHEMAS,
  type ReplyName,
  type ReplyOf,
} from '../../domain/stage/agent-replies.ts'
import { gatingScore } from '../../domain/stage/score.ts'
import { findJsonObjects } from './extract-json.ts'
import { clarificationProblem } from './normalize-plan.ts'
import { normalizeReply } from './normalize-reply.ts'

export interface RawReply {
  readonly text: string
  /** The CLI's own parsing, if it was given a schema. */
  readonly structured?: unknown
}

export type ParsedReply<Name extends ReplyName> =
  | { readonly kind: 'parsed'; readonly value: ReplyOf<Name>; readonly notes: readonly string[] }
  | { readonly kind: 'unreadable'; readonly problem: string }

/** The last object that fits counts. Two different verdicts, or replies of the clarifier, count as none: either may be meant. */
export function parseReply<Name extends ReplyName>(name: Name, { text, structured }: RawReply): ParsedReply<Name> {
  const fromCli = structured === undefined || structured === null ? undefined : parseObject(name, structured)
  if (fromCli?.kind === 'parsed') return fromCli
  const { objects, broken } = findJsonObjects(text, new Set(Object.keys(schemaShape(name))))
  if (broken.cutOff > 0) return unreadableReply('the JSON breaks off before its end')
  if (broken.notJson > 0) return unreadableReply('the JSON is not valid, look for unescaped quotes and missing commas')
  const fits: (ParsedReply<Name> & { kind: 'parsed' })[] = []
  let problem =
    text.trim() === '' ? 'the answer is empty' : 'the answer holds no JSON object of the form that was asked for'
  for (const object of objects) {
    const read = parseObject(name, object)
    if (read.kind === 'parsed') fits.push(read)
    else problem = read.problem
  }
  const last = fits.at(-1)
  if (!last) return unreadableReply(fromCli?.problem ?? problem)
  const differ = fits.filter((each) => JSON.stringify(each.value) !== JSON.stringify(last.value)).length
  if (differ === 0) return last
  if (name === 'challenge' || name === 'clarify') return unreadableReply(`it holds ${differ + 1} answers that differ`)
  return { ...last, notes: [...last.notes, `the last of ${differ + 1} answers was taken`] }
}

export interface Coverage {
  /** Requested, but missing or without a score. */
  readonly missing: readonly string[]
  /** Present, but not requested. */
  readonly unknown: readonly string[]
}

export function checkVerdictCoverage(reply: ChallengeReply, codes: readonly string[]): Coverage {
  return {
    missing: codes.filter((code) => {
      const verdict = findVerdict(reply, code)
      return verdict === undefined || gatingScore(verdict) === undefined
    }),
    unknown: Object.keys(reply.issues).filter((code) => !codes.includes(code)),
  }
}

export function claimCoverage(reply: FixReply, codes: readonly string[]): Coverage {
  const claimed = reply.results.map((claim) => claim.issue_code)
  return {
    missing: codes.filter((code) => !claimed.includes(code)),
    unknown: claimed.filter((code) => !codes.includes(code)),
  }
}

/** An issue with a code like `constructor` has no verdict unless the challenger gave it one. */
export function findVerdict(reply: ChallengeReply, code: string): ChallengeVerdict | undefined {
  return Object.hasOwn(reply.issues, code) ? reply.issues[code] : undefined
}

function parseObject<Name extends ReplyName>(name: Name, object: unknown): ParsedReply<Name> {
  const notes: string[] = []
  const parsed = REPLY_SCHEMAS[name].safeParse(normalizeReply(name, object, notes))
  if (parsed.success) {
    const value = parsed.data as ReplyOf<Name>
    const problem = name === 'clarify' ? clarificationProblem(value as ReplyOf<'clarify'>) : undefined
    return problem === undefined ? { kind: 'parsed', value, notes } : unreadableReply(problem)
  }
  const [issue] = parsed.error.issues
  return unreadableReply(
    `${issue?.path.join('.') || 'the answer'}: ${issue?.message ?? 'not of the form that was asked for'}`,
  )
}

function schemaShape(name: ReplyName): object {
  return REPLY_SCHEMAS[name].shape
}

function unreadableReply(problem: string): { readonly kind: 'unreadable'; readonly problem: string } {
  return { kind: 'unreadable', problem }
}
