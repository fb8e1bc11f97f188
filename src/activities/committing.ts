// Commits what passed: exactly the tree that the gates saw, onto the session's branch, by compare-and-swap. Equal inputs make
// an equal commit, so doing it again finds it done.
import { ApplicationFailure } from '@temporalio/activity'
import { committerPrompt } from '../agents/prompt.ts'
import { parseReply } from '../agents/reply.ts'
import type { NewEvent } from '../domain/events.ts'
import { commitMessage } from '../domain/names.ts'
import { countOwned, pathsOwnedBy } from '../domain/ownership.ts'
import type { CommitInput, CommitOutcome, MergeInput, MergeOutcome } from '../domain/protocol.ts'
import type { IssueFix } from '../domain/records.ts'
import { gatingScore, weightedScore } from '../domain/score.ts'
import { FIX_CODE_LIMIT, type IssueFixResult } from '../domain/session.ts'
import { branchHead } from '../git/branches.ts'
import { diffText } from '../git/changes.ts'
import { bringHead, commitTree, mergeOnto } from '../git/commits.ts'
import { FIXWRIGHT } from '../git/git.ts'
import { publish } from '../git/publish.ts'
import { type Identity, inspectRepository } from '../git/repository.ts'
import { resetTo, snapshot } from '../git/tree.ts'
import type { Workspace } from '../git/workspace.ts'
import { ask } from './asking.ts'
import type { Beat } from './beating.ts'
import { type GateRecord, passedOn, readGate } from './feedback.ts'
import { blockId, workOf } from './fixing.ts'
import { runClaude } from './running-agents.ts'
import { type Composed, changedPaths, composeTree } from './trees.ts'
import { aboutIssue, issueOf, loadSession, type Session, tell, type Workshop, workspaceOf } from './workshop.ts'

const NAMING_MS = 120_000

export async function commitStage(shop: Workshop, input: CommitInput, beat: Beat): Promise<CommitOutcome> {
  const session = await loadSession(shop, input.sessionId)
  const workspace = await workspaceOf(shop, session.id)
  const composed = await composeTree(workspace, input.head, input.picks)
  if (composed.tree !== input.tree) {
    throw ApplicationFailure.nonRetryable(
      `the tree to commit is ${composed.tree}, but the gates saw ${input.tree}: nothing was committed; please report this`,
    )
  }
  await shop.store.sessions.update(session.id, { status: 'committing' })
  const gate = input.challenge === undefined ? undefined : await readGate(shop, session, input.challenge)
  // In the order in which they were asked for; picks come in the order of their snapshots.
  const codes = session.issues
    .map(({ issue_code }) => issue_code)
    .filter((code) => input.codes.includes(code) && countOwned(composed.owners, code) > 0)
  const diff = await diffText(workspace, input.head, input.tree)
  const message = await messageFor(shop, session, { input, codes, gate, diff }, beat)
  const at = new Date(input.at)
  const author = await authorOf(session)
  const commit = await commitTree(workspace, { tree: input.tree, parent: input.head, message, author, at })
  const expected = await expectedHead(workspace, input.head)
  const outcome = await publish({ workspace, branch: workspace.branch, commit, expected })
  if (outcome.kind === 'checked_out') return { kind: 'checked_out', where: outcome.where }
  if (outcome.kind === 'moved') {
    const head = await bringHead(workspace, workspace.branch)
    if (head) return { kind: 'moved', head }
    throw ApplicationFailure.nonRetryable(
      `the branch ${workspace.branch} was deleted while the session ran: start it again`,
    )
  }
  await recordFixes(shop, session, { input, codes, composed, gate, commit, message, branch: workspace.branch })
  await tell(shop, session.id, commitEvents(session, codes, commit, message))
  await shop.store.sessions.update(session.id, { status: 'generating' })
  return { kind: 'committed', sha: commit, codes }
}

/** Only a session's first commit may make the branch; one that goes on with an earlier session's finds it at its base. */
async function expectedHead({ repository, branch, base }: Workspace, head: string): Promise<string | undefined> {
  if (head !== base) return head
  return (await branchHead(repository, branch)) === base ? base : undefined
}

async function authorOf({ settings, record }: Session): Promise<Identity> {
  const found = await inspectRepository(record.repository)
  const own = found.kind === 'repository' ? found.identity : undefined
  return {
    name: settings.git.author_name ?? own?.name ?? FIXWRIGHT.name,
    email: settings.git.author_email ?? own?.email ?? FIXWRIGHT.email,
  }
}

interface Committing {
  readonly input: CommitInput
  readonly codes: readonly string[]
  readonly gate: GateRecord | undefined
}

async function messageFor(
  shop: Workshop,
  session: Session,
  { input, codes, gate, diff }: Committing & { readonly diff: string },
  beat: Beat,
): Promise<string> {
  const issues = codes.map((code) => issueOf(session, code))
  const scores = codes.flatMap((code) => scoreOf(gate, code) ?? [])
  const challenged = scores.length > 0 ? ([['Challenged', `${Math.min(...scores)} or more`]] as const) : []
  const passed = input.verified === 'passed' ? await passedOn(shop, session, input.tree) : []
  const verified = passed.length > 0 ? ([['Verified', passed.join('; ')]] as const) : []
  const proof = [...challenged, ...verified]
  const trailers = {
    session: session.id,
    codes,
    proof: proof.length > 0 ? proof : ([['Unproven', 'neither challenged nor verified']] as const),
  }
  const proposed =
    session.settings.git.naming === 'agent' ? await askForWords(shop, session, { input, codes, diff }, beat) : undefined
  return commitMessage(issues, trailers, proposed)
}

