// A batch's fixer call: from a known tree to a snapshot of what came of it. What changed, and whose it is, is read from git;
// the reply only claims. The snapshot is the activity's memory: where it exists, everything before it is done.
import { randomBytes } from 'node:crypto'
import { fixerPrompt, reFixerPrompt, repairPrompt } from '../agents/prompt.ts'
import { parseReply } from '../agents/reply.ts'
import type { NewEvent } from '../domain/events.ts'
import type { CallFailure } from '../domain/failure.ts'
import { assignOwners, countOwned, narrowOwners, ownerSets } from '../domain/ownership.ts'
import { narrowSteps } from '../domain/plan.ts'
import type { FixInput, FixOutcome, FixWork } from '../domain/protocol.ts'
import type { FixClaim, FixReply } from '../domain/reply.ts'
import { checkScope } from '../domain/scope.ts'
import { changes, diffText } from '../git/changes.ts'
import { agentTraces } from '../git/traces.ts'
import { resetTo, snapshot } from '../git/tree.ts'
import type { Workspace } from '../git/workspace.ts'
import { type Answer, ask } from './asking.ts'
import type { Beat } from './beating.ts'
import { conventionsOf } from './conventions.ts'
import { gatherFeedback } from './feedback.ts'
import { findNoted, type NotedSnapshot, type SnapshotNote } from './note.ts'
import { runClaude } from './running-agents.ts'
import { type Composed, changedPaths, composeTree } from './trees.ts'
import { aboutIssue, issueOf, keep, loadSession, type Session, tell, type Workshop, workspaceOf } from './workshop.ts'

/** What a repair question gets at least, also when the call before it used up the time. */
const REPAIR_MS = 60_000

export async function fixBatch(shop: Workshop, input: FixInput, beat: Beat): Promise<FixOutcome> {
  const session = await loadSession(shop, input.sessionId)
  const workspace = await workspaceOf(shop, input.sessionId)
  const done = await findNoted(workspace, input.call)
  if (done) return outcomeOf(input, done)

  await tell(shop, session.id, openingEvents(session, input))
  const start = await composeTree(workspace, input.head, input.start)
  const answer = await askFixer(shop, session, workspace, { input, start }, beat)
  const claims = answer.reply?.results.filter(({ issue_code }) => input.codes.includes(issue_code)) ?? []
  const taken = await takeSnapshot(session, workspace, { input, start, claims, failure: answer.failure })
  await keep(shop, session.id, 'diff', input.call, await diffText(workspace, input.head, taken.commit))
  await tell(shop, session.id, closingEvents(input, taken))
  return outcomeOf(input, taken)
}

interface Fixing {
  readonly input: FixInput
  readonly start: Composed
}

interface Fixed {
  readonly reply?: FixReply | undefined
  readonly failure?: CallFailure | undefined
}

async function askFixer(
  shop: Workshop,
  session: Session,
  workspace: Workspace,
  { input, start }: Fixing,
  beat: Beat,
): Promise<Fixed> {
  const role = input.iteration === 1 ? 'fixer' : 're_fixer'
  const prompt = await promptFor(shop, session, workspace, { input, start })
  const deadlineMs = session.settings.claude.timeout_seconds * 1000
  const startedAt = performance.now()
  const answer = await ask(
    shop,
    session,
    {
      key: input.call,
      role,
      prompt,
      about: input.codes.join(', '),
      before: () => resetTo(workspace, start.tree, { head: input.head, signal: beat.signal }),
      run: (place) =>
        runClaude(shop, session, { role, prompt, place, deadlineMs, cwd: workspace.tree, kind: input.batch.kind }),
    },
    beat,
  )
  const left = Math.max(deadlineMs - (performance.now() - startedAt), REPAIR_MS)
  return await readOrRepair(shop, session, workspace, { input, role, answer, deadlineMs: left }, beat)
}

/** An answer that can't be read is asked for once more, in the same conversation; the work in the tree stands either way. */
async function readOrRepair(
  shop: Workshop,
  session: Session,
  workspace: Workspace,
  asked: { input: FixInput; role: 'fixer' | 're_fixer'; answer: Answer; deadlineMs: number },
  beat: Beat,
): Promise<Fixed> {
  const { input, role, answer, deadlineMs } = asked
  if (answer.kind === 'failed') return { failure: answer.failure }
  const parsed = parseReply('fix', { text: answer.text })
  if (parsed.kind === 'parsed') return { reply: parsed.value }

  const key = `${input.call}.repair`
  const prompt = repairPrompt({
    role,
    reply: 'fix',
    call: key,
    iteration: input.iteration,
    blockId: blockId(),
    codes: input.codes,
    problem: parsed.problem,
    answer: answer.text,
  })
  const { cliSession, cliSessionCostUsd } = answer
  const resume = cliSession === undefined ? undefined : { id: cliSession, costUsd: cliSessionCostUsd }
  const again = await ask(
    shop,
    session,
    {
      key,
      role,
      prompt,
      about: 'the same answer, readable',
      run: (at) => runClaude(shop, session, { role, prompt, place: at, deadlineMs, resume, cwd: workspace.tree }),
    },
    beat,
  )
  if (again.kind === 'failed') return { failure: again.failure }
  const second = parseReply('fix', { text: again.text })
  if (second.kind === 'parsed') return { reply: second.value }
  const detail = `the fixer's reply can't be read, also when asked again: ${second.problem}`
  return { failure: { class: 'no_usable_work', reason: 'unreadable', detail } }
}

