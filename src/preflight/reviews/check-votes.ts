// Checks a request for two votes and turns it into a session. Both names are resolved here, once: what they lead to later is not voted on.
// Settings come from the base, like everything that instructs a voter.
import { type Refusal, toRefusal } from '../../domain/errors/fixwright-error.ts'
import type { RepositoryRecord } from '../../domain/repository/repository.ts'
import { deriveSessionKey } from '../../domain/session/idempotency-key.ts'
import type { Settings } from '../../domain/settings/schema.ts'
import { findVoterVendorProblem } from '../../domain/settings/vendor-independence.ts'
import type { VoteSubject, VotesTarget } from '../../domain/vote/vote-subject.ts'
import { findMergeBase } from '../../platform/git/repository/branches.ts'
import { resolveCommit } from '../../platform/git/repository/inspect.ts'
import { listAgentProblems } from '../agents/check-agents.ts'
import { listSandboxProblems } from '../check-settings.ts'
import type { CheckContext, PreparedSession, StartCheck } from '../check-start.ts'
import { describeBase } from '../choose-branch.ts'
import { findOrNameRepository } from '../name-repository.ts'
import { type LocatedRepository, listSettingsFileNotes, loadRepositorySettings } from '../read-repository.ts'
import { locateNamed, toReadyCheck } from './check-change.ts'
import { buildNewSession, createSessionId } from './new-session.ts'

export interface VotesInput {
  readonly repository: string
  /** What the change is to be merged into. Default: the default branch. */
  readonly base?: string | undefined
  /** Default: the branch that is checked out. */
  readonly head?: string | undefined
  /** Where the votes are posted at the end. */
  readonly postOn?: VotesTarget | undefined
  readonly flags: Readonly<Record<string, unknown>>
  /** Settings of who is not the operator, by path. */
  readonly orderedSettings?: Readonly<Record<string, unknown>> | undefined
}

export async function checkVotes({ home, env, store, agents }: CheckContext, input: VotesInput): Promise<StartCheck> {
  const located = await locateNamed({ store, home, env }, input)
  if (located.kind === 'refused') return located
  const subject = await findSubject(located, input.head)
  if (typeof subject === 'string') return refuse(subject)
  const loaded = await loadRepositorySettings(located, { home, env, flags: input.flags, order: input.orderedSettings })
  if (loaded.kind === 'refused') return loaded
  const { settings } = loaded.loaded
  const vendors = findVoterVendorProblem(settings)
  const refusal = toRefusal({
    settings_invalid: vendors === undefined ? [] : [vendors],
    sandbox_unavailable: await listSandboxProblems(settings, env),
    ...(agents ? await listAgentProblems(settings, agents, home, { gemini: true, checks: false }) : {}),
  })
  if (refusal) return refusal
  const { root } = located.repository
  const registered = await findOrNameRepository(store, root)
  const session = buildVoteSession(root, registered, subject, { settings, postOn: input.postOn })
  return toReadyCheck({ session, settings, notes: [...located.notes, ...listSettingsFileNotes(loaded)] })
}

/** Returns the problem as a text. */
async function findSubject(
  { repository, commit, base }: LocatedRepository,
  asked: string | undefined,
): Promise<VoteSubject | string> {
  const { root, branch, head: checkedOut } = repository
  const name = asked ?? branch ?? checkedOut
  const head = await resolveCommit(root, name)
  if (head === undefined) return `${root} has no commit "${name}": give --head a branch, a tag or a commit`
  const baseName = base ?? describeBase(repository)
  const parted_at = await findMergeBase(root, commit, head)
  if (parted_at === undefined)
    return `${baseName} and ${name} have no commit in common: there is no change between them`
  if (parted_at === head) return `${name} has nothing that ${baseName} lacks: there is nothing to vote on`
  return { base: { name: baseName, commit }, head: { name, commit: head }, parted_at }
}

function buildVoteSession(
  repository: string,
  { repository_id, id_seed }: Pick<RepositoryRecord, 'repository_id' | 'id_seed'>,
  subject: VoteSubject,
  { settings, postOn }: { readonly settings: Settings; readonly postOn: VotesTarget | undefined },
): PreparedSession['session'] {
  const { base, head, parted_at } = subject
  const task_id = `votes-${head.commit.slice(0, 16)}`
  return buildNewSession({
    session_id: createSessionId(),
    kind: 'votes',
    key: deriveSessionKey(id_seed, task_id, [base.commit, parted_at]),
    repository_id,
    repository,
    task_id,
    base_commit: base.commit,
    settings,
    options: { base_name: base.name, vote_on: subject, ...(postOn ? { post_on: postOn } : {}) },
    issue_ids: [],
  })
}

function refuse(problem: string): Refusal {
  return { kind: 'refused', code: 'repository_unusable', problems: [problem] }
}
