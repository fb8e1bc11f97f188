// A batch's fixer call: from a known tree to a snapshot of what came of it. What changed, and whose it is, is read from git;
// the reply only claims. The snapshot is the activity's memory: where it exists, everything before it is done.
import { withoutAdvice } from '../../domain/budget/limits.ts'
import type { Batch } from '../../domain/plan/plan.ts'
import type { FixInput, FixOutcome } from '../../domain/protocol/index.ts'
import { pathsInside } from '../../domain/scope/paths.ts'
import type { NewEvent } from '../../domain/session/events.ts'
import type { CallFailure } from '../../domain/session/failure.ts'
import type { FixClaim } from '../../domain/stage/agent-replies.ts'
import { assignOwners, countOwned, narrowOwners } from '../../domain/stage/change-owners.ts'
import { listed } from '../../domain/text/join-list.ts'
import { agentTraces } from '../../platform/git/workspace/detect-git-use.ts'
import { changes, diffText } from '../../platform/git/workspace/diff.ts'
import type { Workspace } from '../../platform/git/workspace/object-store.ts'
import { snapshot } from '../../platform/git/workspace/snapshot-and-reset.ts'
import { spentIssues } from '../agent-call/enforce-budget.ts'
import { tell } from '../append-events.ts'
import { silencedEvents, silencedIn } from '../challenge/flag-check-tampering.ts'
import { aboutIssue, issueOf, loadSession, type Session, unnamed, type Workshop, workspaceOf } from '../context.ts'
import { keepGate } from '../gate-records.ts'
import type { Beat } from '../heartbeat.ts'
import { lookAtScope, scopeEvents } from '../scope/scope-gate.ts'
import { keep } from '../store-artifact.ts'
import { askFixer, conversationOfFix } from './call-fixer.ts'
import { type Composed, changedPaths, composeTree } from './compose-tree.ts'
import { findNoted, type NotedSnapshot, noted, type SnapshotNote, workOf } from './snapshot-metadata.ts'

export async function fixBatch(shop: Workshop, input: FixInput, beat: Beat): Promise<FixOutcome> {
  const session = await loadSession(shop, input.sessionId)
  const workspace = workspaceOf(shop, input.sessionId)
  const taken = (await findNoted(workspace, input.call)) ?? (await fix(shop, session, workspace, input, beat))
  const diff = await diffText(workspace, input.head, taken.commit)
  await keep(shop, session.id, 'diff', input.call, diff)
  const silenced = await silencedIn(shop, session, diff)
  if (silenced.length > 0) await keepGate(shop, session, input.call, { tree: taken.tree, silenced })
  await tell(shop, session.id, [
    ...closingEvents(session, input, taken),
    ...silencedEvents(input.call, silenced, taken.note.owners),
  ])
  const work = workOf(input.call, input.codes, taken)
  const conversation = await conversationOfFix(shop, session, input.call)
  const { failure } = taken.note
  const spent = await spentIssues(shop, session, input.codes)
  return {
    work,
    ...(failure ? { failure } : {}),
    ...(conversation ? { conversation } : {}),
    ...(spent ? { spent } : {}),
  }
}

async function fix(
  shop: Workshop,
  session: Session,
  workspace: Workspace,
  input: FixInput,
  beat: Beat,
): Promise<NotedSnapshot> {
  await tell(shop, session.id, openingEvents(session, input))
  const start = await composeTree(workspace, input.head, input.start)
  const asked = await withoutSpent(shop, session, input)
  const { reply, failure } = await askFixer(shop, session, workspace, { input: asked, start }, beat)
  const claims = reply?.results.filter(({ issue_code }) => input.codes.includes(issue_code)) ?? []
  return await takeSnapshot(shop, session, workspace, { input, start, claims, failure })
}

/** What was said before the first fix costs, too. */
async function withoutSpent(shop: Workshop, session: Session, input: FixInput): Promise<FixInput> {
  const spent = await spentIssues(shop, session, input.codes)
  const codes = input.codes.filter((code) => spent?.[code] === undefined)
  return codes.length === 0 ? input : { ...input, codes }
}

interface Done {
  readonly input: FixInput
  readonly start: Composed
  readonly claims: readonly FixClaim[]
  readonly failure?: CallFailure | undefined
}

