// Checks the start of a review and turns it into a session. Settings and conventions come from the commit that the change is compared with,
// so a change can't loosen its own review. Reads the repository, changes nothing in it.
import type { ErrorCode } from '../../domain/errors/error-codes.ts'
import { type Refusal, toRefusal } from '../../domain/errors/fixwright-error.ts'
import { parseRemote } from '../../domain/forge/forge-address.ts'
import type { RepositoryRecord } from '../../domain/repository/repository.ts'
import type { ExpertName } from '../../domain/review/experts.ts'
import { toReviewTask } from '../../domain/review/review-options.ts'
import { isInside } from '../../domain/scope/paths.ts'
import { deriveSessionKey } from '../../domain/session/idempotency-key.ts'
import type { Settings } from '../../domain/settings/schema.ts'
import {
  findMergeBase,
  findUnwritableFolder,
  readRemoteName,
  readRemoteUrl,
} from '../../platform/git/repository/branches.ts'
import { type Repository, resolveCommit } from '../../platform/git/repository/inspect.ts'
import { listTreeEntries } from '../../platform/git/repository/list-tree.ts'
import { createMasking } from '../../platform/masking/mask-secrets.ts'
import type { NewSession } from '../../store/sessions.ts'
import { type AgentNeeds, listAgentProblems } from '../agents/check-agents.ts'
import { listGateProblems, listSandboxProblems } from '../check-settings.ts'
import type { CheckContext, StartCheck } from '../check-start.ts'
import { findOrNameRepository } from '../name-repository.ts'
import {
  describeTrustProblem,
  type LoadedRepositorySettings,
  listSettingsFileNotes,
  loadRepositorySettings,
} from '../read-repository.ts'
import {
  formatUnwritable,
  listNeedProblems,
  listRepositoryNotes,
  withUsualSignOff,
} from '../repository-requirements.ts'
import { locateNamed, toReadyCheck } from './check-change.ts'
import { buildNewSession, createSessionId } from './new-session.ts'

export interface ReviewInput {
  readonly repository: string
  /** What the change is compared with. Default: the default branch. */
  readonly base?: string | undefined
  /** The commit to review. Default: the one that is checked out. */
  readonly head?: string | undefined
  /** A folder or file of that commit with the specification. */
  readonly spec?: string | undefined
  readonly notes?: string | undefined
  /** Makes confirmed findings issues. */
  readonly import?: boolean | undefined
  /** Whether what is confirmed is fixed in the same session. */
  readonly fixes?: boolean | undefined
  /** Whether issues are created on a forge from what could not be fixed. */
  readonly createIssues?: boolean | undefined
  /** Those whose lanes are reviewed. Default: the setting `review.experts`. */
  readonly experts?: readonly ExpertName[] | undefined
  readonly flags: Readonly<Record<string, unknown>>
  /** Settings of who is not the operator, by path. */
  readonly orderedSettings?: Readonly<Record<string, unknown>> | undefined
}

/** The profile that sessions follow which fix what they find. */
const FIXING_PROFILE = 'review-fix'

export async function checkReview(context: CheckContext, input: ReviewInput): Promise<StartCheck> {
  const { home, env, store, agents } = context
  const located = await locateNamed(context, { repository: input.repository, base: input.head ?? 'HEAD' })
  if (located.kind === 'refused') return located
  const { repository, commit: head } = located
  const against = await findReviewBase(repository, head, input.base)
  if (against.kind === 'refused') return against
  const { name, commit: base } = against
  const loaded = await loadRepositorySettings(
    { kind: 'found', repository, commit: base, base: name },
    { home, env, ...collectSettings(input) },
  )
  if (loaded.kind === 'refused') return loaded
  const { settings } = loaded.loaded
  const untrusted = describeTrustProblem(loaded)
  const refusal = toRefusal({
    bad_input: await listSpecProblems(repository, head, input.spec),
    forge_not_configured: input.createIssues ? await listForgeProblems(repository.root, settings) : [],
    sandbox_unavailable: await listSandboxProblems(settings, env),
    settings_invalid: input.fixes && untrusted === undefined ? listGateProblems(settings) : [],
    repository_not_trusted: untrusted === undefined ? [] : [untrusted],
    ...(input.fixes ? await listFixingProblems(repository, loaded) : {}),
    ...(agents ? await listAgentProblems(settings, agents, home, input.fixes ? undefined : REVIEWERS) : {}),
  })
  if (refusal) return refusal
  const registered = await findOrNameRepository(store, repository.root)
  return toReadyCheck({
    session: await buildReviewSession(input, { repository, registered, head, name, base, loaded, env }),
    settings,
    notes: [
      ...located.notes,
      ...listSettingsFileNotes(loaded),
      ...(input.fixes ? listRepositoryNotes(loaded.reading, settings) : []),
      ...(repository.dirty.length > 0 && input.head === undefined
        ? [`what is not committed is not reviewed: ${repository.dirty.length} file(s)`]
        : []),
    ],
  })
}

