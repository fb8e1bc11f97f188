// What in a diff may silence a check, by the session's own idea of which files are tests, and how that is told. Nothing is decided
// by it: the challenger judges each, and where there is none, the commit and the report say it.
import type { NewEvent } from '../../domain/session/events.ts'
import type { Owners } from '../../domain/stage/change-owners.ts'
import { silencedChecks, silencedWords } from '../../domain/tampering/detect.ts'
import type { SilencedCheck } from '../../domain/tampering/patterns.ts'
import { listed } from '../../domain/text/join-list.ts'
import { testFiles } from '../../domain/verification/test-files.ts'
import type { Session, Workshop } from '../context.ts'

/** Of one diff, for prompts and records. */
const MOST = 100

/** Looked for in what is there, so that no mark hides it, and told without its secrets. */
export async function silencedIn(
  { masking }: Pick<Workshop, 'masking'>,
  { settings }: Session,
  diff: string,
): Promise<SilencedCheck[]> {
  const masked = await masking.lines(diff)
  const told = masked === diff ? undefined : toldLines(diff, masked)
  return silencedChecks(diff, testFiles(settings.verification.tests), told).slice(0, MOST)
}

/** Before a line is cut, and out of the whole: half a secret is not recognised any more, nor is one line of a key. */
function toldLines(diff: string, masked: string): (line: string) => string {
  const without = masked.split('\n')
  const told = new Map<string, string>()
  for (const [at, line] of diff.split('\n').entries()) {
    if (line !== without[at]) told.set(line.slice(1), without[at]?.replace(/^[-+ ]/, '') ?? '')
  }
  return (line) => told.get(line) ?? line
}

/** One, where there is anything. */
export function silencedEvents(call: string, silenced: readonly SilencedCheck[], owners: Owners): NewEvent[] {
  if (silenced.length === 0) return []
  const codes = [...new Set(silenced.flatMap(({ file }) => owners[file] ?? []))].sort()
  const message = `may silence a check: ${listed(silenced.map(silencedWords), '; ')}`
  return [{ key: `${call}/silenced`, type: 'fix_checks_silenced', message, data: { call, codes, silenced } }]
}