async function takeSnapshot(
  shop: Workshop,
  session: Session,
  workspace: Workspace,
  { input, start, claims, failure }: Done,
): Promise<NotedSnapshot> {
  const traces = await agentTraces(workspace)
  const claimants = input.codes.map((code) => ({
    code,
    file: issueOf(session, code).file,
    claimed: pathsInside(
      claims.filter(({ issue_code }) => issue_code === code).flatMap(({ file_modified }) => file_modified ?? []),
      workspace.tree,
    ),
    abstains: claims.some(({ issue_code, status }) => issue_code === code && status === 'false_positive'),
  }))
  const note = async (tree: string): Promise<string> => {
    const [changed, differing] = await Promise.all([
      changes(workspace, start.tree, tree),
      changedPaths(workspace, input.head, tree),
    ])
    const owners = narrowOwners(assignOwners(changed, claimants, start.owners), differing)
    const scope = await lookAtScope(shop, session, workspace, { head: input.head, start, tree, changed, owners })
    // What an agent did to git itself can't be told apart by issue.
    const everybody = traces.violations.length > 0 ? input.codes : []
    return JSON.stringify({
      owners,
      claims: { ...start.claims, ...Object.fromEntries(claims.map((claim) => [claim.issue_code, claim])) },
      violations: [...scope.violations, ...traces.violations],
      outOfScope: [...new Set([...scope.outOfScope, ...everybody])],
      outside: scope.outside,
      notes: traces.notes,
      failure,
    } satisfies SnapshotNote)
  }
  return noted(await snapshot(workspace, { name: input.call, parent: input.head, at: new Date(), note }))
}

/** `BE Batch 2/3` */
function titleOf({ label }: Batch): string {
  return label.replace(' ', ' Batch ')
}

function openingEvents(session: Session, { call, codes, iteration, batch, stage }: FixInput): NewEvent[] {
  const first = iteration === 1
  return [
    {
      key: `stage/${stage}`,
      type: 'fix_stage_started',
      message: `stage ${stage}`,
      data: { stage },
    },
    {
      key: `${call}/batch`,
      type: 'fix_batch_started',
      message: `${titleOf(batch)} · workload ${batch.workload} · ${codes.join(', ')} · attempt ${iteration}`,
      data: { label: batch.label, workload: batch.workload, codes, iteration },
    },
    ...codes.flatMap((code): NewEvent[] => {
      const issue = issueOf(session, code)
      const about = aboutIssue(session, code)
      const started: NewEvent = { key: `${code}/started`, type: 'fix_issue_started', message: issue.title, ...about }
      const generating: NewEvent = {
        key: `${call}/${code}/generating`,
        type: first ? 'fix_issue_generating' : 'fix_issue_regenerating',
        message: first
          ? `fixing ${issue.file}`
          : `fixing ${issue.file} again, with what the gates said (attempt ${iteration})`,
        ...about,
      }
      return first ? [started, generating] : [generating]
    }),
  ]
}

/** Of a list in an event: events are read by people and streamed to their terminals. */
const MOST = 100

function closingEvents(session: Session, { call, codes, batch }: FixInput, { note }: NotedSnapshot): NewEvent[] {
  const files = Object.keys(note.owners)
  const outside = unnamed(session, files)
  const unchanged = codes.filter((code) => note.claims[code]?.status === 'fixed' && countOwned(note.owners, code) === 0)
  const says = [
    files.length === 0 ? 'no changes applied' : `changed ${listed(files)}`,
    ...(outside.length > 0 ? [`no finding names ${listed(outside)}`] : []),
    ...(unchanged.length > 0 && files.length > 0 ? [`${listed(unchanged)}: called fixed, and no changes applied`] : []),
  ]
  const failed = note.failure ? `: ${withoutAdvice(note.failure.detail)}` : ''
  const completed: NewEvent = {
    key: `${call}/batch-completed`,
    type: 'fix_batch_completed',
    message: `${titleOf(batch)} · ${says.join('; ')}${failed}`,
    data: { label: batch.label, codes, files: files.slice(0, MOST), outside: outside.slice(0, MOST), unchanged },
  }
  const git: NewEvent = {
    key: `${call}/git`,
    type: 'fix_log',
    message: `${listed(note.notes, '; ')}: folded back, git is not the fixer's business`,
    data: { notes: note.notes.slice(0, MOST) },
  }
  return [completed, ...(note.notes.length > 0 ? [git] : []), ...scopeEvents(call, note)]
}