async function promptFor(
  shop: Workshop,
  session: Session,
  workspace: Workspace,
  { input, start }: Fixing,
): Promise<string> {
  const base = {
    kind: input.batch.kind,
    blockId: blockId(),
    call: input.call,
    iteration: input.iteration,
    issues: input.codes.map((code) => issueOf(session, code)),
    steps: narrowSteps(input.batch, new Set(input.codes)),
    notes: session.record.user_notes,
    conventions: await conventionsOf(workspace),
  }
  const held = Object.keys(start.owners)
  if (input.iteration === 1) {
    const tree = `The tree holds work already: changes in ${held.join(', ')}. Build on it.`
    return fixerPrompt(shop.agents, held.length === 0 ? base : { ...base, tree })
  }
  const { verdicts, verification } = await gatherFeedback(shop, session, input.feedback, input.codes)
  const tree =
    held.length === 0
      ? 'The tree is as it was before any fix: earlier attempts at these issues were taken back.'
      : `The tree holds the work so far, shown in the block diff: changes in ${held.join(', ')}.`
  return reFixerPrompt(shop.agents, {
    ...base,
    tree,
    feedback: verdicts,
    verification,
    diff: await diffText(workspace, input.head, start.tree),
    claims: Object.values(start.claims),
  })
}

async function takeSnapshot(
  session: Session,
  workspace: Workspace,
  {
    input,
    start,
    claims,
    failure,
  }: { input: FixInput; start: Composed; claims: readonly FixClaim[]; failure?: CallFailure | undefined },
): Promise<NotedSnapshot> {
  const traces = await agentTraces(workspace)
  const claimants = input.codes.map((code) => ({
    code,
    file: issueOf(session, code).file,
    claimed: claims.filter(({ issue_code }) => issue_code === code).flatMap(({ file_modified }) => file_modified ?? []),
  }))
  let note: SnapshotNote | undefined
  const taken = await snapshot(workspace, {
    name: input.call,
    parent: input.head,
    at: new Date(),
    note: async (tree) => {
      const changed = await changes(workspace, start.tree, tree)
      const differing = await changedPaths(workspace, input.head, tree)
      const owners = narrowOwners(assignOwners(changed, claimants, start.owners), differing)
      const scope = checkScope(changed, owners, claimants, session.settings.scope.protected)
      note = {
        owners,
        claims: { ...start.claims, ...Object.fromEntries(claims.map((claim) => [claim.issue_code, claim])) },
        violations: [...scope.violations, ...traces.violations],
        // What an agent did to git itself can't be told apart by issue.
        outOfScope: traces.violations.length > 0 ? [...input.codes] : scope.outOfScope,
        ...(traces.notes.length > 0 ? { notes: traces.notes } : {}),
        ...(failure ? { failure } : {}),
      }
      return JSON.stringify(note)
    },
  })
  return { ...taken, note: note as unknown as SnapshotNote }
}

function outcomeOf({ call, codes }: FixInput, noted: NotedSnapshot): FixOutcome {
  const work = workOf(call, codes, noted)
  return noted.note.failure ? { work, failure: noted.note.failure } : { work }
}

/** What the history keeps of a snapshot. */
export function workOf(snapshotName: string, codes: readonly string[], { tree, note }: NotedSnapshot): FixWork {
  const all = new Set([...codes, ...Object.values(note.owners).flat()])
  const issues = [...all].map((code) => {
    const claim = note.claims[code]
    const files = countOwned(note.owners, code)
    const excuse = files === 0 && claim ? `no changes applied (${claim.status}: ${claim.changes_summary})` : undefined
    return [code, { files, ...(excuse ? { note: excuse.slice(0, 300) } : {}) }] as const
  })
  return {
    snapshot: snapshotName,
    tree,
    owners: ownerSets(note.owners),
    outOfScope: note.outOfScope,
    violations: note.violations.slice(0, 10),
    issues: Object.fromEntries(issues),
  }
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
      message: `${batch.label} · workload ${batch.workload} · ${codes.join(', ')} · attempt ${iteration}`,
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

function closingEvents({ call, codes, batch }: FixInput, { note }: NotedSnapshot): NewEvent[] {
  const files = Object.keys(note.owners)
  const failed = note.failure ? `: ${note.failure.detail}` : ''
  const events: NewEvent[] = [
    {
      key: `${call}/batch-completed`,
      type: 'fix_batch_completed',
      message: `${batch.label} · ${files.length === 0 ? 'no changes applied' : `changed ${files.join(', ')}`}${failed}`,
      data: { label: batch.label, codes, files },
    },
  ]
  if (note.notes) {
    const message = `${note.notes.slice(0, 5).join('; ')}: folded back, git is not the fixer's business`
    events.push({ key: `${call}/git`, type: 'fix_log', message, data: { notes: note.notes } })
  }
  if (note.violations.length === 0) return events
  return [
    ...events,
    {
      key: `${call}/scope`,
      type: 'fix_scope_violation',
      message: `touched what it may not: ${note.violations.slice(0, 5).join(', ')}`,
      data: { violations: note.violations, codes: note.outOfScope },
    },
  ]
}

export function blockId(): string {
  return randomBytes(12).toString('hex')
}
