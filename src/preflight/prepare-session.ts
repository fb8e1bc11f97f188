// Turns the input of a start into a session. All checks come before any write, and all problems are reported at once.
// Reads the repository, changes nothing in it.
import { randomBytes } from 'node:crypto'
import { modelAccessProblem } from '../agents/provider/enter-cli-sandbox.ts'
import { computeArtifactRef } from '../artifacts/artifact-store.ts'
import { openArtifactStore } from '../artifacts/open-artifact-store.ts'
import type { ErrorCode } from '../domain/errors/error-codes.ts'
import { type Refusal, toRefusal } from '../domain/errors/fixwright-error.ts'
import type { Finding } from '../domain/issue/parse-findings.ts'
import { findStrictBatchesProblem } from '../domain/plan/plan-stages.ts'
import { deriveSessionKey, deriveTaskId, toSessionId, toWorkflowId } from '../domain/session/idempotency-key.ts'
import type { SessionOrigin } from '../domain/session/origin.ts'
import type { SessionRecord } from '../domain/session/session.ts'
import { isChallenged, isStrict, type Settings } from '../domain/settings/schema.ts'
import { findVendorProblem } from '../domain/settings/vendor-independence.ts'
import { findMergeBase, findUnwritableFolder, isCommitOnAnyRef } from '../platform/git/repository/branches.ts'
import { type Repository, resolveCommit } from '../platform/git/repository/inspect.ts'
import { createMasking, type Masking } from '../platform/masking/mask-secrets.ts'
import { requiredSandboxProblem } from '../platform/sandbox/enter-sandbox.ts'
import type { Environment, Home } from '../runtime/home/home.ts'
import { computeIssueId } from '../store/issues.ts'
import type { NewSession } from '../store/sessions.ts'
import type { Store } from '../store/store.ts'
import { branchProblems, chooseBranch, describeBase } from './choose-branch.ts'
import { locateRepository } from './locate-repository.ts'
import { type FindingsInput, nameFindings, readFindings } from './read-findings.ts'
import { checkReview, readReview } from './read-review.ts'
import { listNeedProblems, listRepositoryNotes } from './repository-requirements.ts'
import {
  describeTrustProblem,
  type LoadedRepositorySettings,
  listSettingsFileNotes,
  type RepositoryReading,
  readRepositoryAtCommit,
  resolveRepositorySettings,
} from './repository-settings.ts'

export interface StartInput {
  readonly findings: FindingsInput
  readonly repository: string
  readonly base?: string | undefined
  /** The branch for the commits. Default: a name made from the titles. */
  readonly branch?: string | undefined
  /** The branch exists and is a person's. */
  readonly useExistingBranch?: boolean | undefined
  readonly notes?: string | undefined
  /** Files with the review's report, in Markdown. */
  readonly context?: readonly string[] | undefined
  /** The report itself. */
  readonly review?: string | undefined
  readonly task?: string | undefined
  /** The codes of the chosen findings; all by default. */
  readonly only?: readonly string[] | undefined
  readonly allowDirty: boolean
  /** Settings of the command line, by path or by a flag's own name. */
  readonly flags: Readonly<Record<string, unknown>>
  /** Settings of an order from outside, by path. */
  readonly orderedSettings?: Readonly<Record<string, unknown>> | undefined
}

export interface PreparedSession {
  readonly kind: 'ready'
  readonly session: NewSession
  readonly findings: readonly Finding[]
  readonly settings: Settings
  /** The review's text to be stored, with secrets masked. */
  readonly reviewText?: string | undefined
  /** Keeps a new session from beginning, but not from joining a running one. */
  readonly obstacle: Refusal | undefined
  readonly notes: readonly string[]
}

export type PrepareOutcome = PreparedSession | Refusal

