// Validates an agent's reply: leniently in form, strictly in what decides. No score is ever made up, rounded or guessed: "95" is a number,
// but "95/100", "high" and 120 are no score. Everything left out is named in `notes`.

import { chooseWorseReport } from '../../domain/review-fix/filter-reports.ts'
import { gatingScore, openBlockers } from '../../domain/stage/gating-score.ts'
import {
  type ChallengeReply,
  ChallengeVerdict,
  FixClaim,
  REPLY_SCHEMAS,
  type ReplyName,
  type ReplyOf,
} from '../../domain/stage/reply-schemas.ts'
import { isJsonObject } from '../../domain/text/parse-json.ts'
import { cutLine } from '../prompts/shorten.ts'
import { describeValue, type RawObject, toBoolean, toPercent, toStringList, trimIfString } from './coerce.ts'
import { findJsonObjects } from './extract-json.ts'
import { clarificationProblem, normalizeClarification, normalizePlan } from './normalize-plan.ts'

export interface RawReply {
  readonly text: string
  /** The CLI's own parsing, if it was given a schema. */
  readonly structured?: unknown
}

export type ValidatedReply<Name extends ReplyName> =
  | { readonly kind: 'valid'; readonly value: ReplyOf<Name>; readonly notes: readonly string[] }
  | { readonly kind: 'unreadable'; readonly problem: string }

/** The last object that fits counts. Two different verdicts, or replies of the clarifier, count as none: either may be meant. */
export function validateReply<Name extends ReplyName>(
  name: Name,
  { text, structured }: RawReply,
): ValidatedReply<Name> {
  const fromCli = structured === undefined || structured === null ? undefined : parseObject(name, structured)
  if (fromCli?.kind === 'valid') return fromCli
  const { objects, broken } = findJsonObjects(text, new Set(Object.keys(schemaShape(name))))
  if (broken.cutOff > 0) return unreadableReply('the JSON breaks off before its end')
  if (broken.notJson > 0) return unreadableReply('the JSON is not valid, look for unescaped quotes and missing commas')
  const fits: (ValidatedReply<Name> & { kind: 'valid' })[] = []
  let problem =
    text.trim() === '' ? 'the answer is empty' : 'the answer holds no JSON object of the form that was asked for'
  for (const object of objects) {
    const read = parseObject(name, object)
    if (read.kind === 'valid') fits.push(read)
    else problem = read.problem
  }
  const last = fits.at(-1)
  if (!last) return unreadableReply(fromCli?.problem ?? problem)
  const differ = fits.filter((each) => JSON.stringify(each.value) !== JSON.stringify(last.value)).length
  if (differ === 0) return last
  if (name === 'challenge' || name === 'clarify' || name === 'vote')
    return unreadableReply(`it holds ${differ + 1} answers that differ`)
  return { ...last, notes: [...last.notes, `the last of ${differ + 1} answers was taken`] }
}

/** The codes whose verdict is missing or has no score. */
export function listUnscoredCodes(reply: ChallengeReply, codes: readonly string[]): string[] {
  return codes.filter((code) => {
    const verdict = findVerdict(reply, code)
    return verdict === undefined || gatingScore(verdict) === undefined
  })
}

/** An issue with a code like `constructor` has no verdict unless the challenger gave it one. */
export function findVerdict(reply: ChallengeReply, code: string): ChallengeVerdict | undefined {
  return Object.hasOwn(reply.issues, code) ? reply.issues[code] : undefined
}

function parseObject<Name extends ReplyName>(name: Name, object: unknown): ValidatedReply<Name> {
  const notes: string[] = []
  const parsed = REPLY_SCHEMAS[name].safeParse(normalizeReply(name, object, notes))
  if (parsed.success) {
    const value = parsed.data as ReplyOf<Name>
    const problem = name === 'clarify' ? clarificationProblem(value as ReplyOf<'clarify'>) : undefined
    return problem === undefined ? { kind: 'valid', value, notes } : unreadableReply(problem)
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

function normalizeReply(name: ReplyName, value: unknown, notes: string[]): unknown {
  if (!isJsonObject(value)) return value
  switch (name) {
    case 'fix':
      return { results: normalizeResults(value.results, notes) }
    case 'claim':
      return normalizeClaim(value, notes)
    case 'challenge':
      return normalizeChallenge(value, notes)
    case 'clarify':
      return normalizeClarification(value, notes)
    case 'plan':
      return normalizePlan(value, notes)
    case 'vote':
      return { ...value, vote: toPercent(value.vote, () => {}) }
    default:
      return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, trimIfString(each)]))
  }
}

function normalizeResults(results: unknown, notes: string[]): unknown {
  if (!Array.isArray(results)) return results
  const claims = new Map<string, FixClaim>()
  for (const [index, raw] of results.entries()) {
    const claim = FixClaim.safeParse(normalizeClaim(raw, notes))
    if (!claim.success) {
      notes.push(
        `entry ${index + 1} of the results can't be read: ${describeValue(claim.error.issues[0]?.path.join('.'))}`,
      )
      continue
    }
    const { issue_code, status } = claim.data
    const before = claims.get(issue_code)
    if (before) notes.push(`${issue_code} was reported as ${before.status} and as ${status}: the worse counts`)
    claims.set(issue_code, before ? chooseWorseReport(before, claim.data) : claim.data)
  }
  return [...claims.values()]
}

