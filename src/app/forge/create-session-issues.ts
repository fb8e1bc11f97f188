// Makes issues on the forge of what a session left undone.
import type { SessionRecord } from '../../domain/session/session.ts'
import type { LeftoverIssuesInput, LeftoverIssuesSummary } from '../../domain/workflow-types/index.ts'
import type { AppContext } from '../context.ts'
import { listLeftovers } from '../list-leftovers.ts'
import { openHomeArtifacts } from '../open-artifacts.ts'
import { loadSessionSettings } from '../settings/load-settings.ts'
import { runForgeWork } from './follow-forge-work.ts'
import { findRemoteUrl } from './locate-remote.ts'

export interface LeftoverIssuesOptions {
  readonly remote?: string | undefined
  readonly labels: readonly string[]
}

const CLOCK_MARGIN_MS = 3_600_000

/** Durable: it goes on without the caller, and a second call joins it or finds what it made. */
export async function createSessionIssues(
  app: AppContext,
  session: SessionRecord,
  { remote, labels }: LeftoverIssuesOptions,
): Promise<LeftoverIssuesSummary> {
  const { session_id: sessionId, started_at, repository, repository_name } = session
  const issues = listLeftovers(session).leftovers.map(({ issue }) => issue)
  if (issues.length === 0) return { created: [], found: [], failed: [], duplicates: [] }
  const settings = await loadSessionSettings(app, session)
  const { ref: issuesRef } = await openHomeArtifacts(app).put(JSON.stringify(issues))
  await app.store.artifacts.link({ session_id: sessionId, kind: 'post', name: 'leftovers', ref: issuesRef })
  const since = new Date(Date.parse(started_at) - CLOCK_MARGIN_MS).toISOString().replace(/\.\d+/, '')
  const input = {
    ...{ sessionId, issuesRef, labels, since, github: settings.github },
    keys: issues.map(({ key }) => key),
    remote: await findRemoteUrl(repository, remote),
  }
  return await runForgeWork<LeftoverIssuesInput, LeftoverIssuesSummary>(app, settings, {
    ...{ kind: 'issues', workflowId: `leftover-issues/${sessionId}`, input },
    summary: `${issues.length} issue(s) for ${repository_name}`,
  })
}
