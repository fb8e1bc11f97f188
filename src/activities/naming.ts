// Words for git. Rules find them; where the settings ask for an agent it may propose nicer ones, which are checked and for which
// the rules stand in.
import { ApplicationFailure } from '@temporalio/activity'
import { branchPrompt, committerPrompt } from '../agents/prompt.ts'
import { parseReply } from '../agents/reply.ts'
import { branchName, claimsTrailers, isPlainBranch } from '../domain/names.ts'
import type { IssueRecord } from '../domain/records.ts'
import type { ReplyName, ReplyOf } from '../domain/reply.ts'
import { branchHead, branchNameProblem, freeBranchName } from '../git/branches.ts'
import { ask, blockId, type Question } from './asking.ts'
import { frameOf } from './background.ts'
import type { Beat } from './beating.ts'
import { runClaude } from './running-agents.ts'
import { issueOf, type Session, type Workshop } from './workshop.ts'

const NAMING_MS = 120_000

/**
 * The branch of a session, its own while it lives: the one that was asked for, or, where it takes up what an earlier session of the
 * same work left, that one's; any other gets a new one.
 */
export async function takeBranch(
  shop: Workshop,
  session: Session,
  todo: readonly IssueRecord[],
  beat: Beat,
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
  const wanted =
    (naming === 'agent' ? await askForBranch(shop, session, todo, beat) : undefined) ?? branchName(branch_prefix, todo)
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

async function askForBranch(
  shop: Workshop,
  session: Session,
  issues: readonly IssueRecord[],
  beat: Beat,
): Promise<string | undefined> {
  const key = 'branch'
  const prompt = branchPrompt(shop.agents, {
    ...frameOf(session),
    ...{ blockId: blockId(), call: key, iteration: 1, issues },
  })
  const codes = issues.map(({ issue_code }) => issue_code)
  const question = { key, role: 'git-branch-creator', prompt, codes, about: 'a name for the branch' } as const
  const reply = await askForWords(shop, session, question, 'branch', beat)
  if (!reply) return undefined
  const { branch_prefix } = session.settings.git
  const name = reply.branch.startsWith(branch_prefix) ? reply.branch : branch_prefix + reply.branch
  return isPlainBranch(name) && (await branchNameProblem(name)) === undefined ? name : undefined
}

/** A proposed message for a commit; undefined where the rules' own is better. */
export async function askForMessage(
  shop: Workshop,
  session: Session,
  { call, codes, diff }: { readonly call: string; readonly codes: readonly string[]; readonly diff: string },
  beat: Beat,
): Promise<string | undefined> {
  const key = `${call}.message`
  const issues = codes.map((code) => issueOf(session, code))
  const prompt = committerPrompt(shop.agents, {
    ...frameOf(session),
    ...{ blockId: blockId(), call: key, iteration: 1, issues, diff },
  })
  const question = { key, role: 'git-committer', prompt, codes, about: 'words for the commit' } as const
  const reply = await askForWords(shop, session, question, 'commit', beat)
  // Trailers are ours; a message that names none of its issues is no better than the rules'.
  if (!reply || claimsTrailers(reply.message)) return undefined
  return codes.every((code) => reply.message.includes(code)) ? reply.message : undefined
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
    runClaude(shop, session, { role, prompt, place, deadlineMs: NAMING_MS, cwd: place.scratch })
  const answer = await ask(shop, session, { ...question, run }, beat)
  const parsed = answer.kind === 'answered' ? parseReply(reply, answer) : undefined
  return parsed?.kind === 'parsed' ? parsed.value : undefined
}
