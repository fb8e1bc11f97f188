// Warnings before a fixer is paid for work that can't pass: a check is red on the base although all must be green, or a
// check can't even start, so that fixes would end unverified.

import { findStrictBatchesProblem } from '../../domain/plan/plan-stages.ts'
import type { NewEvent } from '../../domain/session/events/index.ts'
import { logBaselineRed } from '../../domain/session/events/logs/baseline-logs.ts'
import { logProgramMissing } from '../../domain/session/events/logs/verification-logs.ts'
import { BASELINE_STEP_ID } from '../../domain/session/step-id.ts'
import type { VerificationRun } from '../../domain/verification/gate-record.ts'
import { claimedIssues, type Session } from '../context.ts'

export function baselineWarningEvents(session: Session, runs: readonly VerificationRun[]): NewEvent[] {
  return [...missingProgramEvents(runs), ...redBaselineEvents(session, runs)]
}

/** The outcome of a shell that does not find a program, also inside `npm test`. */
const COMMAND_NOT_FOUND = 'failed: exit status 127'

function missingProgramEvents(runs: readonly VerificationRun[]): NewEvent[] {
  const missing = runs.filter(({ outcome }) => outcome === COMMAND_NOT_FOUND).map(({ command }) => command)
  return missing.length === 0 ? [] : [logProgramMissing(BASELINE_STEP_ID, missing)]
}

function redBaselineEvents(session: Session, runs: readonly VerificationRun[]): NewEvent[] {
  const red = runs.filter(({ outcome }) => outcome !== 'passed').map(({ command }) => command)
  const why = red.length === 0 ? undefined : findStrictBatchesProblem(session.settings, claimedIssues(session))
  return why === undefined ? [] : [logBaselineRed(BASELINE_STEP_ID, red, why)]
}
