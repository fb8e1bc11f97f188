// Words for git. Rules find them; where the settings ask for an agent it may propose nicer ones, which are checked and for which
// the rules stand in.
import { ApplicationFailure } from '@temporalio/activity'
import { branchPrompt, committerPrompt } from '../../agents/prompts/prompts.ts'
import { parseReply } from '../../agents/replies/parse-reply.ts'
import type { IssueRecord } from '../../domain/session/records.ts'
import type { ReplyName, ReplyOf } from '../../domain/stage/agent-replies.ts'
import { branchName, claimsTrailers, isPlainBranch } from '../../domain/text/branch-and-commit-names.ts'
import { branchHead, branchNameProblem, freeBranchName } from '../../platform/git/repository/branches.ts'
import { ask, blockId, type Question } from '../agent-call/agent-call.ts'
import { runClaude } from '../agent-call/cli-call.ts'
import { frameOf } from '../agent-call/prompt-background.ts'
import { issueOf, type Session, type Workshop } from '../context.ts'
import type { Beat } from '../heartbeat.ts'

export const NAMING_SECONDS = 120
const BRANCH_CALL = 'branch'

/**
 * The branch of a session, its own while it lives: the one that was asked for, or, where it takes up what an earlier session of the
 * same work left, that one's; any other gets a new one, which `propose` may find a name for where the settings want one of an agent.
 */
export async function takeBranch(
  shop: Workshop,
  session: Session,
  todo: readonly IssueRecord[],
  propose: () => Promise<string | undefined>,
): Promise<string> {
  const { sessions } = shop.store
  const { repository, key, base_commit, branch_name } = session.record
  if (branch_name !== undefined) return await stillOurs(session, branch_name)
  for (const { session_id, branch_name: branch, options } of await sessions.list({ key })) {
    if (session_id === session.id || branch === undefined || options.use_existing_branch) continue
    if ((await branchHead(repository, branch)) !== base_commit) continue
    if (await sessions.takeBranch(session.id, repository, branch)) return branch
  }
  const { naming, branch_prefix } = session.settings.git
  const wanted = (naming === 'agent' ? await propose() : undefined) ?? branchName(branch_prefix, todo)
  for (;;) {
    const running = await sessions.list({ repository, running: true, limit: 1000 })
    const spoken = running.flatMap((other) => (other.session_id === session.id ? [] : (other.branch_name ?? [])))
    const free = await freeBranchName(repository, wanted, spoken)
    if (await sessions.takeBranch(session.id, repository, free)) return free
  }
}

/** A name that was free when it was asked for may be somebody's by now, and nobody gave us leave to commit there. */
async function stillOurs({ record }: Session, branch: string): Promise<string> {
  const { repository, base_commit, options } = record
  if (options.branch_asked === undefined || options.use_existing_branch) return branch
  const head = await branchHead(repository, branch)
  if (head === undefined || head === base_commit) return branch
  throw ApplicationFailure.nonRetryable(
    `somebody made a branch ${branch} meanwhile: give --use-existing-branch to commit onto it, or another name`,
  )
}

/** Undefined where the rules' own is better. */
export async function askForBranch(
  shop: Workshop,
  session: Session,
  issues: readonly IssueRecord[],
  beat: Beat,
): Promise<string | undefined> {
  const asked = aboutBranch(shop, session, issues)
  const reply = await askForWords(shop, session, { ...asked, about: 'a name for the branch' }, 'branch', beat)
  if (!reply) return undefined
  const { branch_prefix } = session.settings.git
  const name = reply.branch.startsWith(branch_prefix) ? reply.branch : branch_prefix + reply.branch
  return isPlainBranch(name) && (await branchNameProblem(name)) === undefined ? name : undefined
}

/** A question for words of this kind, as it is put. */
export type Words = Pick<Question, 'key' | 'role' | 'prompt' | 'codes'>

export function aboutBranch(shop: Pick<Workshop, 'agents'>, session: Session, issues: readonly IssueRecord[]): Words {
  const [key, role, codes] = [BRANCH_CALL, 'git-branch-creator', issues.map((issue) => issue.issue_code)] as const
  const frame = { ...frameOf(session), blockId: blockId(), call: key, iteration: 1 }
  return { key, role, codes, prompt: branchPrompt(shop.agents, { ...frame, issues }) }
}

interface Committing {
  readonly call: string
  readonly codes: readonly string[]
  readonly diff: string
}

/** A proposed message for a commit; undefined where the rules' own is better. */
export async function askForMessage(
  shop: Workshop,
  session: Session,
  committing: Committing,
  beat: Beat,
): Promise<string | undefined> {
  const asked = aboutCommit(shop, session, committing)
  const reply = await askForWords(shop, session, { ...asked, about: 'words for the commit' }, 'commit', beat)
  // Trailers are ours; a message that names none of its issues is no better than the rules'.
  if (!reply || claimsTrailers(reply.message)) return undefined
  return committing.codes.every((code) => reply.message.includes(code)) ? reply.message : undefined
}

export function aboutCommit(
  shop: Pick<Workshop, 'agents'>,
  session: Session,
  { call, codes, diff }: Committing,
): Words {
  const [key, role] = [`${call}.message`, 'git-committer'] as const
  const issues = codes.map((code) => issueOf(session, code))
  const frame = { ...frameOf(session), blockId: blockId(), call: key, iteration: 1 }
  return { key, role, codes, prompt: committerPrompt(shop.agents, { ...frame, issues, diff }) }
}

async function askForWords<Name extends ReplyName>(
  shop: Workshop,
  session: Session,
  question: Omit<Question, 'run'>,
  reply: Name,
  beat: Beat,
): Promise<ReplyOf<Name> | undefined> {
  const { role } = question
  const run: Question['run'] = (place, { prompt }) =>
    runClaude(shop, session, { role, prompt, place, deadlineMs: NAMING_SECONDS * 1000, cwd: place.scratch })
  const answer = await ask(shop, session, { ...question, run }, beat)
  const parsed = answer.kind === 'answered' ? parseReply(reply, answer) : undefined
  return parsed?.kind === 'parsed' ? parsed.value : undefined
}
