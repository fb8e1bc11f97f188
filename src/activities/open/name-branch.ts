// Branch names and subjects of commits. The rules make them; an agent may propose better ones, which are checked. It is paid only
// after the base was verified.

import { ApplicationFailure } from '@temporalio/activity'
import { renderBranchPrompt, renderCommitterPrompt } from '../../agents/prompts/repair-and-naming.ts'
import { validateReply } from '../../agents/replies/validate-reply.ts'
import { logBranchNamed } from '../../domain/session/events/logs/session-logs.ts'
import { formatStepId, formatStepPart } from '../../domain/session/step-id.ts'
import type { IssueRecord } from '../../domain/session/store-records.ts'
import type { ReplyName, ReplyOf } from '../../domain/stage/reply-schemas.ts'
import { composeBranchName, isSafeBranchName } from '../../domain/text/branch-names.ts'
import { branchNameProblem, findFreeBranchName, readBranchHead } from '../../platform/git/repository/branches.ts'
import { renameBranch } from '../../platform/git/workspace/workspace.ts'
import { type AgentRequest, callAgent } from '../agent-call/call-agent.ts'
import { buildPromptFrame, createBlockId } from '../agent-call/prompt-context.ts'
import { runWithClaude } from '../agent-call/run-with-cli.ts'
import { appendEvents } from '../append-events.ts'
import {
  type ActivityContext,
  claimedIssues,
  getIssue,
  type Heartbeat,
  loadSession,
  loadWorkspace,
  type Session,
} from '../context.ts'

const BRANCH_STEP_ID = formatStepId({ kind: 'name_branch' })

/**
 * Reserves the session's branch while it runs: the requested one, else the branch of an earlier session of the same
 * work if its head is still our base, else a new one by the rules.
 */
export async function reserveBranch(
  context: ActivityContext,
  session: Session,
  todo: readonly IssueRecord[],
): Promise<string> {
  const { sessions } = context.store
  const { repository, repository_id, key, base_commit, branch_name } = session.record
  if (branch_name !== undefined) return await assertBranchStillOurs(session, branch_name)
  for (const { session_id, branch_name: branch, options } of await sessions.list({ key })) {
    if (session_id === session.id || branch === undefined || options.use_existing_branch) continue
    if ((await readBranchHead(repository, branch)) !== base_commit) continue
    if (await sessions.reserveBranch(session.id, repository_id, branch)) return branch
  }
  return await reserveFreeName(context, session, composeBranchName(session.settings.git.branch_prefix, todo))
}

async function reserveFreeName(context: ActivityContext, session: Session, wanted: string): Promise<string> {
  const { sessions } = context.store
  const { repository, repository_id } = session.record
  for (;;) {
    const running = await sessions.list({ repository_id, running: true, limit: 1000 })
    const spoken = running.flatMap((other) => (other.session_id === session.id ? [] : (other.branch_name ?? [])))
    const free = await findFreeBranchName(repository, wanted, spoken)
    if (await sessions.reserveBranch(session.id, repository_id, free)) return free
  }
}

/** Whether an agent is to name this branch: nobody asked for it by name, and it does not exist yet. */
export async function isNamedByAgent({ settings, record }: Session, branch: string): Promise<boolean> {
  if (settings.git.naming !== 'agent' || record.options.branch_asked !== undefined) return false
  return (await readBranchHead(record.repository, branch)) === undefined
}

/** Gives the session's branch, on which there is no commit yet, the name that an agent proposes. */
export async function nameBranch(
  context: ActivityContext,
  { sessionId }: { readonly sessionId: string },
  heartbeat: Heartbeat,
): Promise<{ readonly branch: string }> {
  const session = await loadSession(context, sessionId)
  const workspace = loadWorkspace(context, sessionId)
  const wanted = await proposeBranchName(context, session, claimedIssues(session), heartbeat)
  if (wanted === undefined) return { branch: workspace.branch }
  const branch = await reserveFreeName(context, session, wanted)
  await renameBranch(workspace, branch)
  await appendEvents(context, sessionId, [logBranchNamed(BRANCH_STEP_ID, { branch })])
  return { branch }
}

