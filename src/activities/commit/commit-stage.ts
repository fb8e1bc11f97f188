// Commits what passed: exactly the tree that the gates saw, onto the session's branch, by compare-and-swap. The commit is kept
// under the step's name before the branch moves, so doing it again finds it, also where it would get another author now.
import { ApplicationFailure } from '@temporalio/activity'
import type { CommitInput, CommitOutcome } from '../../domain/protocol/index.ts'
import { countOwned } from '../../domain/stage/change-owners.ts'
import { silencedWords } from '../../domain/tampering/detect.ts'
import { commitMessage } from '../../domain/text/branch-and-commit-names.ts'
import { listed } from '../../domain/text/join-list.ts'
import { FIXWRIGHT } from '../../platform/git/git.ts'
import { branchHead } from '../../platform/git/repository/branches.ts'
import { type Identity, readIdentity } from '../../platform/git/repository/inspect.ts'
import { publish } from '../../platform/git/repository/publish-branch.ts'
import { bringHead } from '../../platform/git/workspace/commits.ts'
import { diffText } from '../../platform/git/workspace/diff.ts'
import type { Workspace } from '../../platform/git/workspace/object-store.ts'
import { keepCommit, readSnapshot, type Snapshot } from '../../platform/git/workspace/snapshot-and-reset.ts'
import { silencedIn } from '../challenge/flag-check-tampering.ts'
import { issueOf, loadSession, type Session, type Workshop, workspaceOf } from '../context.ts'
import { composeTree } from '../fix/compose-tree.ts'
import { type GateRecord, readGate, scoreOf } from '../gate-records.ts'
import type { Beat } from '../heartbeat.ts'
import { askForMessage } from '../open/name-branch.ts'
import { unapproved } from '../scope/approved-paths.ts'
import { keepGround, provenOn } from '../verify/baseline.ts'
import { intendFixes, resolveFixes } from './resolve-issues.ts'

export async function commitStage(shop: Workshop, input: CommitInput, beat: Beat): Promise<CommitOutcome> {
  const { call, head, tree } = input
  const session = await loadSession(shop, input.sessionId)
  const workspace = workspaceOf(shop, session.id)
  const composed = await composeTree(workspace, head, input.picks)
  if (composed.tree !== tree) {
    throw ApplicationFailure.nonRetryable(
      `the tree to commit is ${composed.tree}, but the gates saw ${tree}: nothing was committed; please report this`,
    )
  }
  const [outside] = await unapproved(workspace, composed)
  if (outside) {
    throw ApplicationFailure.nonRetryable(
      `${outside.path} is ${outside.why} and nobody has let it through: nothing was committed; please report this`,
    )
  }
  if (!(await shop.store.sessions.update(session.id, { status: 'committing' }))) {
    throw ApplicationFailure.nonRetryable(`session ${session.id} was closed meanwhile: nothing was committed`)
  }
  const gate = input.challenge === undefined ? undefined : await readGate(shop, session, input.challenge)
  // In the order in which they were asked for; picks come in the order of their snapshots.
  const codes = session.issues
    .map(({ issue_code }) => issue_code)
    .filter((code) => input.codes.includes(code) && countOwned(composed.owners, code) > 0)
  const commit = (await readSnapshot(workspace, call)) ?? (await make())
  const fixes = await intendFixes(shop, session, workspace, { input, codes, composed, gate, commit })
  const { branch } = workspace
  const expected = await expectedHead(workspace, head)
  const outcome = await publish({ workspace, branch, commit: commit.commit, expected })
  const isOn = outcome.kind === 'published' || outcome.kind === 'already'
  if (isOn) {
    await resolveFixes(shop, session, fixes)
    await keepGround(shop, session, { call, onto: head, sha: commit.commit, tree })
  }
  await shop.store.sessions.update(session.id, { status: 'generating' })
  if (isOn) return { kind: 'committed', sha: commit.commit, codes }
  if (outcome.kind === 'checked_out') return outcome
  if (outcome.kind === 'refused') {
    throw ApplicationFailure.nonRetryable(
      `${outcome.why}: nothing was committed; put that right, and start the same work again`,
    )
  }

  const moved = await bringHead(workspace, branch)
  if (moved) return { kind: 'moved', head: moved }
  throw ApplicationFailure.nonRetryable(
    `the branch ${branch} was deleted while the session ran: start the same work again`,
  )

  async function make(): Promise<Snapshot> {
    const author = await authorOf(session)
    const words = await messageFor(shop, session, workspace, { input, codes, gate, author }, beat)
    const message = await shop.masking.text(words)
    return await keepCommit(workspace, call, { tree, parent: head, message, author, at: new Date(input.at) })
  }
}

/** Only a session's first commit may make the branch; one that goes on with an earlier session's finds it at its base. */
async function expectedHead({ repository, branch, base }: Workspace, head: string): Promise<string | undefined> {
  if (head !== base) return head
  return (await branchHead(repository, branch)) === base ? base : undefined
}

async function authorOf({ settings, record }: Session): Promise<Identity> {
  const { author_name, author_email } = settings.git
  const own = author_name && author_email ? undefined : await readIdentity(record.repository)
  return { name: author_name ?? own?.name ?? FIXWRIGHT.name, email: author_email ?? own?.email ?? FIXWRIGHT.email }
}

interface Passed {
  readonly input: CommitInput
  readonly codes: readonly string[]
  readonly gate: GateRecord | undefined
  readonly author: Identity
}

async function messageFor(
  shop: Workshop,
  session: Session,
  workspace: Workspace,
  { input, codes, gate, author }: Passed,
  beat: Beat,
): Promise<string> {
  const { git } = session.settings
  const scores = codes.flatMap((code) => scoreOf(gate, code) ?? [])
  const proof: (readonly [string, string])[] = []
  if (scores.length > 0) proof.push(['Challenged', `${Math.min(...scores)} or more`])
  const passed = input.verified === 'passed' ? await provenOn(shop, session, { ...input, onto: input.head }) : []
  if (passed.length > 0) proof.push(['Verified', passed.join('; ')])
  if (proof.length === 0) proof.push(['Unproven', 'neither challenged nor verified'])
  for (const call of input.proofs ?? []) {
    const proven = (await readGate(shop, session, call))?.proof
    if (proven?.verdict === 'proven') proof.push(['Proven', `${proven.codes.join(', ')}: ${listed(proven.files)}`])
  }
  const diff = await diffText(workspace, input.head, input.tree)
  const silenced = await silencedIn(shop, session, diff)
  if (silenced.length > 0) proof.push(['Silenced', listed(silenced.map(silencedWords), '; ')])
  const issues = codes.map((code) => issueOf(session, code))
  // Nobody vouches in our name.
  const signedOffBy = git.sign_off && author.email !== FIXWRIGHT.email ? `${author.name} <${author.email}>` : undefined
  const trailers = { session: session.id, codes, proof, signedOffBy }
  if (git.naming === 'rules') return commitMessage(issues, trailers)
  const proposed = await askForMessage(shop, session, { call: input.call, codes, diff }, beat)
  return commitMessage(issues, trailers, proposed)
}
