// Gate 2: the operator's own commands, run in the session's tree one after the other. They are judged against the untouched
// base: what failed there before is nobody's fault, unless `strict` demands that everything passes.
// Gap: per command only; which tests of a command broke is read in a later version.
import { ApplicationFailure } from '@temporalio/common'
import type { VerificationOutput } from '../agents/prompt-parts.ts'
import { hashOf } from '../domain/key.ts'
import type { JudgeInput, VerifyOutcome } from '../domain/protocol.ts'
import { ignoreUntracked, resetTo } from '../git/tree.ts'
import type { Workspace } from '../git/workspace.ts'
import type { Beat } from './beating.ts'
import { BASE, type GateRecord, keepGate, readGate, whatCounts } from './feedback.ts'
import { runCommand } from './running-commands.ts'
import { memoryOf, type Place, setUp, whyNotSetUp } from './setting-up.ts'
import { composeTree } from './trees.ts'
import { listed, loadSession, type Session, tell, type Workshop, workspaceOf } from './workshop.ts'

export async function verifyBase(
  shop: Workshop,
  { sessionId, call, head }: { sessionId: string; call: string; head: string },
  beat: Beat,
): Promise<VerifyOutcome> {
  return await verify(shop, { sessionId, call, head, picks: [], codes: [], iteration: 0 }, beat)
}

export async function verifyTree(shop: Workshop, input: JudgeInput, beat: Beat): Promise<VerifyOutcome> {
  return await verify(shop, input, beat)
}

async function verify(shop: Workshop, input: JudgeInput, beat: Beat): Promise<VerifyOutcome> {
  const session = await loadSession(shop, input.sessionId)
  const workspace = workspaceOf(shop, session.id)
  const { tree } = await composeTree(workspace, input.head, input.picks)
  const known = await readGate(shop, session, input.call)
  if (known?.tree === tree && known.verification) return await judge(shop, session, input, known)

  const { commands } = session.settings.verification
  await tell(shop, session.id, [
    {
      key: `${input.call}/started`,
      type: 'fix_verification_started',
      message: input.call === BASE ? `on the untouched base: ${commands.join(' · ')}` : commands.join(' · '),
      data: { commands, tree, iteration: input.iteration },
    },
  ])
  const place: Place = {
    folder: workspace.tree,
    tree,
    memory: memoryOf(workspace),
    secure: () => setByProductsAside(shop, session, workspace, `${input.call}/setup`),
  }
  const reset = () => resetTo(workspace, tree, { head: input.head, signal: beat.signal })
  await reset()
  const set = await setUp(shop, session, workspace, { call: input.call, place }, beat)
  if (set.kind === 'failed' && input.call === BASE) {
    throw ApplicationFailure.nonRetryable(await shop.masking.text(whyNotSetUp(set.run)))
  }
  // What is judged is the tree, and not what a setup makes of its files.
  if (set.kind === 'done') await reset()
  const verification =
    set.kind === 'failed' ? [{ ...set.run, setup: true as const }] : await runAll(shop, session, { input, place }, beat)
  if (input.call === BASE) await setByProductsAside(shop, session, workspace, BASE)
  const record = { tree, verification }
  await keepGate(shop, session, input.call, record)
  return await judge(shop, session, input, record)
}

async function runAll(
  shop: Workshop,
  session: Session,
  { input, place }: { readonly input: JudgeInput; readonly place: Place },
  beat: Beat,
): Promise<VerificationOutput[]> {
  const { commands, timeout_seconds: timeoutSeconds, fail_fast } = session.settings.verification
  const isBroken = await whatCounts(shop, session)
  const runs: VerificationOutput[] = []
  for (const [index, command] of commands.entries()) {
    beat.say(`verifying: ${command}`)
    const name = `${input.call}.${index + 1}`
    const run = await runCommand(shop, session, { command, name, cwd: place.folder, timeoutSeconds }, beat)
    runs.push(run)
    // The base is run whole: a command that is not reached there could not be judged later.
    if (isBroken(run) && fail_fast && input.call !== BASE) break
  }
  return runs
}

/** What the checks make where nothing was fixed yet is theirs: a fixer that runs them, too, must not commit it. */
async function setByProductsAside(shop: Workshop, session: Session, workspace: Workspace, key: string): Promise<void> {
  const files = session.issues.map(({ file }) => file)
  const hidden = await ignoreUntracked(workspace, files)
  if (hidden.length === 0) return
  const message = `made by the checks themselves, so never committed: ${listed(hidden)}`
  await tell(shop, session.id, [
    { key: `${key}/by-products`, type: 'fix_log', message, data: { paths: hidden.slice(0, 100) } },
  ])
}

async function judge(shop: Workshop, session: Session, input: JudgeInput, record: GateRecord): Promise<VerifyOutcome> {
  const runs = record.verification ?? []
  const isBroken = await whatCounts(shop, session)
  const failed = runs.filter(({ outcome }) => outcome !== 'passed')
  const isFailed = input.call !== BASE && runs.some(isBroken)
  // What was red before and is red after proves nothing.
  const verdict = isFailed ? 'failed' : failed.length < runs.length ? 'passed' : 'unverified'
  const summary = (failed.length > 0 ? failed : runs).map(({ command, outcome }) => `${command}: ${outcome}`).join('; ')
  await tell(shop, session.id, [
    {
      key: `${input.call}/result`,
      type: 'fix_verification_result',
      message: `${verdict}${summary ? ` · ${summary}` : ''}`,
      data: { verdict, iteration: input.iteration, runs: runs.map(({ command, outcome }) => ({ command, outcome })) },
    },
  ])
  const words = hashOf([record.tree, summary]).slice(0, 12)
  return { verdict, tree: record.tree, summary: summary.slice(0, 500), words }
}