export async function prepareSession(
  input: StartInput,
  home: Home,
  env: Environment,
  store: Store,
): Promise<PrepareOutcome> {
  const located = await locateRepository(input)
  if (located.kind === 'refused') return refuse('repository_unusable', located.problem)
  const { repository, commit: base } = located
  const { root } = repository

  const read = await readFindings(input.findings, root)
  if (read.kind === 'unreadable') return refuse('findings_invalid', read.problem)
  const unknown = read.problems.length > 0 ? [] : listUnknownCodes(read.all, input)
  const issues = selectFindings(read.all, input)
  const reading = await readRepositoryAtCommit(located, input, home, issues)
  const loaded = resolveRepositorySettings(reading, { home, env, flags: input.flags, order: input.orderedSettings })
  const given = input.review === undefined ? await readReview(input.context ?? []) : checkReview(input.review)
  const refusal = toRefusal({
    branch_unusable: await branchProblems(input),
    findings_invalid: [...read.problems, ...unknown],
    context_invalid: given.problems,
    settings_invalid: loaded.kind === 'refused' ? loaded.problems : listSettingsProblems(reading, loaded),
    sandbox_unavailable: loaded.kind === 'loaded' ? await listSandboxProblems(loaded.loaded.settings, env) : [],
    uncommitted_changes: input.allowDirty ? [] : listDirtyProblems(issues, repository.dirty),
  })
  if (refusal) return refusal
  if (loaded.kind === 'refused') return loaded
  const { settings } = loaded.loaded

  // The task's id comes from all findings, so the issues keep their ids however few are chosen.
  const task = input.task ?? deriveTaskId(read.all)
  const ids = issues.map(({ issue_code }) => computeIssueId(root, task, issue_code))
  const key = deriveSessionKey(root, task, ids)
  const [chosen, unwritten] = await Promise.all([
    chooseBranch(input, { repository, base, store, key }),
    findUnwritableFolder(root, input.branch ?? settings.git.branch_prefix),
  ])
  const masking = createMasking(env)
  const review = given.text === undefined ? undefined : await masking.maskText(given.text)
  const against = await findReviewOrigin(input, repository, base, chosen.startCommit)
  const session: NewSession = {
    session_id: toSessionId(randomBytes(8)),
    workflow_id: toWorkflowId(key),
    key,
    repository: root,
    task_id: task,
    base_commit: chosen.startCommit,
    status: 'pending',
    settings: { ...settings },
    options: {
      base,
      base_asked: input.base,
      allow_dirty: input.allowDirty,
      findings: deriveTaskId(issues),
      base_name: input.base ?? describeBase(repository),
      ...(against === undefined ? {} : { against }),
      ...(review === undefined ? {} : { review: computeArtifactRef(review) }),
      ...(input.branch === undefined ? {} : { branch_asked: input.branch }),
      ...(input.useExistingBranch ? { use_existing_branch: true } : {}),
      ...(loaded.file === undefined ? {} : { repository_file: loaded.file }),
      ...(reading.facts.filtered.isUsed ? { filters: true } : {}),
    },
    issues_requested: ids.length,
    issues_fixed: 0,
    issues_failed: 0,
    issues_skipped: 0,
    cost_usd: 0,
    issue_ids: ids,
    ...(review === undefined
      ? {}
      : { artifacts: [{ ref: computeArtifactRef(review), kind: 'review', name: 'review' }] }),
    ...(input.notes === undefined ? {} : { user_notes: await masking.maskText(input.notes) }),
    // The branch is reserved from the beginning, so that no other session gets it.
    ...(input.branch === undefined ? {} : { branch_name: input.branch }),
  }
  const untrusted = describeTrustProblem(reading, loaded)
  const obstacle = toRefusal({
    repository_not_trusted: untrusted === undefined ? [] : [untrusted],
    repository_needs: listNeedProblems(reading, settings, issues, repository.identity),
    branch_unusable: chosen.obstacles,
    repository_read_only: unwritten === undefined ? [] : [formatUnwritable(unwritten)],
  })
  return {
    kind: 'ready',
    session,
    findings: await maskFindings(issues, masking),
    settings,
    reviewText: review,
    obstacle,
    notes: [
      ...listSettingsFileNotes(loaded),
      ...listRepositoryNotes(reading, settings),
      ...listSetupNotes(settings),
      ...listStrictNotes(settings, issues),
    ],
  }
}

/** Masks the findings for the store and the agents. Codes and files stay as they are. */
async function maskFindings(findings: readonly Finding[], masking: Masking): Promise<Finding[]> {
  const masked = await masking.maskValues(findings)
  return masked.map((finding, index) => {
    const { issue_code, file } = findings[index] ?? finding
    return { ...finding, issue_code, file }
  })
}

/** Keeps the order of the review. */
function selectFindings(findings: readonly Finding[], { only }: StartInput): readonly Finding[] {
  return only === undefined ? findings : findings.filter(({ issue_code }) => only.includes(issue_code))
}

function listUnknownCodes(findings: readonly Finding[], { findings: input, only = [] }: StartInput): string[] {
  const unknown = only.filter((code) => !findings.some(({ issue_code }) => issue_code === code))
  return unknown.map((code) => `${nameFindings(input)}: there is no finding ${code} to choose`)
}

