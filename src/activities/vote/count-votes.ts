// Counts the votes: what they add up to, and their findings merged. The head is looked at once more: a verdict on a commit that its name
// does not lead to any more is none.
import { fixVotesCounted } from '../../domain/session/events/vote-events.ts'
import { formatStepId } from '../../domain/session/step-id.ts'
import { parseDiff } from '../../domain/text/unified-diff.ts'
import { countBallots, type MovedHead, VOTERS } from '../../domain/vote/ballot.ts'
import { findCommentPlace } from '../../domain/vote/comment-place.ts'
import { listVoters, mergeVotes } from '../../domain/vote/merge-votes.ts'
import { CastVote, type MergedFinding, type VoteRecord, type VoteSummary } from '../../domain/vote/vote-record.ts'
import type { VoteSubject } from '../../domain/vote/vote-subject.ts'
import type { CountVotesInput } from '../../domain/workflow-types/index.ts'
import { resolveCommit } from '../../platform/git/repository/inspect.ts'
import { diffText } from '../../platform/git/workspace/diff.ts'
import { appendEvents } from '../append-events.ts'
import { loadArtifact, storeArtifact } from '../artifacts.ts'
import { type ActivityContext, loadSession, type Session } from '../context.ts'
import { loadVoteSubject } from './pinned-change.ts'
import { openClone } from './voter-checkouts.ts'

const RECORD_NAME = 'votes'

export async function countVotes(
  context: ActivityContext,
  { sessionId, ballots }: CountVotesInput,
): Promise<VoteSummary> {
  const session = await loadSession(context, sessionId)
  const subject = loadVoteSubject(session)
  const votes = await loadCastVotes(context, sessionId)
  const findings = await placeComments(context, session, mergeVotes(votes))
  const record: VoteRecord = { session_id: sessionId, subject, votes, findings }
  const { verdict, mean, reasons } = countBallots(ballots, await findMovedHead(session, subject))
  await appendEvents(context, sessionId, [
    fixVotesCounted({ verdict, mean, reasons: [...reasons], findings: findings.length }),
  ])
  return {
    verdict,
    ...(mean === undefined ? {} : { mean }),
    reasons: [...reasons],
    // In the order of the roster, whoever answered first.
    ballots: ballots.toSorted((one, other) => VOTERS.indexOf(one.voter) - VOTERS.indexOf(other.voter)),
    base: subject.base.commit,
    head: subject.head.commit,
    findings: findings.length,
    shared: findings.filter((each) => listVoters(each).length > 1).length,
    record_ref: await storeArtifact(context, sessionId, 'findings', RECORD_NAME, JSON.stringify(record)),
  }
}

/** The lines are looked up while the clone is there. */
async function placeComments(
  context: ActivityContext,
  session: Session,
  findings: readonly MergedFinding[],
): Promise<MergedFinding[]> {
  if (findings.length === 0) return []
  const { parted_at, head } = loadVoteSubject(session)
  const diff = parseDiff(await diffText(await openClone(context, session), parted_at, head.commit))
  return findings.map((each) => {
    const [place] = each.reports.flatMap(({ finding }) => findCommentPlace(finding, diff) ?? [])
    return place === undefined ? each : { ...each, comment_at: place }
  })
}

async function loadCastVotes(context: ActivityContext, sessionId: string): Promise<CastVote[]> {
  const stored = await context.store.artifacts.listForSession(sessionId, { kind: 'findings' })
  const refs = VOTERS.flatMap(
    (voter) => stored.find(({ name }) => name === formatStepId({ kind: 'vote', voter }))?.ref ?? [],
  )
  return await Promise.all(refs.map((ref) => loadArtifact(context, ref, CastVote)))
}

/** A head that was named by its hash can't move. */
async function findMovedHead({ record }: Session, { head }: VoteSubject): Promise<MovedHead | undefined> {
  if (head.commit.startsWith(head.name)) return undefined
  const to = await resolveCommit(record.repository, head.name)
  return to === head.commit ? undefined : { name: head.name, to }
}
