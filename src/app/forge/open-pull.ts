// Brings the branch of a session to its forge, with a pull request whose body is the session's report.
import { FixwrightError } from '../../domain/errors/fixwright-error.ts'
import type { SessionRecord } from '../../domain/session/session.ts'
import { toOneLine } from '../../domain/text/truncate.ts'
import type { PullRequestInput, PullRequestSummary } from '../../domain/workflow-types/index.ts'
import { readBranchHead } from '../../platform/git/repository/branches.ts'
import { isAncestor } from '../../platform/git/workspace/commits.ts'
import type { AppContext } from '../context.ts'
import { openHomeArtifacts } from '../open-artifacts.ts'
import { renderSessionReport } from '../report/render-session-report.ts'
import { loadSessionSettings } from '../settings/load-settings.ts'
import { runForgeWork } from './follow-forge-work.ts'
import { findRemoteUrl } from './locate-remote.ts'

export interface PullOptions {
  readonly title?: string | undefined
  readonly base?: string | undefined
  readonly remote?: string | undefined
  readonly draft: boolean
}

export type PulledSession = Exclude<PullRequestSummary, { readonly kind: 'refused' }>

/** Durable: it goes on without the caller, and a second call joins it or finds what it made. */
export async function openSessionPull(
  app: AppContext,
  session: SessionRecord,
  { title, base, remote, draft }: PullOptions,
): Promise<PulledSession> {
  const { session_id: sessionId } = session
  const { branch, commit } = await findWork(session)
  const settings = await loadSessionSettings(app, session)
  const input = {
    ...{ sessionId, branch, commit, base, draft, github: settings.github },
    remote: await findRemoteUrl(session.repository, remote),
    title: title ?? composeTitle(session),
    bodyRef: await storeReport(app, session),
  }
  const summary = await runForgeWork<PullRequestInput, PullRequestSummary>(app, settings, {
    ...{ kind: 'pull', workflowId: `pull-request/${sessionId}`, input },
    summary: `pull request of ${session.repository_name}, ${branch}`,
  })
  if (summary.kind === 'refused') throw new FixwrightError(summary.code, summary.detail)
  return summary
}

async function findWork(session: SessionRecord): Promise<{ readonly branch: string; readonly commit: string }> {
  const { session_id: id, branch_name: branch, repository, result, ended_at } = session
  if (ended_at === undefined)
    throw new FixwrightError('still_running', `session ${id} has not ended: wait for it first`)
  const last = result?.commits.at(-1)?.sha
  if (branch === undefined || last === undefined) {
    throw new FixwrightError('nothing_to_publish', `session ${id} has made no commit: there is nothing to push`)
  }
  const commit = await readBranchHead(repository, branch)
  if (commit === undefined || !(await isAncestor(repository, last, commit))) {
    const what =
      commit === undefined ? `has no branch ${branch} any more` : `has a branch ${branch} without its commits`
    throw new FixwrightError(
      'nothing_to_publish',
      `${repository} ${what}: "git branch -f ${branch} ${last}" brings it back`,
    )
  }
  return { branch, commit }
}

function composeTitle({ result }: SessionRecord): string {
  const commits = result?.commits ?? []
  const [first] = commits
  if (first !== undefined && commits.length === 1) return toOneLine(first.message.split('\n', 1)[0] ?? '')
  return `Fix ${result?.issues_fixed ?? commits.length} findings of a review`
}

async function storeReport(app: AppContext, session: SessionRecord): Promise<string> {
  const { text } = await renderSessionReport(app, session, 'md')
  const { ref } = await openHomeArtifacts(app).put(text)
  await app.store.artifacts.link({ session_id: session.session_id, kind: 'post', name: 'pull-request', ref })
  return ref
}
