// A session that is only told: prepared and begun in a shadow of the home, with the person's repository to read, up to the point where
// an agent or a command would be called. The plan, the branch and every prompt come from the functions that a session goes by.
import { join } from 'node:path'
import { loadSession, type Session, todoOf, type Workshop } from '../../activities/context.ts'
import { commandsOf } from '../../activities/dry-run/preview-commands.ts'
import { foretell } from '../../activities/dry-run/preview-prompts.ts'
import { takeUp } from '../../activities/open/claim-issues.ts'
import { takeBranch } from '../../activities/open/name-branch.ts'
import { talkOf } from '../../activities/open/open-session.ts'
import { openAgents } from '../../agents/definitions.ts'
import { openArtifacts } from '../../artifacts/artifact-store.ts'
import { codesOfStage, type Stage } from '../../domain/plan/plan.ts'
import { stagesOf } from '../../domain/plan/plan-stages.ts'
import type { DryPlan, DryStage } from '../../domain/session/dry-run.ts'
import { originOf } from '../../domain/session/origin.ts'
import type { IssueRecord } from '../../domain/session/records.ts'
import type { SessionRecord } from '../../domain/session/session.ts'
import { effectiveIterations, type Settings } from '../../domain/settings/schema.ts'
import { commitMessage } from '../../domain/text/branch-and-commit-names.ts'
import { gitDirOf } from '../../platform/git/repository/inspect.ts'
import { openMasking } from '../../platform/masking/mask-secrets.ts'
import type { Environment } from '../../runtime/home/home.ts'
import { packageRoot } from '../../runtime/home/package-root.ts'
import { defaultSettings } from '../../runtime/settings/effective-settings.ts'
import type { Store } from '../../store/store.ts'
import type { Prepared } from '../preflight/prepare-session.ts'
import type { Shadow } from './shadow-home.ts'

/** The same each time, so that the same work tells the same. */
const SESSION_ID = 'fx-dry-run'

export interface DryOrder {
  readonly prepared: Prepared & { readonly kind: 'ready' }
  readonly shadow: Shadow
  readonly store: Store
  readonly env: Environment
}

export async function dryPlan({ prepared, shadow, store, env }: DryOrder): Promise<DryPlan> {
  const shop = workshopOf(shadow, store, env)
  if (prepared.review !== undefined) await shop.artifacts.put(prepared.review)
  const begun = await store.begin({ ...prepared.session, session_id: SESSION_ID }, prepared.findings)
  if (begun.kind !== 'begun') throw new Error(`session ${begun.session.session_id} is in the way of ${SESSION_ID}`)
  await takeUp(shop, await loadSession(shop, SESSION_ID))
  const session = await loadSession(shop, SESSION_ID)
  const { settings, record, issues } = session
  const todo = todoOf(session)
  const { branch, isAsked } = todo.length > 0 ? await branchOf(shop, session, todo) : { branch: null, isAsked: false }
  const stages = stagesOf(settings, todo)
  const base = record.base_commit ?? ''
  const place = { gitDir: await gitDirOf(record.repository), base }
  const talk = talkOf(settings)
  const prompts = await foretell({ shop, session, place, stages, talk, namesBranch: isAsked })
  const kind = stages[0]?.batches[0]?.kind
  const scratch = shadow.home.path
  return {
    dry_run: true,
    repository: record.repository,
    profile: settings.profile,
    max_iterations: effectiveIterations(settings),
    base: baseOf(record),
    branch,
    left_out: await leftOut(store),
    notes: [...prepared.notes, ...namingNotes(settings, isAsked)],
    stages: stages.map((stage) => shownStage(stage, issues)),
    commands: kind === undefined ? [] : await commandsOf(shop, session, prompts, { kind, scratch }),
    prompts,
  }
}

function workshopOf({ home, sessions }: Shadow, store: Store, env: Environment): Workshop {
  return {
    store,
    artifacts: openArtifacts(home.artifacts),
    agents: openAgents(join(packageRoot(), 'agents')),
    masking: openMasking(env),
    sessions,
    markers: join(home.sessions, '.markers'),
    environment: env,
    hostQueue: '',
    attributes: [],
    defaults: defaultSettings(),
  }
}

function baseOf(record: SessionRecord): DryPlan['base'] {
  const { base_name, against } = originOf(record)
  const start = record.base_commit ?? ''
  const base = typeof record.options.base === 'string' ? record.options.base : start
  return {
    name: base_name ?? base,
    commit: base,
    reviewed_against: against?.name ?? null,
    goes_on_from: start === base ? null : start,
  }
}

/** By the rules: an agent that is to find a name is not asked now. */
async function branchOf(shop: Workshop, session: Session, todo: readonly IssueRecord[]) {
  let isAsked = false
  const branch = await takeBranch(shop, session, todo, () => {
    isAsked = true
    return Promise.resolve(undefined)
  })
  return { branch, isAsked }
}

function namingNotes({ git }: Settings, namesBranch: boolean): string[] {
  if (git.naming === 'rules') return []
  const what = namesBranch ? 'the branch and the subjects of the commits' : 'the subjects of the commits'
  return [`${what} are shown as the rules make them: agents will be asked for better ones (git.naming)`]
}

async function leftOut(store: Store): Promise<DryPlan['left_out']> {
  const issues = await store.sessions.issuesOf(SESSION_ID)
  return issues.flatMap(({ outcome }) =>
    outcome ? [{ issue_code: outcome.issue_code, reason: outcome.error ?? '' }] : [],
  )
}

function shownStage(stage: Stage, issues: readonly IssueRecord[]): DryStage {
  const codes = codesOfStage(stage)
  const own = issues.filter(({ issue_code }) => codes.includes(issue_code))
  const [subject = ''] = commitMessage(own, { session: SESSION_ID, codes, proof: [] }).split('\n')
  return {
    batches: stage.batches.map(({ label, workload, steps }) => ({ label, workload, steps })),
    commit_subject: subject,
  }
}
