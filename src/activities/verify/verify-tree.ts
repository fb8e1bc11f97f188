// Gate 2: the operator's own commands, run in the session's tree one after the other. They are judged beside what the tree stands on:
// what failed there before is nobody's fault, unless `strict` demands that everything passes.
// Where a command's tests can be read, they are compared one by one; what was red before proves something only by them.
// The session's tree has what was made in it before, which is quick; but only a fresh checkout can fail a tree, or let it be committed.
// Where nothing is made before the commands work, and they leave nothing behind, each tree is in one at once.

import type { JudgeInput, VerifyOutcome } from '../../domain/protocol/index.ts'
import { IN_PASSING, type NewEvent } from '../../domain/session/events.ts'
import { hashOf } from '../../domain/session/idempotency-key.ts'
import { isStrict } from '../../domain/settings/schema.ts'
import { listed } from '../../domain/text/join-list.ts'
import {
  unseenWords,
  type VerificationRun,
  type VerificationVerdict,
  verdictOfRuns,
} from '../../domain/verification/compare-runs.ts'
import type { TestComparison } from '../../domain/verification/compare-tests.ts'
import type { Workspace } from '../../platform/git/workspace/object-store.ts'
import { tell } from '../append-events.ts'
import { loadSession, type Session, type Workshop, workspaceOf } from '../context.ts'
import { composeTree } from '../fix/compose-tree.ts'
import { type GateRecord, keepGate, readGate } from '../gate-records.ts'
import type { Beat } from '../heartbeat.ts'
import { excuseSetup } from './attribute-setup-failure.ts'
import { BASE, besideGround, type Judgement } from './baseline.ts'
import { type BaseResults, recallBase } from './baseline-cache.ts'
import { knowGround, runGroundAgain } from './baseline-rerun.ts'
import { redBaseEvents } from './baseline-warnings.ts'
import { runChecks } from './run-checks.ts'

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
  const isBase = input.call === BASE
  const { tree } = await composeTree(workspace, input.head, input.picks)
  const ground = isBase ? BASE : await knowGround(shop, session, workspace, input.head, beat)
  const check = async (fresh = input.fresh): Promise<Weighed> => {
    const asked = { ...input, fresh }
    return await weigh(shop, session, await checkTree(shop, session, workspace, { asked, tree, ground }, beat))
  }
  const done = await readGate(shop, session, input.call)
  let found = done?.tree === tree && done.verification ? await weigh(shop, session, done) : await check()
  if (isBase) return await judge(shop, session, input, found)

  // What was made in the session's tree before, by an agent or by the very same commands, may be all that is wrong.
  const { fresh_checkout } = session.settings.verification
  if (found.verdict === 'failed' && fresh_checkout && !found.record.fresh) found = await check(true)
  if (found.verdict === 'failed') {
    const commands = found.judged.flatMap(({ command, counts }) => (counts ? [command] : []))
    const { head } = input
    const isNew = await runGroundAgain(shop, session, workspace, { head, commands }, beat)
    if (isNew) found = await weigh(shop, session, found.record)
  }
  // What fails there, too, kept the commands after it from being run: just now, or before a worker died.
  if (found.verdict !== 'failed' && isCutShort(session, found.record)) found = await check(found.record.fresh)
  return await judge(shop, session, input, found)
}

function isCutShort({ settings }: Session, { verification = [] }: GateRecord): boolean {
  return settings.verification.fail_fast && verification.length < settings.verification.commands.length
}

interface Asked {
  readonly asked: JudgeInput
  readonly tree: string
  /** What it is weighed beside. */
  readonly ground: string
}

