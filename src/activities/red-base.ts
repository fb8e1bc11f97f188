// What is said before a fixer is paid for what can't pass: a check that is red on the untouched base, where all have to be green and
// the batches are each committed by themselves.
import type { NewEvent } from '../domain/events.ts'
import type { VerificationRun } from '../domain/evidence.ts'
import { listed } from '../domain/listed.ts'
import { strictBatches } from '../domain/staging.ts'
import { BASE } from './ground.ts'
import { type Session, todoOf } from './workshop.ts'

export function redBaseEvents(session: Session, runs: readonly VerificationRun[]): NewEvent[] {
  const red = runs.filter(({ outcome }) => outcome !== 'passed').map(({ command }) => command)
  const why = red.length === 0 ? undefined : strictBatches(session.settings, todoOf(session))
  if (why === undefined) return []
  const message = `what fails on the untouched base (${listed(red)}) matters: ${why}`
  return [{ key: `${BASE}/red`, type: 'fix_log', message }]
}
