// The second opinion on a tree. An answer that can't be used, or that misses an issue, is asked for once more with what was
// wrong with it, and then once afresh; an issue that has no score after that is unchallenged, which is not approved.
// What ends the asking in between (a budget, say) takes nothing away of what was answered by then.
// With a tree come claims that there is nothing to fix about an issue, or they come alone: those it agrees to in so many words, or not.
import { challengerPrompt } from '../../agents/prompts/prompts.ts'
import { parseReply } from '../../agents/replies/parse-reply.ts'
import { briefFor, EMPTY_BRIEF } from '../../domain/plan/brief.ts'
import type { ChallengeInput, ChallengeOutcome } from '../../domain/protocol/index.ts'
import type { CallFailure } from '../../domain/session/failure.ts'
import { profileOf } from '../../domain/settings/schema.ts'
import { diffText } from '../../platform/git/workspace/diff.ts'
import { ask, blockId, type Question } from '../agent-call/agent-call.ts'
import { runGemini } from '../agent-call/cli-call.ts'
import { spentIssues } from '../agent-call/enforce-budget.ts'
import { backgroundOf, frameOf } from '../agent-call/prompt-background.ts'
import { sourcesOf } from '../agent-call/source-excerpts.ts'
import { tell } from '../append-events.ts'
import { issueOf, loadSession, type Workshop, workspaceOf } from '../context.ts'
import { claimsOf, composeTree } from '../fix/compose-tree.ts'
import { gatherFeedback } from '../fix/gather-feedback.ts'
import { keepGate } from '../gate-records.ts'
import type { Beat } from '../heartbeat.ts'
import { readBrief } from '../plan/todo-files.ts'
import { silencedIn } from './flag-check-tampering.ts'
import { askedAbout, deniedBy, type Opinion, outcomeOf, resultEvents, take } from './merge-verdicts.ts'

const ROLE = 'fix_challenger'

export async function challengeTree(shop: Workshop, input: ChallengeInput, beat: Beat): Promise<ChallengeOutcome> {
  const session = await loadSession(shop, input.sessionId)
  const workspace = workspaceOf(shop, session.id)
  const { tree, claims } = await composeTree(workspace, input.head, input.picks)
  const denied = await claimsOf(workspace, input.claims ?? [])
  const all = askedAbout(input)
  // Where nothing was changed there is no whole to be scored.
  const wholeDiffScore = profileOf(session.settings).whole_diff_score && input.codes.length > 0
  const doubtful = deniedBy(input).map((code) => issueOf(session, code))
  const [{ verdicts: earlier }, diff, background, brief, sources] = await Promise.all([
    gatherFeedback(shop, session, input.earlier, all),
    diffText(workspace, input.head, tree),
    backgroundOf(shop, session, workspace),
    input.brief === undefined ? EMPTY_BRIEF : readBrief(shop, input.brief),
    doubtful.length > 0 ? sourcesOf(shop, workspace, tree, doubtful) : undefined,
  ])
  const silenced = await silencedIn(shop, session, diff)
  const base = {
    iteration: input.iteration,
    ...frameOf(session),
    ...background,
    diff,
    silenced,
    claims: [...Object.values(claims), ...Object.values(denied)],
    falsePositives: deniedBy(input),
    sources,
    notes: session.record.user_notes,
    whole: wholeDiffScore,
    earlier: Object.keys(earlier).length > 0 ? earlier : undefined,
  }
  await tell(shop, session.id, [
    {
      key: `${input.call}/evaluating`,
      type: 'fix_challenger_evaluating',
      message: `${all.join(', ')} · the diff has ${base.diff.length} characters`,
      data: { codes: all, tree },
    },
  ])

  const opinion: Opinion = { verdicts: {} }
  let bad: { problem: string; answer: string } | undefined
  let failure: CallFailure | undefined
  let codes = all
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
    const run: Question['run'] = (place, asked) =>
      runGemini(shop, session, { role: ROLE, prompt: asked.prompt, place, deadlineMs })
    const { settles } = input
    const question: Question = { key, role: ROLE, prompt, codes, about: codes.join(', '), settles, run }
    const answer = await ask(shop, session, question, beat)
    if (answer.kind === 'failed') {
      if (answer.failure.class === 'no_usable_work') continue
      failure = answer.failure
      break
    }
    const parsed = parseReply('challenge', { text: answer.text })
    const problem =
      parsed.kind === 'parsed' ? take(parsed.value, codes, opinion, { input, whole: wholeDiffScore }) : parsed.problem
    if (problem === undefined) break
    bad = { problem, answer: answer.text }
    codes = all.filter((code) => opinion.verdicts[code] === undefined)
    if (codes.length === 0) codes = all
  }

  if (failure && Object.keys(opinion.verdicts).length === 0) {
    return { tree, issues: {}, unchallenged: [], feedback: '', failure }
  }
  await keepGate(shop, session, input.call, { tree, ...opinion, ...(silenced.length > 0 ? { silenced } : {}) })
  await tell(shop, session.id, resultEvents(session, input, opinion, failure !== undefined))
  const spent = await spentIssues(shop, session, all)
  return { ...outcomeOf(input, tree, opinion), ...(spent ? { spent } : {}), ...(failure ? { failure } : {}) }
}