async function checkTree(
  shop: Workshop,
  session: Session,
  workspace: Workspace,
  { asked, tree, ground }: Asked,
  beat: Beat,
): Promise<GateRecord> {
  const input: JudgeInput = (await isFreshAtOnce(shop, session, asked)) ? { ...asked, fresh: true } : asked
  const { commands } = session.settings.verification
  const isBase = input.call === BASE
  await tell(shop, session.id, [
    {
      key: `${input.call}/${input.fresh ? 'fresh' : 'started'}`,
      type: 'fix_verification_started',
      message: `${whereOf(input, input.fresh)}${commands.join(' · ')}`,
      data: { commands, tree, iteration: input.iteration, ...(input.fresh ? { fresh: true } : {}) },
    },
  ])
  const known = isBase ? await recallBase(shop, session, input.head) : undefined
  if (known) await tell(shop, session.id, [knownEvent(known)])
  const checks = await runChecks(shop, session, workspace, { input, tree, isGround: isBase, known }, beat)
  if (checks.verification.at(-1)?.setup) await excuseSetup(shop, session, workspace, input, beat)
  const record: GateRecord = {
    tree,
    ...checks,
    ...(ground === BASE ? {} : { ground }),
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

/** Where parts are tried out, one after the other, the issues that are in one stand with it. */
function whereOf({ call, codes }: JudgeInput, fresh?: boolean): string {
  if (call === BASE) return 'on the untouched base: '
  if (/\bsettle\d+/.test(call)) return `only ${listed(codes)}${fresh ? ', in a fresh checkout' : ''}: `
  return fresh ? 'in a fresh checkout: ' : ''
}

async function judge(
  shop: Workshop,
  session: Session,
  input: JudgeInput,
  { record, judged, ...found }: Weighed,
): Promise<VerifyOutcome> {
  const runs = record.verification ?? []
  const verdict = input.call === BASE ? onBase(runs) : found.verdict
  const against = judged.filter(({ counts }) => counts)
  const red = judged.filter(({ after }) => after !== 'passed')
  const worthSaying = [against, red, judged].find((some) => some.length > 0) ?? []
  const inWords = input.call === BASE ? ofBase : inComparison
  const fresh = record.fresh ? ({ fresh: true } as const) : {}
  const summary = worthSaying.map(inWords).join('; ')
  await tell(shop, session.id, [
    {
      key: `${input.call}/result`,
      type: 'fix_verification_result',
      message: `${whereOf(input, record.fresh)}${input.call === BASE ? inNumbers(runs) : verdict}${summary ? ` · ${summary}` : ''}${namesIn(judged)}${rewrittenIn(runs)}`,
      data: {
        verdict,
        ...fresh,
        iteration: input.iteration,
        runs: judged.map(({ command, after, tests, unseen }, index) => ({
          command,
          outcome: after,
          ...(runs[index]?.cut ? { cut: runs[index].cut } : {}),
          ...(runs[index]?.rewrote ? { rewrote: runs[index].rewrote } : {}),
          ...(tests ? shownOf(tests) : {}),
          ...(unseen ? { unseen } : {}),
        })),
      },
    },
    ...(input.call === BASE ? redBaseEvents(session, runs) : []),
  ])
  const words = hashOf([record.tree, summary]).slice(0, 12)
  return { verdict, tree: record.tree, summary: summary.slice(0, 500), words, ...fresh }
}

interface Weighed {
  readonly record: GateRecord
  readonly judged: readonly Judgement[]
  readonly verdict: VerificationVerdict
}

/** Beside its ground as it is known now. */
async function weigh(shop: Workshop, session: Session, record: GateRecord): Promise<Weighed> {
  const { verification = [], ground } = record
  const judged = verification.map(await besideGround(shop, session, ground))
  return { record, judged, verdict: verdictOfRuns(judged, isStrict(session.settings)) }
}

function onBase(runs: readonly VerificationRun[]): VerificationVerdict {
  return runs.some(({ outcome }) => outcome === 'passed') ? 'passed' : 'unverified'
}

/** A verdict it is for the gate alone: that something passed does not mean that all did. */
function inNumbers(runs: readonly VerificationRun[]): string {
  const passed = runs.filter(({ outcome }) => outcome === 'passed').length
  if (passed === runs.length) return 'passed'
  return passed === 0 ? 'nothing passed' : `${passed} of ${runs.length} passed`
}

/** For the history, too: numbers, and no names. */
function inComparison({ command, after, effect, tests, unseen }: Judgement): string {
  if (unseen) return `${command}: ${after}, ${unseenWords(unseen)}`
  const broken = tests ? tests.broken.length + (effect === 'broken' ? tests.gone.length : 0) : 0
  if (broken > 0) return `${command}: ${after}, ${broken} test(s) newly broken`
  if (effect === 'no_worse') return `${command}: ${after}, as before: no test newly broken`
  return effect === 'unproven' ? `${command}: ${after}, and failed before` : `${command}: ${after}`
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

function rewrittenIn(runs: readonly VerificationRun[]): string {
  return runs
    .flatMap(({ command, rewrote }) => (rewrote ? ` · changed by ${command}, and put back: ${listed(rewrote)}` : ''))
    .join('')
}

function shownOf({ fixed, broken, broken_before, gone, passing }: TestComparison): object {
  const lists = { fixed, broken, broken_before, gone }
  const counts = Object.fromEntries(Object.entries(lists).map(([name, all]) => [name, all.length]))
  const names = Object.fromEntries(Object.entries(lists).map(([name, all]) => [name, all.slice(0, MOST_NAMES)]))
  return { tests: { ...counts, passing }, test_names: names }
}
