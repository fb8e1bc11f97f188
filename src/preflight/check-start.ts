// Checks a start and turns it into a session, for real starts and dry runs alike. All checks come before any write, and all problems are
// reported at once. Reads the repository, changes nothing in it.

import { computeArtifactRef } from '../artifacts/artifact-store.ts'
import type { ErrorCode } from '../domain/errors/error-codes.ts'
import { type Refusal, toRefusal } from '../domain/errors/fixwright-error.ts'
import type { Finding } from '../domain/issue/parse-findings.ts'
import { deriveSessionKey, deriveTaskId } from '../domain/session/idempotency-key.ts'
import type { FixSessionResult, SessionRecord } from '../domain/session/session.ts'
import { findUnwritableFolder } from '../platform/git/repository/branches.ts'
import { createMasking, type Masking } from '../platform/masking/mask-secrets.ts'
import type { Environment, HomePaths } from '../runtime/home/home.ts'
import { computeIssueId } from '../store/issues.ts'
import type { NewSession } from '../store/sessions.ts'
import type { Store } from '../store/store.ts'
import { type AgentProblems, listAgentProblems } from './agents/check-agents.ts'
import type { AgentHost } from './agents/check-commands.ts'
import { buildSkippedResult, findReusableResult, nothingToDoReason } from './answer-without-session.ts'
import { listMissingFiles } from './check-files.ts'
import { listGateProblems, listSandboxProblems, listSettingsNotes } from './check-settings.ts'
import { branchProblems, chooseBranch, describeBase, findReviewOrigin, reviewOriginProblems } from './choose-branch.ts'
import { findOrNameRepository } from './name-repository.ts'
import { applySeverityMap, readFindings } from './read-findings.ts'
import {
  describeTrustProblem,
  type LoadedRepositorySettings,
  type LocatedRepository,
  listSettingsFileNotes,
  loadRepositorySettings,
  locateRepository,
} from './read-repository.ts'
import { readReview } from './read-review.ts'
import { openNamedRepository } from './remotes/open-repository.ts'
import {
  formatUnwritable,
  listDirtyProblems,
  listNeedProblems,
  listRepositoryNotes,
  withUsualSignOff,
} from './repository-requirements.ts'
import { buildNewSession, createSessionId } from './reviews/new-session.ts'
import { type KnownIssues, selectKnownIssues } from './start/select-known-issues.ts'
import type { PreparedSession, ReportNotice, StartInput } from './start/start-input.ts'

export type { PreparedSession, StartInput } from './start/start-input.ts'

export interface CheckContext {
  readonly home: HomePaths
  readonly env: Environment
  readonly store: Store
  /** Where the agents will be started; they are not looked at without it. */
  readonly agents?: AgentHost | undefined
}

export type StartCheck =
  | Refusal
  /** A session would have nothing to do. */
  | ({ readonly kind: 'idle'; readonly reason: string; readonly result: FixSessionResult } & ReportNotice)
  /** A session has just done this work. */
  | ({ readonly kind: 'answered'; readonly result: FixSessionResult } & ReportNotice)
  /** `atWork`: the session that already does this work and would be joined. */
  | { readonly kind: 'ready'; readonly prepared: PreparedSession; readonly atWork: SessionRecord | undefined }

/** With `force` no running session is joined and no earlier result reused. */
export async function checkStart(
  { home, env, store, agents }: CheckContext,
  input: StartInput,
  force = false,
): Promise<StartCheck> {
  const prepared = await prepareSession(input, home, env, store, agents)
  if (prepared.kind === 'refused') return prepared
  const { session, findings, settings, obstacle, notice } = prepared
  const idle = nothingToDoReason(findings, settings)
  if (idle !== undefined)
    return { kind: 'idle', reason: idle, result: buildSkippedResult(session, findings, idle), notice }
  const answered = force ? undefined : await findReusableResult(store, session)
  if (answered) return { kind: 'answered', result: answered, notice }
  const [atWork] = force ? [] : await store.sessions.list({ key: session.key, running: true, limit: 1 })
  if (obstacle && !atWork) return obstacle
  return { kind: 'ready', prepared, atWork }
}

