// The places of a diff that may silence a check, and the event that tells them. A flag decides nothing: the challenger judges
// each, and without a challenger the commit and the report say it.
import { fixChecksSilenced } from '../../domain/session/events/batch-events.ts'
import type { NewEvent } from '../../domain/session/events/index.ts'
import type { Owners } from '../../domain/stage/change-owners.ts'
import { detectTampering } from '../../domain/tampering/detect.ts'
import type { TamperingFlag } from '../../domain/tampering/flag.ts'
import { createTestFileMatcher } from '../../domain/verification/test-files.ts'
import type { ActivityContext, Session } from '../context.ts'

/** Of one diff, for prompts and records. */
const MAX_FLAGS = 100

/** Looks in the diff as it is, so that no mark of the masking hides a line, and quotes it without its secrets. */
export async function flagCheckTampering(
  { masking }: Pick<ActivityContext, 'masking'>,
  { settings }: Session,
  diff: string,
): Promise<TamperingFlag[]> {
  const masked = await masking.maskKeepingLines(diff)
  const mask = masked === diff ? undefined : lineMasker(diff, masked)
  return detectTampering(diff, createTestFileMatcher(settings.verification.tests), mask).slice(0, MAX_FLAGS)
}

/** Lines are masked as parts of the whole and before they are cut: half a secret is not recognised, nor is one line of a key. */
function lineMasker(diff: string, masked: string): (line: string) => string {
  const shown = masked.split('\n')
  const byLine = new Map<string, string>()
  for (const [at, line] of diff.split('\n').entries()) {
    if (line !== shown[at]) byLine.set(line.slice(1), shown[at]?.replace(/^[-+ ]/, '') ?? '')
  }
  return (line) => byLine.get(line) ?? line
}

/** One event, where there is a flag. */
export function checkTamperingEvents(stepId: string, silenced: readonly TamperingFlag[], owners: Owners): NewEvent[] {
  if (silenced.length === 0) return []
  const codes = [...new Set(silenced.flatMap(({ file }) => owners[file] ?? []))].sort()
  return [fixChecksSilenced(stepId, codes, silenced)]
}