/** A branch name that was free at the request may be somebody's by now, and nobody has allowed us to commit there. */
async function assertBranchStillOurs({ record }: Session, branch: string): Promise<string> {
  const { repository, base_commit, options } = record
  if (options.branch_asked === undefined || options.use_existing_branch) return branch
  const head = await readBranchHead(repository, branch)
  if (head === undefined || head === base_commit) return branch
  throw ApplicationFailure.nonRetryable(
    `somebody made a branch ${branch} meanwhile: give --use-existing-branch to commit onto it, or another name`,
  )
}

/** Undefined if the rules' own name is better. */
async function proposeBranchName(
  context: ActivityContext,
  session: Session,
  issues: readonly IssueRecord[],
  heartbeat: Heartbeat,
): Promise<string | undefined> {
  const asked = buildBranchRequest(context, session, issues)
  const reply = await callNamingAgent(
    context,
    session,
    { ...asked, about: 'a name for the branch' },
    'branch',
    heartbeat,
  )
  if (!reply) return undefined
  const { branch_prefix } = session.settings.git
  const name = reply.branch.startsWith(branch_prefix) ? reply.branch : branch_prefix + reply.branch
  return isSafeBranchName(name) && (await branchNameProblem(name)) === undefined ? name : undefined
}

export type NamingRequest = Pick<AgentRequest, 'key' | 'role' | 'prompt' | 'codes'>

export function buildBranchRequest(
  context: Pick<ActivityContext, 'agents'>,
  session: Session,
  issues: readonly IssueRecord[],
): NamingRequest {
  const [key, role, codes] = [BRANCH_STEP_ID, 'git-branch-creator', issues.map((issue) => issue.issue_code)] as const
  const frame = { ...buildPromptFrame(session), blockId: createBlockId(), stepId: key, iteration: 1 }
  return { key, role, codes, prompt: renderBranchPrompt(context.agents, { ...frame, issues }) }
}

interface SubjectsInput {
  readonly stepId: string
  /** The issues of each commit that needs a subject. */
  readonly commits: readonly (readonly string[])[]
  readonly diff: string
}

/** The subject of each commit by the code of its first issue; empty if the agent has none. */
export async function proposeSubjects(
  context: ActivityContext,
  session: Session,
  committing: SubjectsInput,
  heartbeat: Heartbeat,
): Promise<Readonly<Record<string, string>>> {
  const asked = buildSubjectsRequest(context, session, committing)
  const about = 'words for the commits'
  const reply = await callNamingAgent(context, session, { ...asked, about }, 'commit', heartbeat)
  return reply?.subjects ?? {}
}

export function buildSubjectsRequest(
  context: Pick<ActivityContext, 'agents'>,
  session: Session,
  { stepId, commits, diff }: SubjectsInput,
): NamingRequest {
  const [key, role, codes] = [
    formatStepPart(stepId, { kind: 'commit_message' }),
    'git-committer',
    commits.flat(),
  ] as const
  const issues = codes.map((code) => getIssue(session, code))
  const frame = { ...buildPromptFrame(session), blockId: createBlockId(), stepId: key, iteration: 1 }
  return { key, role, codes, prompt: renderCommitterPrompt(context.agents, { ...frame, issues, commits, diff }) }
}

async function callNamingAgent<Name extends ReplyName>(
  context: ActivityContext,
  session: Session,
  question: Omit<AgentRequest, 'deadlineMs' | 'run'>,
  reply: Name,
  heartbeat: Heartbeat,
): Promise<ReplyOf<Name> | undefined> {
  const run = runWithClaude(context, session)
  const deadlineMs = session.settings.claude.small_timeout_seconds * 1000
  const answer = await callAgent(context, session, { ...question, deadlineMs, run }, heartbeat)
  const parsed = answer.kind === 'answered' ? validateReply(reply, answer) : undefined
  return parsed?.kind === 'valid' ? parsed.value : undefined
}
