// What a person needs at a session's end: the commits, why each issue failed in the words of the gate that said no, the diff of its
// last attempt, and the command that goes on.
import type { FixSessionResult } from '../../domain/session/session.ts'
import { joinList } from '../../domain/text/join-list.ts'
import { shellQuote } from '../../domain/text/shell-quote.ts'
import { toOneLine, truncateText } from '../../domain/text/truncate.ts'
import { GitError } from '../../platform/git/git.ts'
import { readRemoteName } from '../../platform/git/repository/branches.ts'
import type { AppContext } from '../context.ts'
import { findSession } from '../session/find-sessions.ts'
import { buildIssueReport } from './issue-report.ts'
import { loadSessionData } from './load-session-data.ts'
import type { IssueReport, ReportedChallenge } from './report-model.ts'

export interface FailedIssue {
  readonly issue_code: string
  /** What the gates said about its last attempt, one line each. */
  readonly words: readonly string[]
  /** Undefined if nothing of the attempt is kept. */
  readonly diff_command: string | undefined
}

export interface SessionEnd {
  readonly log_command: string | undefined
  readonly failed: readonly FailedIssue[]
  readonly report_command: string
  /** Publishes the branch; undefined if something is left to fix, or if there is nowhere to push to. */
  readonly push_command: string | undefined
}

/** Further failed issues are in the report. */
const MAX_EXPLAINED = 10
const MAX_WORDS = 400
const MAX_POINTS = 3
const MAX_OUTPUT_LINES = 3

export async function describeEnd(
  app: Pick<AppContext, 'store' | 'home'>,
  result: FixSessionResult,
): Promise<SessionEnd> {
  const { session_id: id, branch_name: branch, commits } = result
  const session = await findSession(app, id)
  const { repository } = session
  const git = `git -C ${shellQuote(repository)}`
  const hasCommits = branch !== null && commits.length > 0
  const range =
    hasCommits && shellQuote(`${session.base_commit ? `${session.base_commit.slice(0, 10)}..` : ''}${branch}`)
  const remote = hasCommits && result.status === 'completed' ? await findRemote(repository) : undefined
  return {
    log_command: range ? `${git} log ${range}` : undefined,
    failed: await explainFailures(app, result),
    report_command: `fixwright report ${id} --format html --output fixwright-${id}.html`,
    push_command: remote === undefined ? undefined : `${git} push ${shellQuote(remote)} ${shellQuote(branch ?? '')}`,
  }
}

/** The repository may be gone by now. */
async function findRemote(repository: string): Promise<string | undefined> {
  return await readRemoteName(repository).catch((error: unknown) => {
    if (error instanceof GitError) return undefined
    throw error
  })
}

async function explainFailures(
  { store, home }: Pick<AppContext, 'store' | 'home'>,
  { session_id: id, results }: FixSessionResult,
): Promise<FailedIssue[]> {
  const failed = results.filter(({ status }) => status === 'failed').slice(0, MAX_EXPLAINED)
  if (failed.length === 0) return []
  const material = await loadSessionData(store, home, await findSession({ store }, id))
  const explained: FailedIssue[] = []
  for (const { issue_code } of failed) {
    const own = material.issues.find(({ issue }) => issue.issue_code === issue_code)
    if (own === undefined) continue
    const report = await buildIssueReport(material, own)
    const threshold = material.session.settings.fix_challenger.solved_threshold
    explained.push({
      issue_code,
      words: [...quoteChallenger(report.challenges.at(-1), threshold), ...quoteChecks(report)].map(shorten),
      diff_command: report.diff?.text ? `fixwright logs ${id} ${shellQuote(issue_code)} --diff` : undefined,
    })
  }
  return explained
}

/** Nothing if the challenger had no objection. */
function quoteChallenger(last: ReportedChallenge | undefined, threshold: number): string[] {
  if (last === undefined) return []
  const open = last.points.filter(({ settled }) => !settled)
  const isAgainst = (last.score ?? 0) < threshold || open.some(({ blocker }) => blocker)
  if (!isAgainst) return []
  const points = open.length > 0 ? open.map(({ text }) => text) : last.improvements_needed
  return [`the challenger: ${last.feedback}`, ...points.slice(0, MAX_POINTS).map((point) => `to improve: ${point}`)]
}

function quoteChecks({ verification }: IssueReport): string[] {
  if (verification?.verdict !== 'failed') return []
  const red = verification.commands.filter(({ after }) => after !== null && after !== 'passed')
  const broken = verification.commands.filter(({ effect }) => effect === 'broken')
  const against = broken.length > 0 ? broken : red
  return against.flatMap(({ command, tests, summaries, output }) => {
    if (tests && tests.broken.length > 0)
      return [`${command}: newly broken: ${joinList(tests.broken, ', ', MAX_POINTS)}`]
    if (summaries) return [`${command}: ${summaries.why}`]
    const lines = output.split('\n').filter((line) => line.trim() !== '')
    return lines.slice(-MAX_OUTPUT_LINES).map((line) => `${command}: ${line}`)
  })
}

function shorten(text: string): string {
  return truncateText(toOneLine(text), MAX_WORDS)
}
