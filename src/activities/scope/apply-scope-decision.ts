// Asks a person about a fix's changes outside of its scope, and applies the decision. Both may run twice: the same
// decision bars the same issues, and a grant is on record once.

import type { OutsideFile } from '../../domain/people/validate-messages.ts'
import { listApprovedFiles, listBarredIssues, listGrantedPaths } from '../../domain/scope/list-approved-files.ts'
import { fixScopeDecided } from '../../domain/session/events/scope-events.ts'
import { formatStepPart, parseStepId } from '../../domain/session/step-id.ts'
import { formatTestGrant } from '../../domain/verification/old-tests.ts'
import type { ApplyScopeDecisionInput, ScopeRequest, ScopeRequestInput } from '../../domain/workflow-types/index.ts'
import { diffText } from '../../platform/git/workspace/diff.ts'
import type { Workspace } from '../../platform/git/workspace/object-store.ts'
import { appendEvents } from '../append-events.ts'
import { storeArtifact } from '../artifacts.ts'
import { type ActivityContext, loadSession, loadWorkspace, type Session } from '../context.ts'
import { filesNeedingApproval, loadSnapshot, type ParsedSnapshot } from '../fix/compose-tree.ts'
import { loadGateRecord } from '../gate-records.ts'
import { storeApproval } from './scope-gate.ts'

/** The most files, and characters of their names, that a request brings into Temporal's history. */
const MAX_FILES = 100
const MAX_CHARACTERS = 50_000
/** The most paths in one run of git, whose arguments are bounded. */
const PATHS_PER_GIT_RUN = 200

export async function prepareScopeRequest(
  context: ActivityContext,
  { sessionId, stepId }: ScopeRequestInput,
): Promise<ScopeRequest> {
  const session = await loadSession(context, sessionId)
  const workspace = loadWorkspace(context, sessionId)
  const { base, tree, files } = await loadChangesToDecide(context, session, workspace, stepId)
  const paths = files.map(({ path }) => path)
  const diffs: string[] = []
  for (let from = 0; from < paths.length; from += PATHS_PER_GIT_RUN) {
    diffs.push(await diffText(workspace, base, tree, paths.slice(from, from + PATHS_PER_GIT_RUN)))
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
  const changes = await loadChangesToDecide(context, session, workspace, stepId)
  const { files } = changes
  const approved = listApprovedFiles(files, decision)
  const refused = files.filter((file) => !approved.includes(file))
  const barred = listBarredIssues(files, approved)
  for (const path of listGrantedPaths(files, decision)) {
    await context.store.grants.add({
      repository_id: session.record.repository_id,
      session_id: decision.decision === 'approve' && decision.remember === 'session' ? sessionId : undefined,
      path: changes.snapshot ? path : formatTestGrant(path),
      granted_by: decidedBy.by,
      granted_at: new Date(decidedBy.at).toISOString(),
    })
  }
  if (changes.snapshot) {
    const paths = approved.map(({ path }) => path)
    await storeApproval(workspace, stepId, changes.snapshot, { paths, at: decidedBy.at })
  }
  await appendEvents(context, sessionId, [fixScopeDecided({ stepId, decision, decidedBy, approved, refused, barred })])
  return { barred }
}

interface ChangesToDecide {
  readonly base: string
  readonly tree: string
  readonly files: readonly OutsideFile[]
  /** Absent if the question is about changed tests: what a person allows then is remembered with the decision alone. */
  readonly snapshot?: ParsedSnapshot
}

/** The changes that the step asks a person about: a fixer's outside of the scope, or those of tests. */
async function loadChangesToDecide(
  context: ActivityContext,
  session: Session,
  workspace: Workspace,
  stepId: string,
): Promise<ChangesToDecide> {
  if (parseStepId(stepId)?.kind === 'verify_old_tests') {
    const { tree = '', oldTests } = (await loadGateRecord(context, session, stepId)) ?? {}
    return { base: oldTests?.head ?? '', tree, files: oldTests?.files ?? [] }
  }
  const snapshot = await loadSnapshot(workspace, stepId)
  return { base: snapshot.parent, tree: snapshot.commit, files: filesNeedingApproval(snapshot.metadata), snapshot }
}
