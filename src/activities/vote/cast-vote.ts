// One voter's vote. A reply that can't be counted is asked for once more, with what is wrong with it; then there is no vote. The two
// voters' activities run at the same time and share nothing but the commit.
import { renderVoterPrompt, type VoterPromptInput } from '../../agents/prompts/voter.ts'
import { validateReply } from '../../agents/replies/validate-reply.ts'
import { takeInFindings } from '../../domain/review/take-in-findings.ts'
import { fixVoteCast } from '../../domain/session/events/vote-events.ts'
import { formatStepId } from '../../domain/session/step-id.ts'
import { detectVendor } from '../../domain/settings/vendor-independence.ts'
import { truncateText } from '../../domain/text/truncate.ts'
import type { Ballot, NoVoteReason, Voter } from '../../domain/vote/ballot.ts'
import { toMissingBallot } from '../../domain/vote/vote-ending.ts'
import { findVoteProblem } from '../../domain/vote/vote-problem.ts'
import type { CastVote } from '../../domain/vote/vote-record.ts'
import type { CastVoteInput, CastVoteOutcome } from '../../domain/workflow-types/index.ts'
import { listCommitsBetween } from '../../platform/git/workspace/commits.ts'
import { diffText } from '../../platform/git/workspace/diff.ts'
import type { Workspace } from '../../platform/git/workspace/object-store.ts'
import { resetWorkTree } from '../../platform/git/workspace/snapshot-and-reset.ts'
import { type AgentRequest, callAgent } from '../agent-call/call-agent.ts'
import { listCallKeys } from '../agent-call/call-with-repair.ts'
import { describeTreeChanges } from '../agent-call/describe-tree-changes.ts'
import { loadConventions } from '../agent-call/load-conventions.ts'
import { createBlockId } from '../agent-call/prompt-context.ts'
import { runWithClaude, runWithGemini } from '../agent-call/run-with-cli.ts'
import { appendEvents } from '../append-events.ts'
import { storeArtifact } from '../artifacts.ts'
import { type ActivityContext, type Heartbeat, loadSession, type Session } from '../context.ts'
import { loadPinnedChange, loadPinnedFiles, type PinnedChange } from './pinned-change.ts'
import { openClone, writePlainTree } from './voter-checkouts.ts'

/** The history keeps it; the event log and the artifacts have the whole reply. */
const MAX_DETAIL = 300

export async function castVote(
  context: ActivityContext,
  { sessionId, stepId, voter }: CastVoteInput,
  heartbeat: Heartbeat,
): Promise<CastVoteOutcome> {
  const session = await loadSession(context, sessionId)
  const { prompt, run, change, checkout } = await prepareVoter(context, session, voter)
  const [first, again] = listCallKeys(stepId)
  let bad: { readonly problem: string; readonly answer: string } | undefined
  let ballot: Ballot | undefined
  for (const key of [first, again]) {
    const request: AgentRequest = {
      key,
      role: `voter_${voter}`,
      prompt: renderVoterPrompt(context.agents, { ...prompt, stepId: key, blockId: createBlockId(), repair: bad }),
      codes: [],
      about: `a vote on ${change.head.name}`,
      deadlineMs: session.settings.votes.timeout_seconds * 1000,
      beforeCall: async () => checkout && (await resetWorkTree(checkout, checkout.base)),
      run,
    }
    const answer = await callAgent(context, session, request, heartbeat)
    const changed = checkout && (await describeTreeChanges(context, checkout))
    if (changed !== undefined) {
      ballot = { kind: 'none', voter, reason: 'changed_files', detail: changed }
      break
    }
    if (answer.kind === 'failed') {
      if (answer.failure.class !== 'no_usable_work') return { failure: answer.failure }
      ballot = toMissingBallot(voter, answer.failure)
      continue
    }
    const read = await readVote(answer.text, change)
    if (read.kind === 'vote') {
      const { model = '' } = (await context.store.agentCalls.findLatest(sessionId, key)) ?? {}
      return { ballot: await recordVote(context, sessionId, stepId, { ...read.vote, voter, model }) }
    }
    ballot = { kind: 'none', voter, reason: read.reason, detail: truncateText(read.text, MAX_DETAIL) }
    bad = { problem: read.text, answer: answer.text }
  }
  if (!ballot) throw new Error(`${voter} was not asked`)
  await appendEvents(context, sessionId, [fixVoteCast(stepId, { ballot })])
  return { ballot }
}

