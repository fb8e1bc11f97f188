// Asks a person about a fix's changes outside of its scope, and applies the decision. Both may run twice: the same
// decision bars the same issues, and a grant is on record once.

import type { OutsideFile } from '../../domain/people/validate-messages.ts'
import type { ApplyScopeDecisionInput, ScopeRequest, ScopeRequestInput } from '../../domain/protocol/index.ts'
import { listApprovedFiles, listBarredIssues, listGrantedPaths } from '../../domain/scope/scope-decision.ts'
import { fixScopeDecided } from '../../domain/session/events/scope-events.ts'
import { formatStepPart } from '../../domain/session/step-id.ts'
import { diffText } from '../../platform/git/workspace/diff.ts'
import { appendEvents } from '../append-events.ts'
import { type ActivityContext, loadSession, loadWorkspace } from '../context.ts'
import { filesNeedingApproval, loadSnapshot } from '../fix/snapshot-metadata.ts'
import { storeArtifact } from '../store-artifact.ts'
import { storeApproval } from './approved-paths.ts'

/** The most files, and characters of their names, that a request brings into Temporal's history. */
const MAX_FILES = 100
const MAX_CHARACTERS = 50_000
/** The most paths in one run of git, whose arguments are bounded. */
const PATHS_PER_GIT_RUN = 200

export async function prepareScopeRequest(
  context: ActivityContext,
  { sessionId, stepId }: ScopeRequestInput,
): Promise<ScopeRequest> {
  const workspace = loadWorkspace(context, sessionId)
  const { parent, commit, metadata } = await loadSnapshot(workspace, stepId)
  const files = filesNeedingApproval(metadata)
  const paths = files.map(({ path }) => path)
  const diffs: string[] = []
  for (let from = 0; from < paths.length; from += PATHS_PER_GIT_RUN) {
    diffs.push(await diffText(workspace, parent, commit, paths.slice(from, from + PATHS_PER_GIT_RUN)))
  }
  await storeArtifact(context, sessionId, 'diff', formatStepPart(stepId, { kind: 'scope' }), diffs.join(''))
  const shown = limitFiles(files)
  return { files: shown, more: files.length - shown.length }
}

function limitFiles(files: readonly OutsideFile[]): OutsideFile[] {
  let characters = 0
  const shown = files.slice(0, MAX_FILES).filter((file) => {
    characters += JSON.stringify(file).length
    return characters <= MAX_CHARACTERS
  })
  return shown.length > 0 ? shown : files.slice(0, 1)
}

export async function applyScopeDecision(
  context: ActivityContext,
  { sessionId, stepId, decision, decidedBy }: ApplyScopeDecisionInput,
): Promise<{ readonly barred: readonly string[] }> {
  const session = await loadSession(context, sessionId)
  const workspace = loadWorkspace(context, sessionId)
  const snapshot = await loadSnapshot(workspace, stepId)
  const files = filesNeedingApproval(snapshot.metadata)
  const approved = listApprovedFiles(files, decision)
  const refused = files.filter((file) => !approved.includes(file))
  const barred = listBarredIssues(files, approved)
  for (const path of listGrantedPaths(files, decision)) {
    await context.store.grants.add({
      repository: session.record.repository,
      session_id: decision.decision === 'approve' && decision.remember === 'session' ? sessionId : undefined,
      path,
      granted_by: decidedBy.by,
      granted_at: new Date(decidedBy.at).toISOString(),
    })
  }
  await storeApproval(workspace, stepId, snapshot, { paths: approved.map(({ path }) => path), at: decidedBy.at })
  await appendEvents(context, sessionId, [fixScopeDecided({ stepId, decision, decidedBy, approved, refused, barred })])
  return { barred }
}
