// The fixer's call itself: what it is told, from which tree it starts, and what it says it did. A prompt that comes after others
// says what the tree holds and what the gates said, so that it stands by itself.
import { fixerPrompt, reFixerPrompt, repairPrompt } from '../agents/prompt.ts'
import { parseReply } from '../agents/reply.ts'
import type { CallFailure } from '../domain/failure.ts'
import { narrowSteps } from '../domain/plan.ts'
import type { FixInput } from '../domain/protocol.ts'
import type { FixReply } from '../domain/reply.ts'
import { diffText } from '../git/changes.ts'
import { resetTo } from '../git/tree.ts'
import type { Workspace } from '../git/workspace.ts'
import { type Answer, ask, blockId } from './asking.ts'
import type { Beat } from './beating.ts'
import { REPAIR_SECONDS } from './clocks.ts'
import { conventionsOf } from './conventions.ts'
import { gatherFeedback } from './feedback.ts'
import { runClaude } from './running-agents.ts'
import type { Composed } from './trees.ts'
import { issueOf, listed, type Session, type Workshop } from './workshop.ts'

export interface Fixing {
  readonly input: FixInput
  readonly start: Composed
}

export interface Fixed {
  readonly reply?: FixReply | undefined
  readonly failure?: CallFailure | undefined
}

export async function askFixer(
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
  const left = Math.max(deadlineMs - (performance.now() - startedAt), REPAIR_SECONDS * 1000)
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
    const tree = `The tree holds work already: changes in ${listed(held)}. Build on it.`
    return fixerPrompt(shop.agents, held.length === 0 ? base : { ...base, tree })
  }
  const { verdicts, verification } = await gatherFeedback(shop, session, input.feedback, input.codes)
  const tree =
    held.length === 0
      ? 'The tree is as it was before any fix: earlier attempts at these issues were taken back.'
      : `The tree holds the work so far, shown in the block diff: changes in ${listed(held)}.`
  return reFixerPrompt(shop.agents, {
    ...base,
    tree,
    feedback: verdicts,
    verification,
    diff: await diffText(workspace, input.head, start.tree),
    claims: Object.values(start.claims),
  })
}
