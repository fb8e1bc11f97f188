// What a fixer is told. A call that goes on with a conversation says only what that does not hold, and always what the tree holds:
// a conversation remembers trees that are gone. The whole context is at hand for when the conversation itself is gone.

import type { VerificationOutput } from '../../agents/prompts/parts/verification.ts'
import { fixerPrompt, reFixerPrompt } from '../../agents/prompts/prompts.ts'
import { type Brief, briefFor } from '../../domain/plan/brief.ts'
import { narrowSteps } from '../../domain/plan/plan.ts'
import type { Conversation, FixInput } from '../../domain/protocol/index.ts'
import { listed } from '../../domain/text/join-list.ts'
import { diffText } from '../../platform/git/workspace/diff.ts'
import type { Workspace } from '../../platform/git/workspace/object-store.ts'
import { blockId, conversationAfter, type Question } from '../agent-call/agent-call.ts'
import { callsOf } from '../agent-call/call-with-repair.ts'
import { hasGrownLong } from '../agent-call/cli-call.ts'
import { backgroundOf, frameOf } from '../agent-call/prompt-background.ts'
import { codeOf } from '../agent-call/source-excerpts.ts'
import { issueOf, type Session, type Workshop } from '../context.ts'
import { readBrief, type TodoFiles } from '../plan/todo-files.ts'
import { type Composed, changedPaths } from './compose-tree.ts'
import { gatherFeedback } from './gather-feedback.ts'

export interface Fixing {
  readonly input: FixInput
  readonly start: Composed
  /** For a call that hands its issues on. */
  readonly todo?: TodoFiles | undefined
}

/** Where all that a prompt says of the tree is read. */
type Readable = Pick<Workspace, 'gitDir' | 'base'>

export async function fixPrompts(
  shop: Workshop,
  session: Session,
  workspace: Readable,
  fixing: Fixing,
): Promise<Pick<Question, 'prompt' | 'holds' | 'resume' | 'afresh'>> {
  const { resume, codes: holds } = fixing.input
  const brief = await ownBrief(shop, fixing.input)
  const afresh = () => promptFor(shop, session, workspace, { ...fixing, brief })
  // What shares files with issues of another call may come to be worked on in that call's conversation, which never heard of it.
  const isKnown = resume !== undefined && holds.every((code) => resume.codes?.includes(code) ?? true)
  if (!isKnown) return { prompt: await afresh(), holds }
  if (hasGrownLong(resume, session.settings)) return { prompt: await afresh(), holds, resume, afresh }
  return { prompt: await promptFor(shop, session, workspace, { ...fixing, brief, resume }), holds, resume, afresh }
}

export function stepsOf({ batch, codes }: Pick<FixInput, 'batch' | 'codes'>): string[][] {
  return narrowSteps(batch, new Set(codes))
}

/** What it says about these issues, where it says anything. */
async function ownBrief(shop: Workshop, { brief: ref, codes }: FixInput): Promise<Brief | undefined> {
  if (ref === undefined) return undefined
  const brief = briefFor(await readBrief(shop, ref), codes)
  const { clarifications, plans, notes } = brief
  return [clarifications, plans, notes].some((part) => Object.keys(part).length > 0) ? brief : undefined
}

interface Telling extends Fixing {
  readonly brief?: Brief | undefined
  readonly resume?: Conversation | undefined
}

async function promptFor(shop: Workshop, session: Session, workspace: Readable, told: Telling): Promise<string> {
  const { input, start, todo, brief, resume } = told
  const { iteration, codes, head } = input
  const own = resume && (await ownSnapshot(shop, session, told))
  // To the byte what it left behind.
  const isOwn = own !== undefined && own.tree === start.tree
  const issues = codes.map((code) => issueOf(session, code))
  const base = {
    ...taskOf(session, input),
    tree: await treeWords(workspace, told, isOwn),
    ...(brief ? { brief } : {}),
    ...(todo ? { todo } : {}),
    ...(resume ? { resuming: true } : await backgroundOf(shop, session, workspace)),
    // Whoever it hands them on to looks for itself.
    ...(resume || todo ? {} : await codeOf(shop, session, workspace, start.tree, issues)),
  }
  if (iteration === 1) return fixerPrompt(shop.agents, base)
  const { verdicts, verification } = await gatherFeedback(shop, session, input.feedback, codes)
  const work = isOwn ? {} : { diff: await diffText(workspace, head, start.tree), claims: Object.values(start.claims) }
  const failed = await withoutHeld(shop, session, own?.snapshot, verification)
  return reFixerPrompt(shop.agents, { ...base, ...work, feedback: verdicts, verification: failed })
}

/** What failed, without the outputs that the conversation was shown when it last went on. */
async function withoutHeld(
  { store, artifacts }: Workshop,
  session: Session,
  before: string | undefined,
  verification: readonly VerificationOutput[] | undefined,
): Promise<readonly VerificationOutput[] | undefined> {
  if (before === undefined || !verification?.some(({ again }) => again)) return verification
  const [kept] = await store.artifacts.ofSession(session.id, { kind: 'prompt', name: before })
  const prompt = kept ? (await artifacts.get(kept.ref)).toString() : ''
  const isHeld = ({ output_id, again }: VerificationOutput) => again && prompt.includes(`"output_id": "${output_id}"`)
  return verification.map((run) => (isHeld(run) ? { ...run, again: 'held' } : run))
}

/** What a call is told in any case. */
export function taskOf(session: Session, input: Pick<FixInput, 'call' | 'iteration' | 'batch' | 'codes'>) {
  const { call, iteration, batch, codes } = input
  return {
    kind: batch.kind,
    blockId: blockId(),
    call,
    iteration,
    ...frameOf(session),
    issues: codes.map((code) => issueOf(session, code)),
    steps: stepsOf(input),
    notes: session.record.user_notes,
    checks: session.settings.verification.commands,
    prove: session.settings.verification.prove,
  }
}

/** The snapshot that this very conversation left behind, of those that the tree is put together from. */
async function ownSnapshot(
  shop: Workshop,
  session: Session,
  { start, resume }: Telling,
): Promise<Composed['taken'][number] | undefined> {
  for (const taken of start.taken) {
    const made = await conversationAfter(shop, session.id, callsOf(taken.snapshot))
    if (made?.id === resume?.id) return taken
  }
  return undefined
}

async function treeWords(
  workspace: Readable,
  { input, start, resume }: Telling,
  isOwn: boolean,
): Promise<string | undefined> {
  const { iteration, head } = input
  const held = Object.keys(start.owners)
  const changes = `changes in ${listed(held)}`
  if (isOwn)
    return held.length === 0
      ? 'The tree is as you left it: nothing is changed.'
      : `The tree is exactly as you left it: ${changes}.`
  const committed = resume && head !== workspace.base ? [...(await changedPaths(workspace, workspace.base, head))] : []
  const since =
    committed.length === 0 ? '' : `Fixes were committed since you looked, which changed ${listed(committed)}. `
  if (iteration === 1) {
    if (held.length > 0) return `${since}The tree holds work already: ${changes}. Build on it.`
    return resume ? `${since}Nothing else is changed in the tree yet.` : undefined
  }
  if (held.length === 0) {
    return `${since}The tree is as it was before any fix: earlier attempts at these issues were taken back.`
  }
  const what = resume ? 'The tree is not as you left it: it holds' : 'The tree holds'
  return `${since}${what} the work so far, shown in the block diff: ${changes}.`
}