export type PrepareOutcome = PreparedSession | Refusal

export async function prepareSession(
  input: StartInput,
  home: HomePaths,
  env: Environment,
  store: Store,
  agents?: AgentHost,
): Promise<PrepareOutcome> {
  const checked = await checkInput(input, home, env, { store, agents })
  if (checked.kind === 'refused') return checked
  const { located, all, issues, known, loaded } = checked
  const { repository, commit: base } = located
  const { root } = repository
  const { reading } = loaded
  const { settings } = loaded.loaded

  // The task's id comes from all findings, so the issues keep their ids however few are chosen.
  const task = known?.task ?? input.task ?? deriveTaskId(all)
  const registered = await findOrNameRepository(store, root)
  const { repository_id: repositoryId, id_seed } = registered
  const ids = known?.ids ?? issues.map(({ issue_code }) => computeIssueId(id_seed, task, issue_code))
  const key = deriveSessionKey(id_seed, task, ids)
  const [chosen, unwritten] = await Promise.all([
    chooseBranch(input, { repository, repositoryId, base, store, key }),
    findUnwritableFolder(root, input.branch ?? settings.git.branch_prefix),
  ])
  const masking = createMasking(env)
  const reviewText = checked.reviewText === undefined ? undefined : await masking.maskText(checked.reviewText)
  const session = await buildSession(input, checked, {
    repositoryId,
    task,
    ids,
    key,
    startCommit: chosen.startCommit,
    masking,
    reviewText,
  })
  const untrusted = describeTrustProblem(loaded)
  const obstacle = toRefusal({
    repository_not_trusted: untrusted === undefined ? [] : [untrusted],
    repository_needs: listNeedProblems(reading, settings, issues, repository.identity),
    branch_unusable: chosen.obstacles,
    repository_read_only: unwritten === undefined ? [] : [formatUnwritable(unwritten)],
    ...checked.agentProblems,
  })
  return {
    kind: 'ready',
    session,
    findings: await maskFindings(issues, masking),
    areKnown: known !== undefined,
    settings,
    reviewText,
    obstacle,
    notice: checked.notice,
    notes: [
      ...(checked.notice === undefined ? [] : [checked.notice]),
      ...checked.cloneNotes,
      ...listSettingsFileNotes(loaded),
      ...listRepositoryNotes(reading, settings),
      ...listSettingsNotes(settings, issues),
    ],
  }
}

interface CheckedInput extends ReportNotice {
  readonly kind: 'checked'
  readonly located: LocatedRepository
  /** All findings of the review, and those to be fixed. */
  readonly all: readonly Finding[]
  readonly issues: readonly Finding[]
  readonly known: KnownIssues | undefined
  readonly loaded: LoadedRepositorySettings
  readonly reviewText: string | undefined
  readonly cloneNotes: readonly string[]
  /** They keep a new session from beginning. */
  readonly agentProblems: AgentProblems
}

