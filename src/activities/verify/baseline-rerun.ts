// Runs the commands on a fix's baseline commit, in a fresh checkout, so that an agent's leftovers can't make them fail.

import { ApplicationFailure } from '@temporalio/common'
import {
  logBaselineDoubted,
  logBaselineRerun,
  logBaselineRerunImpossible,
  logBaselineUnknown,
} from '../../domain/session/events/logs/baseline-logs.ts'
import { BASELINE_STEP_ID } from '../../domain/session/step-id.ts'
import type { VerificationRun } from '../../domain/verification/gate-record.ts'
import type { Workspace } from '../../platform/git/workspace/object-store.ts'
import { appendEvents } from '../append-events.ts'
import type { ActivityContext, Session } from '../context.ts'
import { loadGateRecord, storeGateRecord } from '../gate-records.ts'
import type { Heartbeat } from '../heartbeat.ts'
import { baselineName, loadBaselineRuns } from './baseline.ts'
import { runChecks } from './run-checks.ts'

interface FailedCommands {
  /** The commit that the fix stands on. */
  readonly head: string
  /** The commands that count against the fix. */
  readonly commands: readonly string[]
}

/**
 * Reruns a doubtful baseline once, before a fix is blamed; returns whether it ran. Doubtful is one that another session
 * measured (the network or a tool may have broken since), and a command that was red on the base and passed only on a
 * later commit (a flaky test does that by chance).
 */
export async function rerunDoubtfulBaseline(
  context: ActivityContext,
  session: Session,
  workspace: Workspace,
  { head, commands }: FailedCommands,
  heartbeat: Heartbeat,
): Promise<boolean> {
  const stepId = baselineName(session, head)
  const record = await loadGateRecord(context, session, stepId)
  const chance = commands.filter((command) => record?.maybeFlaky?.includes(command))
  const from = record?.source?.state === 'cached' ? record.source.session : undefined
  if (!record || (from === undefined && chance.length === 0)) return false
  const { maybeFlaky, ...kept } = record
  await appendEvents(context, session.id, [logBaselineDoubted(stepId, { head, from })])
  const found = await runBaselineChecks(context, session, workspace, { head, stepId }, heartbeat)
  const isGreen = (name: string) => kept.verification?.some((run) => run.command === name && run.outcome === 'passed')
  const verification = found?.map((run) =>
    run.outcome !== 'passed' && isGreen(run.command) ? { ...run, flaky: true as const } : run,
  )
  const source = { state: verification ? 'measured' : 'unavailable' } as const
  await storeGateRecord(context, session, stepId, { ...kept, source, ...(verification ? { verification } : {}) })
  return true
}

/** Checks a commit without a baseline (a person's, on the branch) and returns the step id of its baseline. */
export async function ensureBaseline(
  context: ActivityContext,
  session: Session,
  workspace: Workspace,
  head: string,
  heartbeat: Heartbeat,
): Promise<string> {
  const baseline = baselineName(session, head)
  if (baseline === BASELINE_STEP_ID || (await loadGateRecord(context, session, baseline))) return baseline
  await appendEvents(context, session.id, [logBaselineUnknown(baseline, head)])
  const found = await runBaselineChecks(context, session, workspace, { head, stepId: baseline }, heartbeat)
  await storeGateRecord(context, session, baseline, {
    tree: '',
    source: { state: found ? 'measured' : 'unavailable' },
    verification: found ?? (await loadBaselineRuns(context, session)),
  })
  return baseline
}

/** Undefined if the checkout can't be set up: in the sandbox, say, a setup has no network any more. */
async function runBaselineChecks(
  context: ActivityContext,
  session: Session,
  workspace: Workspace,
  { head, stepId }: { readonly head: string; readonly stepId: string },
  heartbeat: Heartbeat,
): Promise<readonly VerificationRun[] | undefined> {
  const input = {
    sessionId: session.id,
    stepId,
    head,
    selections: [],
    codes: [],
    iteration: 0,
    inFreshCheckout: true,
  } as const
  const checks = await runChecks(context, session, workspace, { input, tree: head, isBaseline: true }, heartbeat).catch(
    (error) => {
      heartbeat.signal.throwIfAborted()
      if (error instanceof ApplicationFailure) return error
      throw error
    },
  )
  if (checks instanceof ApplicationFailure) {
    await appendEvents(context, session.id, [logBaselineRerunImpossible(stepId, checks.message)])
    return undefined
  }
  const where = stepId === BASELINE_STEP_ID ? undefined : head
  await appendEvents(context, session.id, [logBaselineRerun({ stepId, head: where, runs: checks.verification })])
  return checks.verification
}
