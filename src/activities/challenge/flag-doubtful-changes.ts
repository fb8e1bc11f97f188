// Flags changes that the gates look at twice: those that may silence a check, and those that can hardly be about their issue. A flag
// decides nothing: the challenger weighs each one, and without a challenger people see it.

import { describeOffTarget } from '../../domain/scope/off-target.ts'
import { fixChecksSilenced } from '../../domain/session/events/batch-events.ts'
import type { NewEvent } from '../../domain/session/events/index.ts'
import type { Owners } from '../../domain/stage/change-owners.ts'
import { detectTampering } from '../../domain/tampering/detect.ts'
import type { TamperingFlag } from '../../domain/tampering/tampering-flag.ts'
import { createTestFileMatcher } from '../../domain/verification/test-files.ts'
import { type ActivityContext, getIssue, type Session } from '../context.ts'

const MAX_FLAGS = 100

/** Searches the unmasked diff, so that no placeholder hides a line, and quotes it masked. */
export async function flagCheckTampering(
  { masking }: Pick<ActivityContext, 'masking'>,
  { settings }: Session,
  diff: string,
): Promise<TamperingFlag[]> {
  const masked = await masking.maskKeepingLines(diff)
  const mask = masked === diff ? undefined : lineMasker(diff, masked)
  return detectTampering(diff, createTestFileMatcher(settings.verification.tests), mask).slice(0, MAX_FLAGS)
}

/** Takes each line from the masked diff: half a secret, or one line of a key, would not be recognised. */
function lineMasker(diff: string, masked: string): (line: string) => string {
  const shown = masked.split('\n')
  const byLine = new Map<string, string>()
  for (const [at, line] of diff.split('\n').entries()) {
    if (line !== shown[at]) byLine.set(line.slice(1), shown[at]?.replace(/^[-+ ]/, '') ?? '')
  }
  return (line) => byLine.get(line) ?? line
}

export function checkTamperingEvents(stepId: string, silenced: readonly TamperingFlag[], owners: Owners): NewEvent[] {
  if (silenced.length === 0) return []
  const codes = [...new Set(silenced.flatMap(({ file }) => owners[file] ?? []))].sort()
  return [fixChecksSilenced({ call: stepId, codes, silenced })]
}

/** The issues whose own changes can hardly be about them: by code, what those touch instead. */
export function findOffTarget(session: Session, owners: Owners, codes: readonly string[]): ReadonlyMap<string, string> {
  const isTest = createTestFileMatcher(session.settings.verification.tests)
  return new Map(
    codes.flatMap((code) => {
      const changed = Object.keys(owners).filter((path) => owners[path]?.includes(code))
      const what = describeOffTarget(getIssue(session, code), changed, isTest)
      return what === undefined ? [] : [[code, what] as const]
    }),
  )
}
