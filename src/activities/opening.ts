// Opens a session: its branch's name, its private workspace, the issues that are still to be fixed, and the plan. The plan is
// made here and not in the workflow, so that the history holds it and a later rule can't change a session under way.
import { ApplicationFailure } from '@temporalio/activity'
import { branchPrompt } from '../agents/prompt.ts'
import { parseReply } from '../agents/reply.ts'
import type { NewEvent } from '../domain/events.ts'
import { isActionable } from '../domain/issue.ts'
import { branchName } from '../domain/names.ts'
import { codesOfBatch, planStages, type Stage } from '../domain/plan.ts'
import type { OpenedSession } from '../domain/protocol.ts'
import type { IssueRecord } from '../domain/records.ts'
import type { IssueFixResult } from '../domain/session.ts'
import { effectiveIterations, profileOf, type Settings } from '../domain/settings.ts'
import { branchHead, branchNameProblem, freeBranchName } from '../git/branches.ts'
import { openWorkspace } from '../git/workspace.ts'
import { ask } from './asking.ts'
import type { Beat } from './beating.ts'
import { blockId } from './fixing.ts'
import { runClaude } from './running-agents.ts'
import { aboutIssue, loadSession, type Session, tell, type Workshop, workspaceFolder } from './workshop.ts'

const NAMING_MS = 120_000

export async function openSession(
  shop: Workshop,
  { sessionId }: { sessionId: string },
  beat: Beat,
): Promise<OpenedSession> {
  const session = await loadSession(shop, sessionId)
  const { settings, record, issues } = session
  const profile = profileOf(settings)
  await tell(shop, sessionId, [
    {
      key: 'session/started',
      type: 'fix_session_started',
      message: `${issues.length} issue(s) in ${record.repository}, profile ${settings.profile}`,
      total_issues: issues.length,
      data: { profile: settings.profile, max_iterations: effectiveIterations(settings), base: record.base_commit },
    },
  ])
  const base = record.base_commit
  if (base === undefined) throw ApplicationFailure.nonRetryable(`session ${sessionId} has no base commit`)
  const todo = await takeUp(shop, session)
  const stages = planStages(
    todo.map(({ issue_code, file, estimated_effort, estimated_files_count }) => ({
      code: issue_code,
      file,
      effort: estimated_effort,
      files: estimated_files_count,
    })),
    profile.stage,
    {
      maxIssuesPerCall: settings.limits.max_issues_per_cli_call,
      maxWorkloadPoints: settings.limits.max_workload_points_per_batch,
      defaultEffort: settings.limits.default_effort,
      defaultFiles: settings.limits.default_files_count,
    },
  )
  const branch = record.branch_name ?? (await nameBranch(shop, session, todo, beat))
  await openWorkspace({
    repository: record.repository,
    base,
    branch,
    directory: workspaceFolder(shop, sessionId),
    ignore: settings.scope.artefacts,
  })
  await shop.store.sessions.update(sessionId, { branch_name: branch, status: 'generating' })
  await tell(shop, sessionId, planEvents(session, stages, branch))
  return {
    queue: shop.hostQueue,
    repository: record.repository,
    branch,
    base,
    cut: profile.stage,
    stages,
    rules: {
      maxIterations: effectiveIterations(settings),
      solvedThreshold: settings.fix_challenger.solved_threshold,
      satisfactionThreshold: settings.fix_challenger.satisfaction_threshold,
      challenge: settings.fix_challenger.enabled,
      verify: settings.verification.commands.length > 0,
      wholeDiffScore: profile.whole_diff_score,
    },
    clocks: clocksOf(settings),
    attributes: shop.attributes,
    continueAfterEvents: settings.worker.history_events_before_continue,
  }
}

function clocksOf(settings: Settings): OpenedSession['clocks'] {
  const { verification, limit_wait } = settings
  return {
    fixSeconds: settings.claude.timeout_seconds,
    challengeSeconds: settings.gemini.timeout_seconds,
    verifySeconds: verification.timeout_seconds * Math.max(verification.commands.length, 1),
    heartbeatSeconds: settings.worker.heartbeat_timeout_seconds,
    backoffMinSeconds: limit_wait.backoff_min_seconds,
    backoffMaxSeconds: limit_wait.backoff_max_seconds,
    giveUpAfterSeconds: limit_wait.give_up_after_seconds,
  }
}

