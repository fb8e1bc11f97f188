// Gate 2: the operator's own commands, run in the session's tree one after the other. They are judged against the untouched
// base: what failed there before is nobody's fault, unless `strict` demands that everything passes.
// Where a command's tests can be read, they are compared one by one; what was red before proves something only by them.
// Where nothing is made before the commands work, and they leave nothing behind, the work tree has nothing ahead of a fresh checkout:
// then each tree is verified in one at once, which is also the last word before its commit.
import { IN_PASSING, type NewEvent } from '../domain/events.ts'
import { type VerificationRun, type VerificationVerdict, verdictOfRuns } from '../domain/evidence.ts'
import { hashOf } from '../domain/key.ts'
import type { JudgeInput, VerifyOutcome } from '../domain/protocol.ts'
import { isStrict } from '../domain/settings.ts'
import type { TestComparison } from '../domain/test-comparison.ts'
import type { Workspace } from '../git/workspace.ts'
import { runBaseAgain } from './base-again.ts'
import { type BaseResults, recallBase } from './base-results.ts'
import type { Beat } from './beating.ts'
import { againstBase, BASE, type GateRecord, type Judgement, keepGate, readGate } from './feedback.ts'
import { redBaseEvents } from './red-base.ts'
import { runChecks } from './running-checks.ts'
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
  const check = () => checkTree(shop, session, workspace, { asked: input, tree }, beat)
  const done = await readGate(shop, session, input.call)
  let record = done?.tree === tree && done.verification ? done : await check()
  const hasFailed = async () => (await weigh(shop, session, record)).verdict === 'failed'
  if (input.call !== BASE && (await hasFailed())) await runBaseAgain(shop, session, workspace, beat)
  // What fails on the base, too, kept the commands after it from being run: before this, or before a worker died.
  if (isCutShort(session, record) && !(await hasFailed())) record = await check()
  return await judge(shop, session, input, record)
}

function isCutShort({ settings }: Session, { verification = [] }: GateRecord): boolean {
  return settings.verification.fail_fast && verification.length < settings.verification.commands.length
}

interface Asked {
  readonly asked: JudgeInput
  readonly tree: string
}

async function checkTree(
  shop: Workshop,
  session: Session,
  workspace: Workspace,
  { asked, tree }: Asked,
  beat: Beat,
): Promise<GateRecord> {
  const input: JudgeInput = (await isFreshAtOnce(shop, session, asked)) ? { ...asked, fresh: true } : asked
  const { commands } = session.settings.verification
  await tell(shop, session.id, [
    {
      key: `${input.call}/started`,
      type: 'fix_verification_started',
      message: `${whereOf(input, input.fresh)}${commands.join(' · ')}`,
      data: { commands, tree, iteration: input.iteration, ...(input.fresh ? { fresh: true } : {}) },
    },
  ])
  const known = input.call === BASE ? await recallBase(shop, session, input.head) : undefined
  if (known) await tell(shop, session.id, [knownEvent(known)])
  const checks = await runChecks(shop, session, workspace, { input, tree, known }, beat)
  const record: GateRecord = {
    tree,
    ...checks,
    ...(input.fresh ? { fresh: true } : {}),
    ...(known ? { recalled: { session: known.session, at: known.at } } : {}),
  }
  await keepGate(shop, session, input.call, record)
  return record
}

async function isFreshAtOnce(shop: Workshop, session: Session, { call }: JudgeInput): Promise<boolean> {
  const { fresh_checkout, setup } = session.settings.verification
  if (call === BASE || !fresh_checkout || setup.length > 0) return false
  return (await readGate(shop, session, BASE))?.leftNothing === true
}

function knownEvent({ session: from, at }: BaseResults): NewEvent {
  const minutes = Math.round((Date.now() - at) / 60_000)
  const message = `all of it passed there for session ${from}, ${minutes} min ago: not run again`
  return {
    key: `${BASE}/known`,
    type: 'fix_log',
    message,
    data: { ...IN_PASSING, from, at: new Date(at).toISOString() },
  }
}

function whereOf({ call }: JudgeInput, fresh?: boolean): string {
  if (call === BASE) return 'on the untouched base: '
  return fresh ? 'in a fresh checkout: ' : ''
}

async function judge(shop: Workshop, session: Session, input: JudgeInput, record: GateRecord): Promise<VerifyOutcome> {
  const runs = record.verification ?? []
  const { judged, verdict: besides } = await weigh(shop, session, record)
  const verdict = input.call === BASE ? onBase(runs) : besides
  const failed = judged.filter(({ after }) => after !== 'passed')
  const inWords = input.call === BASE ? ofBase : besideBase
  const fresh = record.fresh ? ({ fresh: true } as const) : {}
  const summary = (failed.length > 0 ? failed : judged).map(inWords).join('; ')
  await tell(shop, session.id, [
    {
      key: `${input.call}/result`,
      type: 'fix_verification_result',
      message: `${whereOf(input, record.fresh)}${verdict}${summary ? ` · ${summary}` : ''}${namesIn(judged)}`,
      data: {
        verdict,
        ...fresh,
        iteration: input.iteration,
        runs: judged.map(({ command, after, tests }, index) => ({
          command,
          outcome: after,
          ...(runs[index]?.cut ? { cut: runs[index].cut } : {}),
          ...(tests ? shownOf(tests) : {}),
        })),
      },
    },
    ...(input.call === BASE ? redBaseEvents(session, runs) : []),
  ])
  const words = hashOf([record.tree, summary]).slice(0, 12)
  return { verdict, tree: record.tree, summary: summary.slice(0, 500), words, ...fresh }
}

/** Beside the base as it is known now. */
async function weigh(shop: Workshop, session: Session, { verification = [] }: GateRecord) {
  const judged = verification.map(await againstBase(shop, session))
  return { judged, verdict: verdictOfRuns(judged, isStrict(session.settings)) }
}

function onBase(runs: readonly VerificationRun[]): VerificationVerdict {
  return runs.some(({ outcome }) => outcome === 'passed') ? 'passed' : 'unverified'
}

/** For the history, too: numbers, and no names. */
function besideBase({ command, after, effect, tests }: Judgement): string {
  const broken = tests ? tests.broken.length + (effect === 'broken' ? tests.gone.length : 0) : 0
  if (broken > 0) return `${command}: ${after}, ${broken} test(s) newly broken`
  return effect === 'no_worse' ? `${command}: ${after}, as before: no test newly broken` : `${command}: ${after}`
}

/** There is no before. */
function ofBase({ command, after }: Judgement): string {
  return `${command}: ${after}`
}

const MOST_NAMES = 20

function namesIn(judged: readonly Judgement[]): string {
  const broken = judged.flatMap(({ tests }) => tests?.broken ?? [])
  return broken.length > 0 ? ` · newly broken: ${listed(broken)}` : ''
}

function shownOf({ fixed, broken, broken_before, gone, passing }: TestComparison): object {
  const lists = { fixed, broken, broken_before, gone }
  const counts = Object.fromEntries(Object.entries(lists).map(([name, all]) => [name, all.length]))
  const names = Object.fromEntries(Object.entries(lists).map(([name, all]) => [name, all.slice(0, MOST_NAMES)]))
  return { tests: { ...counts, passing }, test_names: names }
}
