// Gate 2: the operator's own commands, run in the session's tree one after the other. They are judged against the untouched
// base: what failed there before is nobody's fault, unless `strict` demands that everything passes.
// Gap: per command only; which tests of a command broke is read in a later version.
import { hashOf } from '../domain/key.ts'
import type { JudgeInput, VerifyOutcome } from '../domain/protocol.ts'
import type { Beat } from './beating.ts'
import { BASE, type GateRecord, keepGate, readGate, whatCounts } from './feedback.ts'
import { runChecks } from './running-checks.ts'
import { composeTree } from './trees.ts'
import { loadSession, type Session, tell, type Workshop, workspaceOf } from './workshop.ts'

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
      message: `${whereOf(input)}${commands.join(' · ')}`,
      data: { commands, tree, iteration: input.iteration, ...(input.fresh ? { fresh: true } : {}) },
    },
  ])
  const verification = await runChecks(shop, session, workspace, { input, tree }, beat)
  const record: GateRecord = { tree, verification, ...(input.fresh ? { fresh: true } : {}) }
  await keepGate(shop, session, input.call, record)
  return await judge(shop, session, input, record)
}

function whereOf({ call, fresh }: JudgeInput): string {
  if (call === BASE) return 'on the untouched base: '
  return fresh ? 'in a fresh checkout: ' : ''
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
      message: `${input.fresh ? 'in a fresh checkout: ' : ''}${verdict}${summary ? ` · ${summary}` : ''}`,
      data: {
        verdict,
        ...(input.fresh ? { fresh: true } : {}),
        iteration: input.iteration,
        runs: runs.map(({ command, outcome }) => ({ command, outcome })),
      },
    },
  ])
  const words = hashOf([record.tree, summary]).slice(0, 12)
  return { verdict, tree: record.tree, summary: summary.slice(0, 500), words }
}
