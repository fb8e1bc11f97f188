// Loads the bounds of a fixer's call from the settings, the tree and the session's baseline.
import type { Bounds, RedCheck } from '../../agents/prompts/parts/bounds.ts'
import { listProtectedNear } from '../../domain/scope/protected-near.ts'
import type { VerificationRun } from '../../domain/verification/gate-record.ts'
import { listTree } from '../../platform/git/repository/list-tree.ts'
import type { Workspace } from '../../platform/git/workspace/object-store.ts'
import { type ActivityContext, getIssue, type Session } from '../context.ts'
import { baselineStepId, loadBaseline } from '../verify/baseline.ts'

interface BoundedCall {
  readonly codes: readonly string[]
  /** The commit that the call stands on. */
  readonly head: string
  /** The end of the session's time, in milliseconds since the epoch. */
  readonly endsAt?: number | undefined
}

export async function loadBounds(
  context: ActivityContext,
  session: Session,
  { gitDir, base }: Pick<Workspace, 'gitDir' | 'base'>,
  { codes, head, endsAt }: BoundedCall,
): Promise<Bounds> {
  const { claude, sandbox, scope, verification } = session.settings
  const [tree, grants, { runs }] = await Promise.all([
    listTree(gitDir, base),
    context.store.grants.listAllowedPaths(session.record.repository_id, session.id),
    loadBaseline(context, session, baselineStepId(session, head)),
  ])
  const paths = tree.all().map(({ path }) => path)
  const files = codes.map((code) => getIssue(session, code).file)
  const { workspace_path: workspace, allowed_extra_paths: extra } = scope
  const left = endsAt === undefined ? Number.POSITIVE_INFINITY : (endsAt - Date.now()) / 1000
  return {
    mayChange: workspace === null ? [] : [workspace, ...extra, ...grants],
    needPerson: listProtectedNear(paths, files, { ...scope, grants }),
    redBefore: runs.flatMap(toRedCheck),
    seconds: Math.min(claude.timeout_seconds, left),
    checkSeconds: verification.timeout_seconds,
    network: sandbox.mode === 'require' ? 'closed' : 'open',
    setup: verification.commands.length > 0 ? verification.setup : [],
  }
}

function toRedCheck({ command, outcome, tests = {}, summary, flaky }: VerificationRun): RedCheck[] {
  if (outcome === 'passed' && !flaky) return []
  const failed = Object.entries(tests).flatMap(([name, result]) => (result === 'failed' ? [name] : []))
  const named = failed.length > 0 ? failed : (summary?.runners ?? []).flatMap(({ failing }) => failing)
  return [{ command, outcome: flaky ? 'sometimes fails' : outcome, tests: [...new Set(named)] }]
}