async function checkInput(
  input: StartInput,
  home: HomePaths,
  env: Environment,
  { store, agents }: { readonly store: Store; readonly agents: AgentHost | undefined },
): Promise<CheckedInput | Refusal> {
  const opened = await openNamedRepository(input.repository, { store, home, env })
  if (opened.kind === 'refused') return opened
  const located = await locateRepository({ repository: opened.folder, base: input.base })
  if (located.kind === 'refused') return refuse('repository_unusable', located.problem)
  const { repository } = located

  const known = input.known && (await selectKnownIssues(store, repository.root, { ...input, known: input.known }))
  if (known?.kind === 'refused') return known
  const { findings = [], format, only } = input
  const given = known ? { findings: { issues: known.findings } } : { findings, format, only }
  const read = await readFindings(given, { root: repository.root, commit: located.commit })
  if (read.kind === 'unreadable') return refuse(read.code, read.problem)
  const chosen = read.chosen.map(({ finding }) => finding)
  const sources = { home, env, flags: input.flags, order: input.orderedSettings }
  const loaded = await loadRepositorySettings(located, sources, chosen)
  const review = await readReview(input)
  const problems: Partial<Record<ErrorCode, readonly string[]>> = {
    branch_unusable: [
      ...(await branchProblems(input)),
      ...(await reviewOriginProblems(input, repository, located.commit)),
    ],
    findings_invalid: [...read.problems, ...(await listMissingFiles(input, chosen, located))],
    context_invalid: review.problems,
    settings_invalid: loaded.kind === 'refused' ? loaded.problems : listSettingsProblems(loaded),
    sandbox_unavailable: loaded.kind === 'loaded' ? await listSandboxProblems(loaded.loaded.settings, env) : [],
    uncommitted_changes: input.allowDirty ? [] : listDirtyProblems(chosen, repository.dirty),
  }
  const agentProblems =
    agents && loaded.kind === 'loaded' ? await listAgentProblems(loaded.loaded.settings, agents, home) : {}
  // All at once: nobody should mend their findings only to learn that a key is missing.
  if (toRefusal(problems)) return toRefusal({ ...problems, ...agentProblems })!
  if (loaded.kind === 'refused') return loaded
  const issues = applySeverityMap(read.chosen, loaded.loaded.settings.importers.severity_map)
  return {
    kind: 'checked',
    located,
    all: read.all,
    issues,
    known,
    loaded,
    reviewText: review.text,
    notice: read.notice,
    cloneNotes: opened.notes,
    agentProblems,
  }
}

interface SessionParts {
  readonly repositoryId: string
  readonly task: string
  readonly ids: readonly string[]
  readonly key: string
  readonly startCommit: string
  readonly masking: Masking
  /** With secrets masked. */
  readonly reviewText: string | undefined
}

async function buildSession(
  input: StartInput,
  { located: { repository, commit: base }, issues, loaded: { loaded, reading, file } }: CheckedInput,
  { repositoryId, task, ids, key, startCommit, masking, reviewText }: SessionParts,
): Promise<NewSession> {
  const against = await findReviewOrigin(input, repository, base, startCommit)
  return buildNewSession({
    session_id: createSessionId(),
    key,
    repository_id: repositoryId,
    repository: repository.root,
    task_id: task,
    base_commit: startCommit,
    settings: { ...withUsualSignOff(loaded.settings, reading, repository.identity) },
    options: {
      base,
      base_asked: input.base,
      ...(input.against === undefined ? {} : { against_asked: input.against }),
      allow_dirty: input.allowDirty,
      findings: deriveTaskId(issues),
      base_name: input.base ?? describeBase(repository),
      ...(against === undefined ? {} : { against }),
      ...(reviewText === undefined ? {} : { review: computeArtifactRef(reviewText) }),
      ...(input.branch === undefined ? {} : { branch_asked: input.branch }),
      ...(input.useExistingBranch ? { use_existing_branch: true } : {}),
      ...(file === undefined ? {} : { repository_file: file }),
      ...(reading.facts.filtered.isUsed ? { filters: true } : {}),
    },
    issue_ids: ids,
    ...(reviewText === undefined
      ? {}
      : { artifacts: [{ ref: computeArtifactRef(reviewText), kind: 'review', name: 'review' }] }),
    ...(input.notes === undefined ? {} : { user_notes: await masking.maskText(input.notes) }),
    // The branch is reserved from the beginning, so that no other session gets it.
    ...(input.branch === undefined ? {} : { branch_name: input.branch }),
  })
}

/** Masks the findings for the store and the agents. Codes and files stay as they are. */
async function maskFindings(findings: readonly Finding[], masking: Masking): Promise<Finding[]> {
  const masked = await masking.maskValues(findings)
  return masked.map((finding, index) => {
    const { issue_code, file } = findings[index] ?? finding
    return { ...finding, issue_code, file }
  })
}

/** The gates are known only once it is decided whether the repository's own checks count. */
function listSettingsProblems(loaded: LoadedRepositorySettings): string[] {
  return describeTrustProblem(loaded) === undefined ? listGateProblems(loaded.loaded.settings) : []
}

function refuse(code: ErrorCode, ...problems: string[]): Refusal {
  return { kind: 'refused', code, problems }
}
