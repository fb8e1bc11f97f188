// Brings what a model wrote into the form that its schema checks: null for "none", one text for a list of one, "95" for 95.
// An entry that can't be read is left out with a note, so that it costs no other; a score that is none takes the quality scores with it,
// so that nothing stands in for it; an unreadable point takes its whole verdict with it, because it may have been a blocker.
import { ChallengeVerdict, FixClaim, type ReplyName } from '../../domain/stage/agent-replies.ts'
import { openBlockers } from '../../domain/stage/score.ts'
import { cutLine } from '../prompts/shorten.ts'
import { isRaw, percentOr, type Raw, say, textsOf, trimmed, truthOf } from './coerce.ts'
import { shapeClarify, shapePlan } from './normalize-plan.ts'

export function shapeReply(name: ReplyName, value: unknown, notes: string[]): unknown {
  if (!isRaw(value)) return value
  switch (name) {
    case 'fix':
      return { results: shapeResults(value.results, notes) }
    case 'claim':
      return shapeClaim(value, notes)
    case 'challenge':
      return shapeChallenge(value, notes)
    case 'clarify':
      return shapeClarify(value, notes)
    case 'plan':
      return shapePlan(value, notes)
    default:
      return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, trimmed(each)]))
  }
}

function shapeResults(results: unknown, notes: string[]): unknown {
  if (!Array.isArray(results)) return results
  const claims = new Map<string, FixClaim>()
  for (const [index, raw] of results.entries()) {
    const claim = FixClaim.safeParse(shapeClaim(raw, notes))
    if (!claim.success) {
      notes.push(`entry ${index + 1} of the results can't be read: ${say(claim.error.issues[0]?.path.join('.'))}`)
      continue
    }
    if (claims.has(claim.data.issue_code))
      notes.push(`${claim.data.issue_code} was reported twice, the last one was taken`)
    claims.set(claim.data.issue_code, claim.data)
  }
  return [...claims.values()]
}

function shapeClaim(raw: unknown, notes: string[]): unknown {
  if (!isRaw(raw)) return raw
  const { issue_code, status, file_modified, changes_summary, self_evaluation } = raw
  return {
    issue_code: trimmed(issue_code),
    status:
      typeof status === 'string'
        ? status
            .trim()
            .toLowerCase()
            .replace(/[\s-]+/g, '_')
        : status,
    file_modified: typeof file_modified === 'string' ? file_modified : textsOf(file_modified),
    changes_summary: textsOf(changes_summary).join('\n'),
    self_evaluation: isRaw(self_evaluation) ? shapeEvaluation(self_evaluation, notes) : undefined,
  }
}

function shapeEvaluation({ confidence, completeness, risks }: Raw, notes: string[]): unknown {
  return {
    confidence: percentOr(confidence, () => notes.push(`a confidence of ${say(confidence)} is none`)),
    completeness: typeof completeness === 'string' ? completeness : undefined,
    risks: textsOf(risks),
  }
}

function shapeChallenge(value: Raw, notes: string[]): unknown {
  if (!isRaw(value.issues)) return { issues: value.issues }
  const verdicts: [string, ChallengeVerdict][] = []
  for (const [code, raw] of Object.entries(value.issues)) {
    const verdict = ChallengeVerdict.safeParse(shapeVerdict(code, raw, notes))
    if (verdict.success) verdicts.push([code.trim(), bounded(code, verdict.data, notes)])
    else notes.push(`the verdict on ${say(code)} can't be read: ${say(verdict.error.issues[0]?.path.join('.'))}`)
  }
  return { issues: Object.fromEntries(verdicts), whole: shapeWhole(value.whole, notes) }
}

function shapeVerdict(code: string, raw: unknown, notes: string[]): unknown {
  if (!isRaw(raw)) return raw
  let isScore = true
  const score = percentOr(raw.score, () => {
    isScore = false
    notes.push(`${say(code)}: a score of ${say(raw.score)} is none`)
  })
  const { status, quality_scores, points, false_positive_agreed } = raw
  return {
    score,
    status: typeof status === 'string' ? status : undefined,
    feedback: textsOf(raw.feedback).join('\n'),
    quality_scores: isScore && isRaw(quality_scores) ? shapeQuality(quality_scores) : undefined,
    improvements_needed: textsOf(raw.improvements_needed),
    points: Array.isArray(points) ? points.map(shapePoint) : (points ?? []),
    false_positive_agreed: truthOf(false_positive_agreed) === true ? true : undefined,
  }
}

/** An entry of a list of these, and how many there are. */
const LONGEST = 2000
const MOST = 20

/** Only after all points were read: none that is left out has hidden a blocker, as those come first where there are too many. */
function bounded(code: string, verdict: ChallengeVerdict, notes: string[]): ChallengeVerdict {
  const { points, improvements_needed: steps, status } = verdict
  if (points.length > MOST || steps.length > MOST) {
    const of = `${points.length} points and ${steps.length} improvements`
    notes.push(`${say(code)}: of ${of} the first ${MOST} were taken, open blockers before all others`)
  }
  const open = new Set(openBlockers(points))
  const inOrder = points.length > MOST ? [...open, ...points.filter((point) => !open.has(point))] : points
  const cut = (text: string) => cutLine(text, LONGEST)
  return {
    ...verdict,
    status: status?.slice(0, 100),
    points: inOrder.slice(0, MOST).map((point) => ({ ...point, id: point.id.slice(0, 100), text: cut(point.text) })),
    improvements_needed: steps.slice(0, MOST).map(cut),
  }
}

/** A dimension that is no number counts as left out, which is to say as the issue's own score. */
function shapeQuality(scores: Raw): unknown {
  return Object.fromEntries(Object.entries(scores).map(([dimension, score]) => [dimension, percentOr(score, () => {})]))
}

function shapePoint(raw: unknown): unknown {
  if (!isRaw(raw)) return raw
  const { id, blocker, settled, text } = raw
  return {
    id: typeof id === 'number' ? String(id) : trimmed(id),
    blocker: truthOf(blocker),
    settled: truthOf(settled),
    text: textsOf(text).join('\n'),
  }
}

function shapeWhole(raw: unknown, notes: string[]): unknown {
  if (raw === undefined || raw === null) return undefined
  const score = isRaw(raw) ? percentOr(raw.score, () => {}) : undefined
  if (score === undefined) notes.push('the score of the whole diff is none')
  return score === undefined ? undefined : { score, feedback: textsOf((raw as Raw).feedback).join('\n') }
}