/** Marks what is to be fixed as in progress; what is settled, or in another session's hands, is left out and says why. */
async function takeUp(shop: Workshop, session: Session): Promise<IssueRecord[]> {
  const todo: IssueRecord[] = []
  for (const issue of session.issues) {
    await tell(shop, session.id, [
      {
        key: `${issue.issue_code}/validating`,
        type: 'fix_issue_validating',
        message: `is ${issue.status}, about ${issue.file}`,
        ...aboutIssue(session, issue.issue_code),
      },
    ])
    const move = isActionable(issue.status)
      ? await shop.store.issues.move({
          issue_id: issue.issue_id,
          to: 'in_progress',
          mover: 'session',
          session_id: session.id,
        })
      : undefined
    if (move?.kind === 'moved') {
      todo.push(issue)
      continue
    }
    const reason = move?.problem ?? settledReason(issue)
    await shop.store.sessions.setOutcome(session.id, skipped(issue, reason))
    await tell(shop, session.id, [
      {
        key: `${issue.issue_code}/skipped`,
        type: 'fix_issue_skipped',
        message: reason,
        ...aboutIssue(session, issue.issue_code),
      },
    ])
  }
  return todo
}

function settledReason({ status, fix_commit_sha, fix_branch, resolution_note }: IssueRecord): string {
  const where = fix_commit_sha ? ` by ${fix_commit_sha.slice(0, 10)}${fix_branch ? ` on ${fix_branch}` : ''}` : ''
  const note = resolution_note ? ` (${resolution_note})` : ''
  return `is ${status} already${where}${note}`
}

export function skipped(issue: IssueRecord, reason: string): IssueFixResult {
  return {
    issue_id: issue.issue_id,
    issue_code: issue.issue_code,
    status: 'skipped',
    error: reason,
    fix_files_modified: issue.fix_files_modified,
    false_positive: false,
    iterations: 0,
    ...(issue.fix_commit_sha === undefined ? {} : { commit_sha: issue.fix_commit_sha }),
  }
}

/** A session that takes up what an earlier one of the same work left keeps its branch; any other gets one of its own. */
async function nameBranch(shop: Workshop, session: Session, todo: readonly IssueRecord[], beat: Beat): Promise<string> {
  const { repository, key, base_commit } = session.record
  const { git } = session.settings
  const sessions = await shop.store.sessions.list({ repository, limit: 200 })
  for (const earlier of sessions) {
    if (earlier.key !== key || earlier.session_id === session.id || !earlier.branch_name) continue
    if ((await branchHead(repository, earlier.branch_name)) === base_commit) return earlier.branch_name
  }
  const named = todo.length > 0 ? todo : session.issues
  const proposed = git.naming === 'agent' ? await askForName(shop, session, named, beat) : undefined
  return await freeBranchName(repository, proposed ?? branchName(git.branch_prefix, named))
}

async function askForName(
  shop: Workshop,
  session: Session,
  issues: readonly IssueRecord[],
  beat: Beat,
): Promise<string | undefined> {
  const role = 'git-branch-creator'
  const prompt = branchPrompt(shop.agents, { blockId: blockId(), call: 'branch', iteration: 1, issues })
  const cwd = shop.sessions
  const answer = await ask(
    shop,
    session,
    {
      key: 'branch',
      role,
      prompt,
      about: 'a name for the branch',
      run: (place) => runClaude(shop, session, { role, prompt, place, deadlineMs: NAMING_MS, cwd }),
    },
    beat,
  )
  const parsed = answer.kind === 'answered' ? parseReply('branch', answer) : undefined
  if (parsed?.kind !== 'parsed') return undefined
  const { branch } = parsed.value
  const prefixed = branch.startsWith(session.settings.git.branch_prefix)
    ? branch
    : session.settings.git.branch_prefix + branch
  return (await branchNameProblem(prefixed)) === undefined ? prefixed : undefined
}

function planEvents(session: Session, stages: readonly Stage[], branch: string): NewEvent[] {
  const batches = stages.flatMap((stage) => stage.batches)
  const events = batches.flatMap((batch) =>
    codesOfBatch(batch).map(
      (code): NewEvent => ({
        key: `${code}/analyzing`,
        type: 'fix_issue_analyzing',
        message: `planned into ${batch.label}`,
        ...aboutIssue(session, code),
      }),
    ),
  )
  const plan = batches.map(({ label, workload, steps }) => ({ label, workload, steps }))
  const message = `${batches.length} batch(es) in ${stages.length} stage(s), onto ${branch}`
  return [...events, { key: 'plan', type: 'fix_plan_ready', message, data: { branch, batches: plan } }]
}
