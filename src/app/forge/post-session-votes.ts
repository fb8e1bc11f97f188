// Posts the votes of a session, or those that another machine has left in a file, on their pull request, or waits for the workflow that does.

import { readFile } from 'node:fs/promises'
import { FixwrightError } from '../../domain/errors/fixwright-error.ts'
import type { VotesToPost } from '../../domain/forge/compose-votes.ts'
import { toWebOrigin } from '../../domain/forge/forge-address.ts'
import type { SessionRecord } from '../../domain/session/session.ts'
import type { Settings } from '../../domain/settings/schema.ts'
import { parseJsonIfValid } from '../../domain/text/parse-json.ts'
import { countBallots, type VoteVerdict } from '../../domain/vote/ballot.ts'
import { VoteFile, type VoteRecord } from '../../domain/vote/vote-record.ts'
import { parseVoteSubject, type VotesTarget } from '../../domain/vote/vote-subject.ts'
import { type PostVotesInput, type PostVotesSummary, toPostVotesId } from '../../domain/workflow-types/index.ts'
import type { AppContext } from '../context.ts'
import { openHomeArtifacts } from '../open-artifacts.ts'
import { loadOwnSettings, loadSessionSettings } from '../settings/load-settings.ts'
import { runForgeWork } from './follow-forge-work.ts'
import { parsePullAddress } from './pull-address.ts'

export type PostedVotes = Extract<PostVotesSummary, { readonly kind: 'posted' }>

export async function postSessionVotes(
  app: AppContext,
  session: SessionRecord,
  target: VotesTarget,
): Promise<PostedVotes> {
  const settings = await loadSessionSettings(app, session)
  return await runPosting(app, settings, { sessionId: session.session_id, target, votes: toVotes(session) })
}

export interface VoteFilePost {
  /** What `review-pr --format json` has printed. */
  readonly file: string
  readonly pull: string
  readonly approve: boolean
}

/** Needs no repository and no model. What the file says is checked: its ballots are counted once more. */
export async function postVoteFile(
  app: AppContext,
  { file, pull, approve }: VoteFilePost,
): Promise<{ readonly posted: PostedVotes; readonly verdict: VoteVerdict; readonly number: number }> {
  const settings = await loadOwnSettings(app)
  const { address, number } = parsePullAddress(pull, settings.github.host)
  const read = await readVoteFile(file)
  const { session_id: sessionId, verdict, mean, reasons, ballots, subject } = read
  const record: VoteRecord = { ...read, votes: read.votes.map((vote) => ({ ...vote, findings: [] })) }
  const { ref: record_ref } = await openHomeArtifacts(app).put(JSON.stringify(record))
  const { owner, name, host } = address
  const target = { remote: `${toWebOrigin(host)}/${owner}/${name}.git`, number, approve }
  const { commit: head } = subject.head
  const votes = { verdict, reasons, ballots, head, record_ref, ...(mean === null ? {} : { mean }) }
  return { posted: await runPosting(app, settings, { sessionId, target, votes }), verdict, number }
}

async function readVoteFile(file: string): Promise<VoteFile> {
  const refuse = (why: string): never => {
    throw new FixwrightError(
      'file_unusable',
      `${file} ${why}: give what "fixwright review-pr --format json" has printed`,
    )
  }
  const text = await readFile(file, 'utf8').catch((error: Error) => refuse(`can't be read (${error.message})`))
  const parsed = parseJsonIfValid(text)
  if (parsed === undefined) return refuse('is no JSON')
  const { data, error } = VoteFile.safeParse(parsed)
  if (data === undefined) return refuse(`is no report of two votes that are over (${error.issues[0]?.path.join('.')})`)
  if (data.verdict !== 'no_verdict' && countBallots(data.ballots).verdict !== data.verdict)
    return refuse(`says ${data.verdict}, and its ballots say ${countBallots(data.ballots).verdict}`)
  return data
}

interface Posting {
  readonly sessionId: string
  readonly target: VotesTarget
  readonly votes: VotesToPost
}

async function runPosting(
  app: AppContext,
  settings: Settings,
  { sessionId, target, votes }: Posting,
): Promise<PostedVotes> {
  const summary = await runForgeWork<PostVotesInput, PostVotesSummary>(app, settings, {
    ...{ kind: 'votes', workflowId: toPostVotesId(sessionId), summary: `votes on #${target.number}` },
    input: { sessionId, github: settings.github, ...target, votes },
  })
  if (summary.kind === 'refused') throw new FixwrightError(summary.code, summary.detail)
  return summary
}

/** A session that ended before the votes were counted has no verdict, which is posted, too. */
function toVotes(session: SessionRecord): VotesToPost {
  const { session_id: id, result, ending } = session
  if (result?.votes) return result.votes
  const head = parseVoteSubject(session)?.head.commit
  if (head === undefined) throw new FixwrightError('no_result', `session ${id} has voted on nothing`)
  return { verdict: 'no_verdict', reasons: [ending?.reason ?? 'the votes were not counted'], ballots: [], head }
}
