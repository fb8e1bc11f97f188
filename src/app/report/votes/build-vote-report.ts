// Builds the report of two votes from the store and the artifacts, also while they are cast.

import { hasEnded, type SessionRecord } from '../../../domain/session/session.ts'
import { APPROVAL_MEAN, type Ballot, type VoteVerdict } from '../../../domain/vote/ballot.ts'
import { listVoters } from '../../../domain/vote/merge-votes.ts'
import { type CastVote, type MergedFinding, VoteRecord } from '../../../domain/vote/vote-record.ts'
import { parseVoteSubject, type VoteSubject } from '../../../domain/vote/vote-subject.ts'
import type { AppContext } from '../../context.ts'
import { openHomeArtifacts } from '../../open-artifacts.ts'

export interface VoteReport {
  readonly session_id: string
  readonly kind: 'votes'
  readonly status: SessionRecord['status']
  readonly is_over: boolean
  readonly repository: string
  readonly subject: VoteSubject
  /** Also `no_verdict` as long as the votes are not counted. */
  readonly verdict: VoteVerdict
  readonly mean: number | null
  readonly threshold: number
  /** Why there is no verdict. */
  readonly reasons: readonly string[]
  readonly ballots: readonly Ballot[]
  readonly votes: readonly Omit<CastVote, 'findings'>[]
  readonly findings: readonly ReportedVoteFinding[]
  readonly cost_usd: number
  readonly cost_partial: boolean
  readonly started_at: string
  readonly ended_at: string | null
}

export interface ReportedVoteFinding extends MergedFinding {
  readonly voters: readonly string[]
}

export async function buildVoteReport(
  { store, home }: Pick<AppContext, 'store' | 'home'>,
  session: SessionRecord,
): Promise<VoteReport> {
  const { session_id, status, repository, result, ending, started_at, ended_at } = session
  const subject = parseVoteSubject(session)
  if (!subject) throw new Error(`session ${session_id} votes on nothing`)
  const counted = result?.votes
  const record = counted && VoteRecord.parse(JSON.parse(await openHomeArtifacts({ home }).getText(counted.record_ref)))
  const spent = await store.agentCalls.sumSpending(session_id)
  return {
    session_id,
    kind: 'votes',
    status,
    is_over: hasEnded(status),
    repository,
    subject,
    verdict: counted?.verdict ?? 'no_verdict',
    mean: counted?.mean ?? null,
    threshold: APPROVAL_MEAN,
    reasons: counted?.reasons ?? [ending?.reason ?? 'the votes are not counted yet'],
    ballots: counted?.ballots ?? [],
    votes: (record?.votes ?? []).map(({ findings: _, ...vote }) => vote),
    findings: (record?.findings ?? []).map((finding) => ({ ...finding, voters: listVoters(finding) })),
    cost_usd: spent.cost_usd,
    cost_partial: spent.cost_partial ?? false,
    started_at,
    ended_at: ended_at ?? null,
  }
}