function normalizeClaim(raw: unknown, notes: string[]): unknown {
  if (!isJsonObject(raw)) return raw
  const { issue_code, status, file_modified, changes_summary, self_evaluation } = raw
  return {
    issue_code: trimIfString(issue_code),
    status:
      typeof status === 'string'
        ? status
            .trim()
            .toLowerCase()
            .replace(/[\s-]+/g, '_')
        : status,
    file_modified: typeof file_modified === 'string' ? file_modified : toStringList(file_modified),
    changes_summary: toStringList(changes_summary).join('\n'),
    self_evaluation: isJsonObject(self_evaluation) ? normalizeEvaluation(self_evaluation, notes) : undefined,
  }
}

function normalizeEvaluation({ confidence, completeness, risks }: RawObject, notes: string[]): unknown {
  return {
    confidence: toPercent(confidence, () => notes.push(`a confidence of ${describeValue(confidence)} is none`)),
    completeness: typeof completeness === 'string' ? completeness : undefined,
    risks: toStringList(risks),
  }
}

function normalizeChallenge(value: RawObject, notes: string[]): unknown {
  if (!isJsonObject(value.issues)) return { issues: value.issues }
  const verdicts: [string, ChallengeVerdict][] = []
  for (const [code, raw] of Object.entries(value.issues)) {
    const verdict = ChallengeVerdict.safeParse(normalizeVerdict(code, raw, notes))
    if (verdict.success) verdicts.push([code.trim(), limitVerdict(code, verdict.data, notes)])
    else
      notes.push(
        `the verdict on ${describeValue(code)} can't be read: ${describeValue(verdict.error.issues[0]?.path.join('.'))}`,
      )
  }
  return { issues: Object.fromEntries(verdicts), whole: normalizeWhole(value.whole, notes) }
}

/** An invalid score takes the quality scores with it. An unreadable point takes its whole verdict: it may have been a blocker. */
function normalizeVerdict(code: string, raw: unknown, notes: string[]): unknown {
  if (!isJsonObject(raw)) return raw
  let isScore = true
  const score = toPercent(raw.score, () => {
    isScore = false
    notes.push(`${describeValue(code)}: a score of ${describeValue(raw.score)} is none`)
  })
  const { status, quality_scores, points, why_elsewhere, false_positive_agreed } = raw
  return {
    score,
    status: typeof status === 'string' ? status : undefined,
    feedback: toStringList(raw.feedback).join('\n'),
    quality_scores: isScore && isJsonObject(quality_scores) ? normalizeQuality(quality_scores) : undefined,
    improvements_needed: toStringList(raw.improvements_needed),
    points: Array.isArray(points)
      ? points.map((point, index) => normalizePoint(point, `${code.trim()}-p${index + 1}`))
      : (points ?? []),
    why_elsewhere: typeof why_elsewhere === 'string' ? cutLine(why_elsewhere, MAX_ENTRY_LENGTH) : undefined,
    false_positive_agreed: toBoolean(false_positive_agreed) === true ? true : undefined,
  }
}

/** Limits of the lists of points and improvements. */
const MAX_ENTRY_LENGTH = 2000
const MAX_ENTRIES = 20

/** Runs after all points were read and keeps open blockers first, so that no point that is left out hides a blocker. */
function limitVerdict(code: string, verdict: ChallengeVerdict, notes: string[]): ChallengeVerdict {
  const { points, improvements_needed: steps, status } = verdict
  if (points.length > MAX_ENTRIES || steps.length > MAX_ENTRIES) {
    const of = `${points.length} points and ${steps.length} improvements`
    notes.push(`${describeValue(code)}: of ${of} the first ${MAX_ENTRIES} were taken, open blockers before all others`)
  }
  const open = new Set(openBlockers(points))
  const inOrder = points.length > MAX_ENTRIES ? [...open, ...points.filter((point) => !open.has(point))] : points
  const cut = (text: string) => cutLine(text, MAX_ENTRY_LENGTH)
  return {
    ...verdict,
    status: status?.slice(0, 100),
    points: inOrder
      .slice(0, MAX_ENTRIES)
      .map((point) => ({ ...point, id: point.id.slice(0, 100), text: cut(point.text) })),
    improvements_needed: steps.slice(0, MAX_ENTRIES).map(cut),
  }
}

/** A dimension without a number counts as missing, which means that the issue's own score applies. */
function normalizeQuality(scores: RawObject): unknown {
  return Object.fromEntries(Object.entries(scores).map(([dimension, score]) => [dimension, toPercent(score, () => {})]))
}

function normalizePoint(raw: unknown, otherwise: string): unknown {
  if (!isJsonObject(raw)) return raw
  const { id, blocker, settled, text } = raw
  return {
    id: typeof id === 'number' ? String(id) : typeof id === 'string' ? id.trim() : otherwise,
    blocker: toBoolean(blocker),
    settled: toBoolean(settled),
    text: toStringList(text).join('\n'),
  }
}

function normalizeWhole(raw: unknown, notes: string[]): unknown {
  if (raw === undefined || raw === null) return undefined
  const score = isJsonObject(raw) ? toPercent(raw.score, () => {}) : undefined
  if (score === undefined) notes.push('the score of the whole diff is none')
  return score === undefined ? undefined : { score, feedback: toStringList((raw as RawObject).feedback).join('\n') }
}
