// The challenger's verdicts on a tree, and on claims that an issue is a false positive. Claims may also come alone.
import { renderChallengerPrompt } from '../../agents/prompts/challenger.ts'
import { validateReply } from '../../agents/replies/validate-reply.ts'
import { Brief, EMPTY_BRIEF, filterBrief } from '../../domain/plan/brief.ts'
import { fixChallengerEvaluating } from '../../domain/session/events/challenge-events.ts'
import type { CallFailure } from '../../domain/session/failure.ts'
import { getProfile } from '../../domain/settings/schema.ts'
import type { ChallengeInput, ChallengeOutcome } from '../../domain/workflow-types/index.ts'
import { diffText, listChanges } from '../../platform/git/workspace/diff.ts'
import { type AgentRequest, callAgent } from '../agent-call/call-agent.ts'
import { listCallKeys } from '../agent-call/call-with-repair.ts'
import { findOverBudgetIssues } from '../agent-call/enforce-budget.ts'
import { buildPromptFrame, createBlockId, loadPromptContext, loadSources } from '../agent-call/prompt-context.ts'
import { runWithGemini } from '../agent-call/run-with-cli.ts'
import { appendEvents } from '../append-events.ts'
import { loadArtifact } from '../artifacts.ts'
import { type ActivityContext, getIssue, type Heartbeat, loadSession, loadWorkspace } from '../context.ts'
import { composeTree, loadFixClaims } from '../fix/compose-tree.ts'
import { gatherFeedback } from '../fix/gather-feedback.ts'
import { storeGateRecord } from '../gate-records.ts'
import { findUnusedFiles } from '../scope/find-additions.ts'
import { findOffTarget, flagCheckTampering } from './flag-doubtful-changes.ts'
import { loadChallengeContext } from './load-challenge-context.ts'
import {
  challengedCodes,
  challengeResultEvents,
  falsePositiveClaims,
  type MergedVerdicts,
  mergeVerdict,
  toChallengeOutcome,
} from './merge-verdicts.ts'

const CHALLENGER_ROLE = 'fix_challenger'

/**
 * Asks again for an unusable or incomplete reply, once with the problem and once more without. An issue without a score
 * after that is unchallenged, which is not approved. Verdicts that came before a failure (a budget, say) stay.
 */
export async function challengeTree(
  context: ActivityContext,
  input: ChallengeInput,
  heartbeat: Heartbeat,
): Promise<ChallengeOutcome> {
  const session = await loadSession(context, input.sessionId)
  const workspace = loadWorkspace(context, session.id, input.lane)
  const { tree, claims, owners, lost } = await composeTree(workspace, input.head, input.selections)
  const denied = await loadFixClaims(workspace, input.claims ?? [])
  const all = challengedCodes(input)
  // Without changes there is no whole diff to score.
  const wholeDiffScore = getProfile(session.settings).whole_diff_score && input.codes.length > 0
  const doubtful = falsePositiveClaims(input).map((code) => getIssue(session, code))
  const [{ verdicts: earlier }, diff, background, brief, sources] = await Promise.all([
    gatherFeedback(context, session, input.earlierStepIds, all),
    diffText(workspace, input.head, tree),
    loadPromptContext(context, session, workspace),
    input.brief === undefined ? EMPTY_BRIEF : loadArtifact(context, input.brief, Brief),
    doubtful.length > 0 ? loadSources(context, workspace, tree, doubtful) : undefined,
  ])
  const silenced = await flagCheckTampering(context, session, diff)
  const seesContext = (session.settings.fix_challenger.sees ?? 'diff') !== 'diff' && diff !== ''
  const challenged = { stepId: input.stepId, head: input.head, tree, diff }
  const beside = seesContext ? await loadChallengeContext(context, session, workspace, challenged) : undefined
  const readableTree = beside?.tree?.folder
  const offTarget = findOffTarget(session, owners, input.codes)
  const added = (await listChanges(workspace, input.head, tree)).filter(({ kind }) => kind === 'added')
  const unneeded = [...(await findUnusedFiles(session, workspace, tree, added))]
  const base = {
    iteration: input.iteration,
    ...buildPromptFrame(session),
    ...background,
    beside,
    diff,
    solvedThreshold: session.settings.fix_challenger.solved_threshold,
    offTarget,
    silenced,
    unneeded,
    claims: [...Object.values(claims), ...Object.values(denied)],
    falsePositives: falsePositiveClaims(input),
    sources,
    notes: session.record.user_notes,
    whole: wholeDiffScore,
    earlier: Object.keys(earlier).length > 0 ? earlier : undefined,
  }
  await appendEvents(context, session.id, [
    fixChallengerEvaluating(input.stepId, { codes: all, tree, diff_characters: diff.length }),
  ])

  const merged: MergedVerdicts = { verdicts: {} }
  let bad: { problem: string; answer: string } | undefined
  let failure: CallFailure | undefined
  let codes = all
  const keys = listCallKeys(input.stepId)
  for (const key of keys) {
    const repair = key === keys[1]
    if (repair && !bad) continue
    const prompt = renderChallengerPrompt(context.agents, {
      ...base,
      stepId: key,
      blockId: createBlockId(),
      issues: codes.map((code) => getIssue(session, code)),
      clarifications: filterBrief(brief, codes).clarifications,
      ...(repair ? { repair: bad } : {}),
    })
    const deadlineMs = session.settings.gemini.timeout_seconds * 1000
    const { ignoresLimits } = input
    const question: AgentRequest = {
      key,
      role: CHALLENGER_ROLE,
      prompt,
      codes,
      ignoresLimits,
      keepsPaidWork: true,
      deadlineMs,
      run: runWithGemini(context, session, { readableTree }),
    }
    const answer = await callAgent(context, session, question, heartbeat)
    if (answer.kind === 'failed') {
      if (answer.failure.class === 'no_usable_work') continue
      failure = answer.failure
      break
    }
    const parsed = validateReply('challenge', { text: answer.text })
    const problem =
      parsed.kind === 'valid'
        ? mergeVerdict(parsed.value, codes, merged, { input, whole: wholeDiffScore, offTarget })
        : parsed.problem
    if (problem === undefined) break
    bad = { problem, answer: answer.text }
    codes = all.filter((code) => merged.verdicts[code] === undefined)
    if (codes.length === 0) codes = all
  }

  if (failure && Object.keys(merged.verdicts).length === 0) {
    return { tree, issues: {}, unchallenged: [], feedbackKey: '', failure }
  }
  await storeGateRecord(context, session, input.stepId, {
    tree,
    ...merged,
    ...(silenced.length > 0 ? { silenced } : {}),
  })
  await appendEvents(context, session.id, challengeResultEvents(session, input, merged, failure !== undefined))
  const spent = await findOverBudgetIssues(context, session, all)
  const outcome = toChallengeOutcome(input, tree, merged)
  // Nothing of the tree says so, but their changes are not all in it.
  const incomplete = lost.map((code) => [code, { score: 0, blockers: 1 }])
  return {
    ...outcome,
    ...(incomplete.length > 0 ? { issues: { ...outcome.issues, ...Object.fromEntries(incomplete) } } : {}),
    ...(spent ? { overspent: spent } : {}),
    ...(failure ? { failure } : {}),
  }
}
