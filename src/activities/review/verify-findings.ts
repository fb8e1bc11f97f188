// Has findings verified in a fresh call that is told to disprove them, and knows nothing of who found them.
import { renderVerifierPrompt } from '../../agents/prompts/review.ts'
import { DisproofReply } from '../../domain/review/replies.ts'
import type { VerifyFindingsInput, VerifyFindingsOutcome } from '../../domain/workflow-types/index.ts'
import { resetWorkTree } from '../../platform/git/workspace/snapshot-and-reset.ts'
import { callWithRepair } from '../agent-call/call-with-repair.ts'
import { describeTreeChanges } from '../agent-call/describe-tree-changes.ts'
import { buildPromptFrame, createBlockId } from '../agent-call/prompt-context.ts'
import { runWithClaude } from '../agent-call/run-with-cli.ts'
import { loadArtifact, storeArtifact } from '../artifacts.ts'
import { type ActivityContext, type Heartbeat, loadSession, loadWorkspace } from '../context.ts'
import { loadChange, writeChange } from './load-change.ts'
import { loadReportedReview } from './review-change.ts'

/** Names of artifacts that hold a verifier's verdicts begin with this. */
const VERIFIED = 'verified/'

export async function verifyFindings(
  context: ActivityContext,
  { sessionId, stepId, ids }: VerifyFindingsInput,
  heartbeat: Heartbeat,
): Promise<VerifyFindingsOutcome> {
  const session = await loadSession(context, sessionId)
  const workspace = loadWorkspace(context, sessionId)
  const { findings } = await loadReportedReview(context, sessionId)
  const change = await writeChange(context, session, workspace, await loadChange(session, workspace))
  const answer = await callWithRepair(
    context,
    session,
    {
      key: stepId,
      role: 'review_verifier',
      reply: 'disproof',
      iteration: 1,
      codes: [],
      about: `do ${ids.join(', ')} stand?`,
      prompt: renderVerifierPrompt(context.agents, {
        blockId: createBlockId(),
        stepId,
        change,
        findings: findings.filter(({ id }) => ids.includes(id)),
        notes: session.record.user_notes,
        limits: buildPromptFrame(session).limits,
      }),
      startsOver: false,
      deadlineMs: session.settings.claude.timeout_seconds * 1000,
      beforeCall: () => resetWorkTree(workspace, workspace.base),
      run: runWithClaude(context, session, { readableFolders: [change.diffs], checkout: workspace }),
    },
    heartbeat,
  )
  const changed = await describeTreeChanges(context, workspace)
  if (changed !== undefined) {
    const detail = `the verifier changed what it was to read: ${changed}`
    return { failure: { class: 'no_usable_work', reason: 'unreadable', detail } }
  }
  if (answer.kind === 'failed') return { failure: answer.failure }
  await storeArtifact(context, sessionId, 'findings', `${VERIFIED}${stepId}`, JSON.stringify(answer.value))
  return {}
}

export async function loadVerdicts(context: ActivityContext, sessionId: string): Promise<DisproofReply['verdicts']> {
  const stored = await context.store.artifacts.listForSession(sessionId, { kind: 'findings' })
  const own = stored.filter(({ name }) => name.startsWith(VERIFIED))
  const replies = await Promise.all(own.map(({ ref }) => loadArtifact(context, ref, DisproofReply)))
  return replies.flatMap(({ verdicts }) => verdicts)
}