type UnplacedVote = Omit<CastVote, 'voter' | 'model' | 'vendor'>

type ReadVote =
  | { readonly kind: 'vote'; readonly vote: UnplacedVote }
  | { readonly kind: 'problem'; readonly reason: NoVoteReason; readonly text: string }

async function readVote(text: string, change: PinnedChange): Promise<ReadVote> {
  const parsed = validateReply('vote', { text })
  if (parsed.kind !== 'valid') return { kind: 'problem', reason: 'unreadable', text: parsed.problem }
  const reply = parsed.value
  const files = await loadPinnedFiles(
    change,
    reply.findings.map(({ file }) => file),
  )
  const vote = { ...reply, findings: takeInFindings([{ findings: reply.findings }], files) }
  const problem = findVoteProblem(vote, {
    head: change.head.commit,
    files: change.changes.map(({ path }) => path),
  })
  return problem ? { kind: 'problem', ...problem } : { kind: 'vote', vote }
}

async function recordVote(
  context: ActivityContext,
  sessionId: string,
  stepId: string,
  vote: Omit<CastVote, 'vendor'>,
): Promise<Ballot> {
  const { voter, model } = vote
  const vendor = detectVendor(model, voter === 'claude' ? 'Anthropic' : 'Google')
  await storeArtifact(
    context,
    sessionId,
    'findings',
    formatStepId({ kind: 'vote', voter }),
    JSON.stringify({ ...vote, vendor } satisfies CastVote),
  )
  const ballot: Ballot = { kind: 'vote', voter, vendor, model, vote: vote.vote }
  await appendEvents(context, sessionId, [fixVoteCast(stepId, { ballot })])
  return ballot
}

interface PreparedVoter {
  readonly prompt: Omit<VoterPromptInput, 'stepId' | 'blockId' | 'repair'>
  readonly run: AgentRequest['run']
  readonly change: PinnedChange
  /** The checkout whose files must be the same after the vote. It is absent for a voter whose tools can't write. */
  readonly checkout?: Workspace
}

async function prepareVoter(context: ActivityContext, session: Session, voter: Voter): Promise<PreparedVoter> {
  const { settings } = session
  const clone = await openClone(context, session)
  const change = await loadPinnedChange(session, clone.gitDir)
  const { base, head, parted_at, changes } = change
  const [conventions, commits] = await Promise.all([
    loadConventions(
      { ...clone, base: base.commit },
      { names: settings.conventions, files: changes.map(({ path }) => path) },
    ),
    listCommitsBetween(clone.gitDir, parted_at, head.commit),
  ])
  const prompt = {
    voter,
    limits: { whole: settings.limits.max_prompt_characters },
    change: {
      base: parted_at,
      head: head.commit,
      files: changes.map(({ path, kind, from }) => ({ path, kind, from })),
    },
    messages: commits.map(({ message }) => message.trim()),
    conventions,
  }
  if (voter === 'claude') {
    const command = `git diff --find-renames ${parted_at} ${head.commit}`
    const run = runWithClaude(context, session, { checkout: clone, models: settings.votes.claude_models })
    return { change, run, checkout: clone, prompt: { ...prompt, shows: { kind: 'command', command } } }
  }
  const [tree, diff] = await Promise.all([
    writePlainTree(context, session, change),
    diffText(clone, parted_at, head.commit),
  ])
  const run = runWithGemini(context, session, { readableTree: tree.folder, models: settings.votes.gemini_models })
  const shows = { kind: 'diff', diff, tree: tree.folder, omitted: tree.omitted } as const
  return { change, run, prompt: { ...prompt, shows } }
}
