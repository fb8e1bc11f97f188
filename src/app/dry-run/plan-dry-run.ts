// Opens a session in a store that is forgotten, and stops before the first agent call or command. The plan, the branch and
// the prompts come from the functions of a real session.
import { join } from 'node:path'
import { type ActivityContext, claimedIssues, loadSession } from '../../activities/context.ts'
import { listFirstCalls, listGaps } from '../../activities/dry-run/first-prompts.ts'
import { previewCommands } from '../../activities/dry-run/preview-commands.ts'
import { claimIssues } from '../../activities/open/claim-issues.ts'
import { isNamedByAgent, reserveBranch } from '../../activities/open/name-branch.ts'
import { dialogueFromSettings } from '../../activities/open/open-session.ts'
import { loadAgentDefinitions } from '../../agents/definitions.ts'
import { openArtifactStore } from '../../artifacts/open-artifact-store.ts'
import { type CommitStyle, readCommitStyle } from '../../domain/commit/commit-style.ts'
import { composeSubjectFromTitles } from '../../domain/commit/compose-subject.ts'
import { listStageCodes, planStages, type Stage } from '../../domain/plan/plan.ts'
import type { DryPlan, DryStage } from '../../domain/session/dry-run.ts'
import { parseOrigin } from '../../domain/session/origin.ts'
import type { SessionRecord } from '../../domain/session/session.ts'
import type { IssueRecord } from '../../domain/session/store-records.ts'
import { effectiveIterations, getProfile, type Settings } from '../../domain/settings/schema.ts'
import { listLatestSubjects } from '../../platform/git/repository/commit-log.ts'
import { resolveGitDir } from '../../platform/git/repository/inspect.ts'
import { createMasking } from '../../platform/masking/mask-secrets.ts'
import type { CheckContext } from '../../preflight/check-start.ts'
import type { PreparedSession } from '../../preflight/start/start-input.ts'
import { packageRoot } from '../../runtime/home/package-root.ts'

/** Constant, so that the same work gives the same output. */
const DRY_RUN_SESSION_ID = 'fx-dry-run'

/** `place.store` is written to. */
export async function planDryRun(place: CheckContext, prepared: PreparedSession): Promise<DryPlan> {
  const { store } = place
  const context = createDryRunContext(place, prepared)
  const findings = prepared.areKnown ? [] : prepared.findings
  const begun = await store.createSession({ ...prepared.session, session_id: DRY_RUN_SESSION_ID }, findings)
  if (begun.kind !== 'begun') throw new Error(`a dry run can't begin: ${begun.kind}`)
  await claimIssues(context, await loadSession(context, DRY_RUN_SESSION_ID))
  const session = await loadSession(context, DRY_RUN_SESSION_ID)
  const { settings, record, issues } = session
  const todo = claimedIssues(session)
  const branch = todo.length > 0 ? await reserveBranch(context, session, todo) : null
  // The agent that would choose a name is not called.
  const namesBranch = branch !== null && (await isNamedByAgent(session, branch))
  const stages = planStages(todo, getProfile(settings), settings.limits)
  const repository = { gitDir: await resolveGitDir(record.repository), base: record.base_commit ?? '' }
  const dialogue = dialogueFromSettings(settings)
  const calls = await listFirstCalls({ context, session, repository, stages, dialogue, namesBranch })
  const style = readCommitStyle(await listLatestSubjects(record.repository, repository.base))
  const outcomes = (await store.sessions.listIssues(session.id)).flatMap(({ outcome }) => outcome ?? [])
  return {
    dry_run: true,
    repository: record.repository,
    profile: settings.profile,
    max_iterations: effectiveIterations(settings),
    base: describeDryRunBase(record),
    branch,
    left_out: outcomes.map(({ issue_code, error = '' }) => ({ issue_code, reason: error })),
    notes: [...prepared.notes, ...listNamingNotes(settings, namesBranch)],
    stages: stages.map((stage) =>
      toDryStage(stage, issues, { style, commitsEachIssue: settings.git.commits === 'issue' }),
    ),
    commands: await previewCommands(context, session, calls),
    prompts: calls.map(({ key: call, role, iteration = 1, codes, prompt }) => {
      return { call, role, iteration, codes, gaps: listGaps(prompt), prompt }
    }),
  }
}

function createDryRunContext(
  { home, env, store }: CheckContext,
  { reviewText = '' }: PreparedSession,
): ActivityContext {
  return {
    store,
    // The review is the only artifact that is read, and it is not stored yet.
    artifacts: { ...openArtifactStore(home.artifacts), getText: async () => reviewText },
    agents: loadAgentDefinitions(join(packageRoot(), 'agents')),
    masking: createMasking(env),
    sessionsFolder: home.sessions,
    markersFolder: '',
    environment: env,
    hostQueue: '',
    searchAttributes: [],
    markerSecret: 'unused',
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

function listNamingNotes({ git }: Settings, namesBranch: boolean): string[] {
  const subjects = 'the subjects of commits are made of titles here: the words of the fixer come first'
  if (git.naming === 'rules') return [subjects]
  const branch = namesBranch
    ? ['the branch has the name that the rules make: an agent will be asked for one (git.naming)']
    : []
  return [...branch, `${subjects}, then those of an agent (git.naming)`]
}

interface DryCommits {
  readonly style: CommitStyle
  readonly commitsEachIssue: boolean
}

function composeDrySubject(issues: readonly IssueRecord[], codes: readonly string[], style: CommitStyle): string {
  const described = issues.map(({ issue_code, title }) => ({ issue_code, title, summary: '' }))
  const files = [...new Set(issues.map(({ file }) => file))]
  return composeSubjectFromTitles({ issues: described, files, codes }, style)
}

function toDryStage(stage: Stage, issues: readonly IssueRecord[], { style, commitsEachIssue }: DryCommits): DryStage {
  const codes = listStageCodes(stage)
  const own = issues.filter(({ issue_code }) => codes.includes(issue_code))
  // As if no issue shared a file with another; the fixer's own words are not known yet.
  const commits = commitsEachIssue ? own.map((issue) => [issue]) : [own]
  return {
    batches: stage.batches.map(({ label, workload, steps }) => ({ label, workload, steps })),
    commit_subjects: commits.map((issues) => composeDrySubject(issues, codes, style)),
  }
}
