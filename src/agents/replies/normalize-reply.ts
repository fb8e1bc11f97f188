// Normalizes a model's reply for its schema: null for "none", one text for a list of one, "95" for 95. An unreadable entry is left out
// with a note, so that it costs no other entry.
import { ChallengeVerdict, FixClaim, type ReplyName } from '../../domain/stage/agent-replies.ts'
import { openBlockers } from '../../domain/stage/score.ts'
import { cutLine } from '../prompts/shorten.ts'
import {
  describeValue,
  isRawObject,
  type RawObject,
  toBoolean,
  toPercent,
  toStringList,
  trimIfString,
} from './coerce.ts'
import { normalizeClarification, normalizePlan } from './normalize-plan.ts'

export function normalizeReply(name: ReplyName, value: unknown, notes: string[]): unknown {
  if (!isRawObject(value)) return value
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
    if (claims.has(claim.data.issue_code))
      notes.push(`${claim.data.issue_code} was reported twice, the last one was taken`)
    claims.set(claim.data.issue_code, claim.data)
  }
  return [...claims.values()]
}

function normalizeClaim(raw: unknown, notes: string[]): unknown {
  if (!isRawObject(raw)) return raw
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
    self_evaluation: isRawObject(self_evaluation) ? normalizeEvaluation(self_evaluation, notes) : undefined,
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
  if (!isRawObject(value.issues)) return { issues: value.issues }
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
  if (!isRawObject(raw)) return raw
  let isScore = true
  const score = toPercent(raw.score, () => {
    isScore = false
    notes.push(`${describeValue(code)}: a score of ${describeValue(raw.score)} is none`)
  })
  const { status, quality_scores, points, false_positive_agreed } = raw
  return {
    score,
    status: typeof status === 'string' ? status : undefined,
    feedback: toStringList(raw.feedback).join('\n'),
    quality_scores: isScore && isRawObject(quality_scores) ? normalizeQuality(quality_scores) : undefined,
    improvements_needed: toStringList(raw.improvements_needed),
    points: Array.isArray(points) ? points.map(normalizePoint) : (points ?? []),
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

function normalizePoint(raw: unknown): unknown {
  if (!isRawObject(raw)) return raw
  const { id, blocker, settled, text } = raw
  return {
    id: typeof id === 'number' ? String(id) : trimIfString(id),
    blocker: toBoolean(blocker),
    settled: toBoolean(settled),
    text: toStringList(text).join('\n'),
  }
}

function normalizeWhole(raw: unknown, notes: string[]): unknown {
  if (raw === undefined || raw === null) return undefined
  const score = isRawObject(raw) ? toPercent(raw.score, () => {}) : undefined
  if (score === undefined) notes.push('the score of the whole diff is none')
  return score === undefined ? undefined : { score, feedback: toStringList((raw as RawObject).feedback).join('\n') }
}
