// Plans a session in a shadow home and stops before the first agent call or command. The plan, the branch and every
// prompt come from the functions that a real session uses.
import { join } from 'node:path'
import { type ActivityContext, claimedIssues, loadSession, type Session } from '../../activities/context.ts'
import { previewCommands } from '../../activities/dry-run/preview-commands.ts'
import { previewPrompts } from '../../activities/dry-run/preview-prompts.ts'
import { claimIssues } from '../../activities/open/claim-issues.ts'
import { reserveBranch } from '../../activities/open/name-branch.ts'
import { dialogueFromSettings } from '../../activities/open/open-session.ts'
import { loadAgentDefinitions } from '../../agents/definitions.ts'
import { openArtifactStore } from '../../artifacts/open-artifact-store.ts'
import { listStageCodes, type Stage } from '../../domain/plan/plan.ts'
import { planSessionStages } from '../../domain/plan/plan-stages.ts'
import type { DryPlan, DryStage } from '../../domain/session/dry-run.ts'
import { parseOrigin } from '../../domain/session/origin.ts'
import type { IssueRecord } from '../../domain/session/records.ts'
import type { SessionRecord } from '../../domain/session/session.ts'
import { effectiveIterations, type Settings } from '../../domain/settings/schema.ts'
import { composeCommitMessage } from '../../domain/text/branch-and-commit-names.ts'
import { resolveGitDir } from '../../platform/git/repository/inspect.ts'
import { createMasking } from '../../platform/masking/mask-secrets.ts'
import type { PrepareOutcome } from '../../preflight/prepare-session.ts'
import type { Environment } from '../../runtime/home/home.ts'
import { packageRoot } from '../../runtime/home/package-root.ts'
import type { Store } from '../../store/store.ts'
import type { ShadowHome } from './shadow-home.ts'

/** Constant, so that the same work gives the same output. */
const DRY_RUN_SESSION_ID = 'fx-dry-run'

export interface DryRunRequest {
  readonly prepared: PrepareOutcome & { readonly kind: 'ready' }
  readonly shadow: ShadowHome
  readonly store: Store
  readonly env: Environment
}

export async function planDryRun({ prepared, shadow, store, env }: DryRunRequest): Promise<DryPlan> {
  const context = createDryRunContext(shadow, store, env)
  if (prepared.reviewText !== undefined) await context.artifacts.put(prepared.reviewText)
  const begun = await store.createSession({ ...prepared.session, session_id: DRY_RUN_SESSION_ID }, prepared.findings)
  if (begun.kind !== 'begun')
    throw new Error(`session ${begun.session.session_id} is in the way of ${DRY_RUN_SESSION_ID}`)
  await claimIssues(context, await loadSession(context, DRY_RUN_SESSION_ID))
  const session = await loadSession(context, DRY_RUN_SESSION_ID)
  const { settings, record, issues } = session
  const todo = claimedIssues(session)
  const { branch, isAsked } =
    todo.length > 0 ? await previewBranch(context, session, todo) : { branch: null, isAsked: false }
  const stages = planSessionStages(settings, todo)
  const base = record.base_commit ?? ''
  const place = { gitDir: await resolveGitDir(record.repository), base }
  const talk = dialogueFromSettings(settings)
  const prompts = await previewPrompts({
    context,
    session,
    repository: place,
    stages,
    dialogue: talk,
    namesBranch: isAsked,
  })
  const kind = stages[0]?.batches[0]?.kind
  const scratch = shadow.home.path
  return {
    dry_run: true,
    repository: record.repository,
    profile: settings.profile,
    max_iterations: effectiveIterations(settings),
    base: describeDryRunBase(record),
    branch,
    left_out: await listLeftOut(store),
    notes: [...prepared.notes, ...listNamingNotes(settings, isAsked)],
    stages: stages.map((stage) => toDryStage(stage, issues)),
    commands: kind === undefined ? [] : await previewCommands(context, session, prompts, { kind, scratch }),
    prompts,
  }
}

function createDryRunContext({ home, sessions }: ShadowHome, store: Store, env: Environment): ActivityContext {
  return {
    store,
    artifacts: openArtifactStore(home.artifacts),
    agents: loadAgentDefinitions(join(packageRoot(), 'agents')),
    masking: createMasking(env),
    sessionsFolder: sessions,
    markersFolder: join(home.sessions, '.markers'),
    environment: env,
    hostQueue: '',
    searchAttributes: [],
  }
}

function describeDryRunBase(record: SessionRecord): DryPlan['base'] {
  const { base_name, against } = parseOrigin(record)
  const start = record.base_commit ?? ''
  const base = typeof record.options.base === 'string' ? record.options.base : start
  return {
    name: base_name ?? base,
    commit: base,
    reviewed_against: against?.name ?? null,
    goes_on_from: start === base ? null : start,
  }
}

/** Names the branch by the rules: the agent that would choose the name is not called. */
async function previewBranch(context: ActivityContext, session: Session, todo: readonly IssueRecord[]) {
  let isAsked = false
  const branch = await reserveBranch(context, session, todo, () => {
    isAsked = true
    return Promise.resolve(undefined)
  })
  return { branch, isAsked }
}

function listNamingNotes({ git }: Settings, namesBranch: boolean): string[] {
  if (git.naming === 'rules') return []
  const what = namesBranch ? 'the branch and the subjects of the commits' : 'the subjects of the commits'
  return [`${what} are shown as the rules make them: agents will be asked for better ones (git.naming)`]
}

async function listLeftOut(store: Store): Promise<DryPlan['left_out']> {
  const issues = await store.sessions.listIssues(DRY_RUN_SESSION_ID)
  return issues.flatMap(({ outcome }) =>
    outcome ? [{ issue_code: outcome.issue_code, reason: outcome.error ?? '' }] : [],
  )
}

function toDryStage(stage: Stage, issues: readonly IssueRecord[]): DryStage {
  const codes = listStageCodes(stage)
  const own = issues.filter(({ issue_code }) => codes.includes(issue_code))
  const [subject = ''] = composeCommitMessage(own, { session: DRY_RUN_SESSION_ID, codes, proof: [] }).split('\n')
  return {
    batches: stage.batches.map(({ label, workload, steps }) => ({ label, workload, steps })),
    commit_subject: subject,
  }
}