/** A session that fixes what it finds has a profile of its own, whatever is asked for. */
function collectSettings({ fixes = false, experts, flags, orderedSettings }: ReviewInput) {
  const own = {
    ...(fixes ? { profile: FIXING_PROFILE } : {}),
    ...(experts === undefined ? {} : { 'review.experts': experts }),
  }
  return { flags: { ...flags, ...own }, order: orderedSettings && { ...orderedSettings, ...own } }
}

/** Before anything is paid: where the issues would go. */
async function listForgeProblems(root: string, { github }: Settings): Promise<string[]> {
  const remote = await readRemoteName(root)
  const url = remote === undefined ? undefined : await readRemoteUrl(root, remote)
  if (url !== undefined && parseRemote(url)?.host === github.host) return []
  const found = url === undefined ? `no remote on ${github.host}` : `its remote at ${url}, not on ${github.host}`
  return [
    `${root} has ${found} (github.host), so no issue can be created: leave out --create-issues, and see "fixwright leftovers SESSION" afterwards`,
  ]
}

const REVIEWERS: AgentNeeds = { gemini: false, checks: false }

async function listFixingProblems({ root, identity }: Repository, { reading, loaded }: LoadedRepositorySettings) {
  const unwritten = await findUnwritableFolder(root, loaded.settings.git.branch_prefix)
  return {
    repository_needs: listNeedProblems(reading, loaded.settings, [], identity),
    repository_read_only: unwritten === undefined ? [] : [formatUnwritable(unwritten)],
  }
}

type ReviewBase = { readonly kind: 'found'; readonly name: string; readonly commit: string } | Refusal

/** The commit where the change parted from its base: what came to the base since is not part of the change. */
async function findReviewBase(
  { root, defaultBranch }: Repository,
  head: string,
  asked: string | undefined,
): Promise<ReviewBase> {
  const name = asked ?? defaultBranch
  if (name === undefined)
    return refuse(
      'repository_unusable',
      `${root} has no default branch: give --base with what the change is compared with`,
    )
  const target = await resolveCommit(root, name)
  if (target === undefined)
    return refuse('repository_unusable', `${root} has no commit "${name}": give --base a branch, a tag or a commit`)
  const commit = await findMergeBase(root, target, head)
  if (!commit) return refuse('repository_unusable', `${name} and the commit to review have no commit in common`)
  if (commit === head)
    return refuse(
      'nothing_to_review',
      `${head.slice(0, 10)} changes nothing that ${name} does not have: switch to the branch to review, or give --head or --base`,
    )
  return { kind: 'found', name, commit }
}

async function listSpecProblems({ root }: Repository, head: string, spec: string | undefined): Promise<string[]> {
  if (spec === undefined) return []
  const place = spec.replace(/^\.\//, '').replace(/\/+$/, '')
  const isThere = (await listTreeEntries(root, head)).some(({ path }) => isInside(path, place))
  return isThere ? [] : [`--spec ${spec}: the commit to review has no such folder or file`]
}

interface ReviewParts {
  readonly repository: Repository
  readonly registered: Pick<RepositoryRecord, 'repository_id' | 'id_seed'>
  readonly head: string
  readonly name: string
  readonly base: string
  readonly loaded: LoadedRepositorySettings
  readonly env: CheckContext['env']
}

async function buildReviewSession(
  { spec, notes, fixes, head: asked, ...input }: ReviewInput,
  {
    repository: { root, branch, identity },
    registered: { repository_id, id_seed },
    head,
    name,
    base,
    loaded: { loaded, reading, file },
    env,
  }: ReviewParts,
): Promise<NewSession> {
  const session_id = createSessionId()
  const kind = fixes ? 'review-fix' : 'review'
  const settings = fixes ? withUsualSignOff(loaded.settings, reading, identity) : loaded.settings
  const work = [head, base, spec ?? '', `${input.import === true}`, ...settings.review.experts]
  return buildNewSession({
    session_id,
    kind,
    key: deriveSessionKey(id_seed, kind, work),
    repository_id,
    repository: root,
    task_id: toReviewTask(session_id),
    base_commit: head,
    settings: { ...settings },
    options: {
      base,
      base_asked: input.base,
      base_name: asked ?? branch ?? 'HEAD',
      against: { name, commit: base },
      ...(spec === undefined ? {} : { spec: spec.replace(/^\.\//, '').replace(/\/+$/, '') }),
      ...(input.import ? { import: true } : {}),
      ...(file === undefined ? {} : { repository_file: file }),
      ...(fixes && reading.facts.filtered.isUsed ? { filters: true } : {}),
    },
    issue_ids: [],
    ...(notes === undefined ? {} : { user_notes: await createMasking(env).maskText(notes) }),
  })
}

function refuse(code: ErrorCode, ...problems: string[]): Refusal {
  return { kind: 'refused', code, problems }
}
