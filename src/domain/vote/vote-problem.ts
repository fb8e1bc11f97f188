// What is wrong with a vote that can be read. The form of the answer, sent back, holds every field, so each is checked against what only
// a voter that has read the change can know: its commit and its files.
import type { ReviewFinding } from '../review/finding.ts'
import { APPROVAL_MEAN, type NoVoteReason } from './ballot.ts'
import type { VoteReply } from './vote-record.ts'

export interface CheckedVote extends Omit<VoteReply, 'findings'> {
  readonly findings: readonly Pick<ReviewFinding, 'file' | 'severity' | 'origin'>[]
}

/** What is voted on. */
export interface VotedChange {
  /** The whole hash. */
  readonly head: string
  /** Every path that the change adds, changes, renames or deletes; of a renamed file the new one. */
  readonly files: readonly string[]
}

export interface VoteProblem {
  readonly reason: Extract<NoVoteReason, 'template' | 'wrong_head' | 'incomplete' | 'contradictory' | 'empty'>
  /** Also tells the voter what to do about it. */
  readonly text: string
}

const PLACEHOLDER = /^\s*(?:<[^>]*>|…|\.{3}|path|why|head|commit|string)?\s*$/
const MAX_NAMED_FILES = 20

export function findVoteProblem(vote: CheckedVote, { head, files }: VotedChange): VoteProblem | undefined {
  const { reviewed, not_reviewed, findings } = vote
  const named = [...reviewed, ...not_reviewed.map(({ path }) => path)]
  if (PLACEHOLDER.test(vote.head) && named.every((path) => PLACEHOLDER.test(path)))
    return { reason: 'template', text: 'it is the form of the answer, not an answer: fill in each field' }
  if (vote.head.trim().toLowerCase() !== head)
    return { reason: 'wrong_head', text: `\`head\` must be ${head}, the commit to vote on, and is ${vote.head}` }
  const unnamed = files.filter((path) => !named.includes(path))
  if (unnamed.length > 0)
    return {
      reason: 'incomplete',
      text: `neither \`reviewed\` nor \`not_reviewed\` names ${describePaths(unnamed)}: each changed file belongs into one`,
    }
  if (files.length > 0 && reviewed.every((path) => !files.includes(path)))
    return { reason: 'incomplete', text: 'no changed file was reviewed, so there is nothing to vote on' }
  if ([vote.verdict_text, vote.feedback].every((text) => PLACEHOLDER.test(text)))
    return { reason: 'empty', text: '`verdict_text` and `feedback` must give the reasons for the vote' }
  const critical = findings.find(({ severity, origin }) => severity === 'critical' && origin === 'introduced')
  if (vote.vote >= APPROVAL_MEAN && critical)
    return {
      reason: 'contradictory',
      text:
        `a vote of ${vote.vote} approves, and the finding in ${critical.file} is critical: either its failure is less ` +
        `severe, or the vote is below ${APPROVAL_MEAN}`,
    }
  return undefined
}

function describePaths(paths: readonly string[]): string {
  const shown = paths.slice(0, MAX_NAMED_FILES).join(', ')
  return paths.length > MAX_NAMED_FILES ? `${shown} and ${paths.length - MAX_NAMED_FILES} more` : shown
}