async function askForWords(
  shop: Workshop,
  session: Session,
  { input, codes, diff }: { input: CommitInput; codes: readonly string[]; diff: string },
  beat: Beat,
): Promise<string | undefined> {
  const role = 'git-committer'
  const key = `${input.call}.message`
  const issues = codes.map((code) => issueOf(session, code))
  const prompt = committerPrompt(shop.agents, { blockId: blockId(), call: key, iteration: 1, issues, diff })
  const answer = await ask(
    shop,
    session,
    {
      key,
      role,
      prompt,
      about: 'words for the commit',
      run: (place) => runClaude(shop, session, { role, prompt, place, deadlineMs: NAMING_MS, cwd: shop.sessions }),
    },
    beat,
  )
  const parsed = answer.kind === 'answered' ? parseReply('commit', answer) : undefined
  if (parsed?.kind !== 'parsed') return undefined
  const { message } = parsed.value
  // Trailers are ours; a message that names none of its issues is no better than the rules'.
  const isPlain = !/^Fixwright-/m.test(message)
  return isPlain && codes.every((code) => message.includes(code)) ? message : undefined
}

async function recordFixes(
  shop: Workshop,
  session: Session,
  made: Committing & { composed: Composed; commit: string; message: string; branch: string },
): Promise<void> {
  const workspace = await workspaceOf(shop, session.id)
  for (const code of made.codes) {
    const issue = issueOf(session, code)
    const claim = made.composed.claims[code]
    const verdict = made.gate?.verdicts?.[code]
    const score = scoreOf(made.gate, code)
    const owners = made.composed.owners
    const files = Object.keys(owners).filter((path) => owners[path]?.includes(code))
    const own = pathsOwnedBy(owners, [code])
    const diff = await diffText(workspace, made.input.head, made.input.tree, own.length > 0 ? own : files)
    const confidence = claim?.self_evaluation?.confidence
    const fix: IssueFix = {
      fix_code: diff.slice(0, FIX_CODE_LIMIT),
      fix_explanation: claim?.changes_summary ?? '',
      fix_files_modified: files,
      fix_commit_sha: made.commit,
      fix_branch: made.branch,
      ...(confidence === undefined ? {} : { fix_self_score: confidence }),
      ...(score === undefined ? {} : { fix_gemini_score: score }),
    }
    const quality = verdict?.quality_scores
    const result: IssueFixResult = {
      issue_id: issue.issue_id,
      issue_code: code,
      status: 'completed',
      commit_sha: made.commit,
      commit_message: made.message,
      changes_made: claim?.changes_summary ?? '',
      fix_code: fix.fix_code,
      fix_explanation: fix.fix_explanation,
      fix_files_modified: files,
      false_positive: false,
      iterations: made.input.iterations[code] ?? 0,
      ...(confidence === undefined ? {} : { fix_self_score: confidence }),
      ...(score === undefined ? {} : { fix_gemini_score: score }),
      ...(quality ? { quality_scores: quality, weighted_score: weightedScore(quality, score) } : {}),
    }
    await shop.store.sessions.setOutcome(session.id, result)
    await shop.store.issues.move({
      issue_id: issue.issue_id,
      to: 'resolved',
      mover: 'session',
      session_id: session.id,
      fix,
    })
  }
}

function scoreOf(gate: GateRecord | undefined, code: string): number | undefined {
  const verdict = gate?.verdicts?.[code]
  return verdict && gatingScore(verdict)
}

function commitEvents(session: Session, codes: readonly string[], commit: string, message: string): NewEvent[] {
  const subject = message.split('\n', 1)[0] ?? ''
  return codes.flatMap((code): NewEvent[] => {
    const about = { ...aboutIssue(session, code), commit_sha: commit, data: { codes: [...codes] } }
    return [
      { key: `${code}/committed`, type: 'fix_issue_committed', message: `${commit.slice(0, 10)} ${subject}`, ...about },
      { key: `${code}/completed`, type: 'fix_issue_completed', message: issueOf(session, code).title, ...about },
    ]
  })
}

/** A person committed on the branch meanwhile: what was chosen, merged onto their commit, becomes a snapshot to be judged. */
export async function mergeStage(shop: Workshop, input: MergeInput): Promise<MergeOutcome> {
  const session = await loadSession(shop, input.sessionId)
  const workspace = await workspaceOf(shop, session.id)
  const { tree, owners, claims } = await composeTree(workspace, input.head, input.picks)
  const at = new Date(input.at)
  const chosen = await commitTree(workspace, { tree, parent: input.head, message: input.call, author: FIXWRIGHT, at })
  const merged = await mergeOnto(workspace, chosen, input.onto)
  if (merged.kind === 'conflict') return merged
  await resetTo(workspace, merged.tree, { head: input.onto })
  const differing = await changedPaths(workspace, input.onto, merged.tree)
  const kept = Object.fromEntries(Object.entries(owners).filter(([path]) => differing.has(path)))
  const note = { owners: kept, claims, outOfScope: [], violations: [] }
  const text = JSON.stringify(note)
  const taken = await snapshot(workspace, { name: input.call, parent: input.onto, at, note: text })
  await tell(shop, session.id, [
    {
      key: `${input.call}/merged`,
      type: 'fix_log',
      message: `someone committed on ${workspace.branch}: the fixes are merged onto ${input.onto.slice(0, 10)} and judged again`,
    },
  ])
  return { kind: 'clean', work: workOf(input.call, input.codes, { ...taken, note }) }
}