/** Stores the review that a prepared session needs, before the session itself is stored. */
export async function storeReview(home: Home, review: string | undefined): Promise<void> {
  if (review !== undefined) await openArtifactStore(home.artifacts).put(review)
}

/** Whether all commits of a session still exist: its result has no value if its branch was deleted. */
export async function areCommitsPresent({
  repository,
  session_id,
  started_at,
  result,
}: SessionRecord): Promise<boolean> {
  for (const { sha, issue_codes } of result?.commits ?? []) {
    const trailers = [`Fixwright-Session: ${session_id}`, ...issue_codes.map((code) => `Fixwright-Issue: ${code}`)]
    if (!(await isCommitOnAnyRef(repository, { commit: sha, trailers, since: started_at }))) return false
  }
  return true
}

/** The branch that the work was reviewed against, with the merge base; undefined if the work starts on that branch. */
async function findReviewOrigin(
  { base: asked, useExistingBranch }: StartInput,
  repository: Repository,
  base: string,
  head: string,
): Promise<SessionOrigin['against']> {
  const { root, defaultBranch } = repository
  // With an existing branch, `base` names the branch that it is to be merged into.
  const isTarget = useExistingBranch === true && asked !== undefined
  const name = isTarget ? asked : defaultBranch
  const target = isTarget ? base : name && (await resolveCommit(root, name))
  const commit = target && (await findMergeBase(root, target, head))
  return name === undefined || commit === undefined || commit === '' || commit === head ? undefined : { name, commit }
}

function formatUnwritable(where: string): string {
  return `a commit could not be written into ${where}: give the user who runs Fixwright the right to write there`
}

/** The gates are known only once it is decided whether the repository's own checks count. */
function listSettingsProblems(reading: RepositoryReading, loaded: LoadedRepositorySettings): string[] {
  return describeTrustProblem(reading, loaded) === undefined ? listGateProblems(loaded.loaded.settings) : []
}

/** Checks this machine; the worker checks its own again. */
async function listSandboxProblems(settings: Settings, env: Environment): Promise<string[]> {
  const problem = (await requiredSandboxProblem(settings.sandbox)) ?? (await modelAccessProblem(settings, env))
  return problem === undefined ? [] : [problem]
}

/** A note at the start: otherwise the person learns of it only when the fixes are made and paid for. */
function listSetupNotes({ sandbox, verification }: Settings): string[] {
  const { setup, commands, fresh_checkout } = verification
  const isOffline = sandbox.mode === 'require' && !sandbox.commands_network
  if (!isOffline || !fresh_checkout || setup.length === 0 || commands.length === 0) return []
  return [
    'sandbox.mode is require, so the setup in the fresh checkout before a commit has no network: one that has to fetch something fails there, and nothing is committed; set sandbox.commands_network, or verification.fresh_checkout to false',
  ]
}

/** Only a run of the checks on the base shows whether one fails there. */
function listStrictNotes(settings: Settings, issues: readonly Finding[]): string[] {
  if (isStrict(settings) && settings.verification.commands.length === 0) {
    return ['verification is strict, and no command is set: only the challenger looks at the fixes; give --verify']
  }
  const why = findStrictBatchesProblem(settings, issues)
  return why === undefined ? [] : [`if a check fails on the base already, ${why}`]
}

/** At least one gate, a check or the challenger, must stand behind every commit. */
function listGateProblems(settings: Settings): string[] {
  const problems: string[] = []
  if (!isChallenged(settings) && settings.verification.commands.length === 0) {
    problems.push(
      `the challenger is off (profile ${settings.profile}) and no verification command is set: give --verify, or switch the challenger on, so that something checks the fixes`,
    )
  }
  const sameVendor = findVendorProblem(settings)
  if (sameVendor) problems.push(sameVendor)
  return problems
}

function listDirtyProblems(findings: readonly Finding[], dirty: readonly string[]): string[] {
  const changed = new Set(dirty)
  return findings
    .filter(({ file }) => changed.has(file))
    .map(
      ({ issue_code, file }) =>
        `${issue_code} is about ${file}, which has changes that are not committed and would not be seen: commit or stash them, or give --allow-dirty`,
    )
}

function refuse(code: ErrorCode, ...problems: string[]): Refusal {
  return { kind: 'refused', code, problems }
}
