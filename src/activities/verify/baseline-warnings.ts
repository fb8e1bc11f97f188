// What is said before a fixer is paid for what can't pass: a check that is red on the untouched base, where all have to be green and
// the batches are each committed by themselves; and one that could not even begin, so that fixes would end unverified.

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

/** What a shell ends with that does not find a program, also one that `npm test` runs. */
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
