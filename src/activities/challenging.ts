// The second opinion on a tree. An answer that can't be used, or that misses an issue, is asked for once more with what was
// wrong with it, and then once afresh; an issue that has no score after that is unchallenged, which is not approved.
import { challengerPrompt } from '../agents/prompt.ts'
import { parseReply, verdictCoverage, verdictOf } from '../agents/reply.ts'
import { briefFor, EMPTY_BRIEF } from '../domain/brief.ts'
import type { NewEvent } from '../domain/events.ts'
import { hashOf } from '../domain/key.ts'
import type { ChallengeInput, ChallengeOutcome } from '../domain/protocol.ts'
import type { ChallengeReply, ChallengeVerdict } from '../domain/reply.ts'
import { gatingScore, openBlockers } from '../domain/score.ts'
import { profileOf } from '../domain/settings.ts'
import { diffText } from '../git/changes.ts'
import { ask, blockId } from './asking.ts'
import type { Beat } from './beating.ts'
import { conventionsOf } from './conventions.ts'
import { gatherFeedback, keepGate } from './feedback.ts'
import { runGemini } from './running-agents.ts'
import { readBrief } from './todo.ts'
import { composeTree } from './trees.ts'
import { aboutIssue, issueOf, loadSession, type Session, tell, type Workshop, workspaceOf } from './workshop.ts'

const ROLE = 'fix_challenger'

interface Opinion {
  readonly verdicts: Record<string, ChallengeVerdict>
  whole?: ChallengeReply['whole']
}

export async function challengeTree(shop: Workshop, input: ChallengeInput, beat: Beat): Promise<ChallengeOutcome> {
  const session = await loadSession(shop, input.sessionId)
  const workspace = workspaceOf(shop, session.id)
  const { tree, claims } = await composeTree(workspace, input.head, input.picks)
  const { whole_diff_score: wholeDiffScore } = profileOf(session.settings)
  const [{ verdicts: earlier }, diff, conventions, brief] = await Promise.all([
    gatherFeedback(shop, session, input.earlier, input.codes),
    diffText(workspace, input.head, tree),
    conventionsOf(workspace),
    input.brief === undefined ? EMPTY_BRIEF : readBrief(shop, input.brief),
  ])
  const base = {
    iteration: input.iteration,
    diff,
    claims: Object.values(claims),
    conventions,
    notes: session.record.user_notes,
    whole: wholeDiffScore,
    earlier: Object.keys(earlier).length > 0 ? earlier : undefined,
  }
  await tell(shop, session.id, [
    {
      key: `${input.call}/evaluating`,
      type: 'fix_challenger_evaluating',
      message: `${input.codes.join(', ')} · the diff has ${base.diff.length} characters`,
      data: { codes: input.codes, tree },
    },
  ])

  const opinion: Opinion = { verdicts: {} }
  let bad: { problem: string; answer: string } | undefined
  let codes = input.codes
  for (const [name, repair] of [
    ['', false],
    ['.repair', true],
    ['.fresh', false],
  ] as const) {
    if (repair && !bad) continue
    const key = `${input.call}${name}`
    const prompt = challengerPrompt(shop.agents, {
      ...base,
      call: key,
      blockId: blockId(),
      issues: codes.map((code) => issueOf(session, code)),
      clarifications: briefFor(brief, codes).clarifications,
      ...(repair ? { repair: bad } : {}),
    })
    const deadlineMs = session.settings.gemini.timeout_seconds * 1000
    const run = (place: Parameters<typeof runGemini>[2]['place']) =>
      runGemini(shop, session, { role: ROLE, prompt, place, deadlineMs })
    const answer = await ask(shop, session, { key, role: ROLE, prompt, about: codes.join(', '), run }, beat)
    if (answer.kind === 'failed') {
      if (answer.failure.class === 'no_usable_work') continue
      return { tree, issues: {}, unchallenged: [], feedback: '', failure: answer.failure }
    }
    const parsed = parseReply('challenge', { text: answer.text })
    const problem = parsed.kind === 'parsed' ? take(parsed.value, codes, opinion, wholeDiffScore) : parsed.problem
    if (problem === undefined) break
    bad = { problem, answer: answer.text }
    codes = input.codes.filter((code) => opinion.verdicts[code] === undefined)
    if (codes.length === 0) codes = input.codes
  }

  await keepGate(shop, session, input.call, { tree, ...opinion })
  await tell(shop, session.id, resultEvents(session, input, opinion))
  return outcomeOf(input, tree, opinion)
}

/** Takes over what is usable, and says what is still missing. The first usable verdict on an issue stands. */
function take(reply: ChallengeReply, codes: readonly string[], opinion: Opinion, whole: boolean): string | undefined {
  const { missing } = verdictCoverage(reply, codes)
  for (const code of codes) {
    const verdict = verdictOf(reply, code)
    if (verdict && !missing.includes(code)) opinion.verdicts[code] ??= verdict
  }
  if (reply.whole) opinion.whole ??= reply.whole
  if (missing.length > 0) return `there is no score for ${missing.join(', ')}`
  return whole && !opinion.whole ? 'there is no score for the whole diff' : undefined
}

function outcomeOf({ codes }: ChallengeInput, tree: string, { verdicts, whole }: Opinion): ChallengeOutcome {
  const issues: Record<string, { score: number; blockers: number }> = {}
  for (const code of codes) {
    const verdict = verdicts[code]
    const score = verdict && gatingScore(verdict)
    if (verdict && score !== undefined) issues[code] = { score, blockers: openBlockers(verdict.points).length }
  }
  const words = codes.map((code) => [verdicts[code]?.feedback, verdicts[code]?.improvements_needed])
  return {
    tree,
    issues,
    unchallenged: codes.filter((code) => issues[code] === undefined),
    feedback: hashOf([words, whole?.feedback]).slice(0, 12),
    ...(whole ? { whole: whole.score } : {}),
  }
}

function resultEvents(session: Session, { call, codes }: ChallengeInput, { verdicts, whole }: Opinion): NewEvent[] {
  const floor = session.settings.fix_challenger.solved_threshold
  const events = codes.map((code): NewEvent => {
    const verdict = verdicts[code]
    const score = verdict && gatingScore(verdict)
    const about = {
      key: `${call}/${code}/result`,
      type: 'fix_challenger_result' as const,
      ...aboutIssue(session, code),
    }
    if (!verdict || score === undefined) return { ...about, message: 'no usable verdict: not approved' }
    const blockers = openBlockers(verdict.points)
    const mark = score >= floor && blockers.length === 0 ? 'solved' : 'not solved'
    return {
      ...about,
      message: `${score} · ${mark}${verdict.feedback ? ` · ${verdict.feedback}` : ''}`,
      data: {
        score,
        blockers: blockers.map((point) => point.text),
        quality_scores: verdict.quality_scores,
        improvements_needed: verdict.improvements_needed,
      },
    }
  })
  if (!whole) return events
  const message = `whole diff: ${whole.score}${whole.feedback ? ` · ${whole.feedback}` : ''}`
  return [...events, { key: `${call}/whole`, type: 'fix_challenger_result', message, data: { whole: whole.score } }]
}
