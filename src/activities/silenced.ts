// What in a diff may silence a check, by the session's own idea of which files are tests, and how that is told. Nothing is decided
// by it: the challenger judges each, and where there is none, the commit and the report say it.
import type { NewEvent } from '../domain/events.ts'
import type { Owners } from '../domain/ownership.ts'
import { type SilencedCheck, silencedChecks, silencedWords } from '../domain/silencing.ts'
import { testFiles } from '../domain/test-files.ts'
import { listed, type Session } from './workshop.ts'

/** Of one diff, for prompts and records. */
const MOST = 100

export function silencedIn({ settings }: Session, diff: string): SilencedCheck[] {
  return silencedChecks(diff, testFiles(settings.verification.tests)).slice(0, MOST)
}

/** One, where there is anything. */
export function silencedEvents(call: string, silenced: readonly SilencedCheck[], owners: Owners): NewEvent[] {
  if (silenced.length === 0) return []
  const codes = [...new Set(silenced.flatMap(({ file }) => owners[file] ?? []))].sort()
  const message = `may silence a check: ${listed(silenced.map(silencedWords), '; ')}`
  return [{ key: `${call}/silenced`, type: 'fix_checks_silenced', message, data: { call, codes, silenced } }]
}
