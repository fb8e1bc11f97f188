// What in a diff may silence a check, by the session's own idea of which files are tests, and how that is told. Nothing is decided
// by it: the challenger judges each, and where there is none, the commit and the report say it.
import type { NewEvent } from '../../domain/session/events.ts'
import type { Owners } from '../../domain/stage/change-owners.ts'
import { describeTampering, detectTampering } from '../../domain/tampering/detect.ts'
import type { TamperingFlag } from '../../domain/tampering/patterns.ts'
import { joinList } from '../../domain/text/join-list.ts'
import { createTestFileMatcher } from '../../domain/verification/test-files.ts'
import type { ActivityContext, Session } from '../context.ts'

/** Of one diff, for prompts and records. */
const MAX_SILENCED = 100

/** Looked for in what is there, so that no mark hides it, and told without its secrets. */
export async function findSilencedChecks(
  { masking }: Pick<ActivityContext, 'masking'>,
  { settings }: Session,
  diff: string,
): Promise<TamperingFlag[]> {
  const masked = await masking.maskKeepingLines(diff)
  const told = masked === diff ? undefined : lineMasker(diff, masked)
  return detectTampering(diff, createTestFileMatcher(settings.verification.tests), told).slice(0, MAX_SILENCED)
}

/** Before a line is cut, and out of the whole: half a secret is not recognised any more, nor is one line of a key. */
function lineMasker(diff: string, masked: string): (line: string) => string {
  const without = masked.split('\n')
  const told = new Map<string, string>()
  for (const [at, line] of diff.split('\n').entries()) {
    if (line !== without[at]) told.set(line.slice(1), without[at]?.replace(/^[-+ ]/, '') ?? '')
  }
  return (line) => told.get(line) ?? line
}

/** One, where there is anything. */
export function silencedCheckEvents(stepId: string, silenced: readonly TamperingFlag[], owners: Owners): NewEvent[] {
  if (silenced.length === 0) return []
  const codes = [...new Set(silenced.flatMap(({ file }) => owners[file] ?? []))].sort()
  const message = `may silence a check: ${joinList(silenced.map(describeTampering), '; ')}`
  return [{ key: `${stepId}/silenced`, type: 'fix_checks_silenced', message, data: { call: stepId, codes, silenced } }]
}
