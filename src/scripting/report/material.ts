// All that the store and the artifacts have on a session, read once for its report, and which call was about which issue.
import type { SessionEvent } from '../../domain/events.ts'
import type { GateEvidence } from '../../domain/evidence.ts'
import type { CallRecord, SessionArtifact } from '../../domain/records.ts'
import type { SessionRecord } from '../../domain/session.ts'
import { isStrict } from '../../domain/settings.ts'
import { withDefaults } from '../../domain/with-defaults.ts'
import { defaultSettings } from '../../runtime/effective-settings.ts'
import { keptGate } from '../../runtime/evidence.ts'
import type { Home } from '../../runtime/home.ts'
import type { SessionIssue } from '../../store/sessions.ts'
import type { Store } from '../../store/store.ts'

export interface Gate {
  /** The call that left it: `base`, `s1.i2.verify`, `s1.i2.challenge`. */
  readonly call: string
  readonly found: GateEvidence
}

export interface Material {
  readonly home: Home
  readonly session: SessionRecord
  readonly issues: readonly SessionIssue[]
  readonly events: readonly SessionEvent[]
  readonly calls: readonly CallRecord[]
  readonly gates: readonly Gate[]
  /** By the names of the fixer's calls. */
  readonly diffs: readonly SessionArtifact[]
  /** The issues that a call was about; none where it was about none of them alone. */
  codesOf(call: string): readonly string[]
  /** Whether nothing may fail, also what failed before. */
  readonly strict: boolean
}

export async function materialOf(store: Store, home: Home, session: SessionRecord): Promise<Material> {
  const id = session.session_id
  const [issues, events, calls, verdicts, diffs] = await Promise.all([
    store.sessions.issuesOf(id),
    store.events.all(id),
    store.calls.ofSession(id),
    store.artifacts.ofSession(id, { kind: 'verdict' }),
    store.artifacts.ofSession(id, { kind: 'diff' }),
  ])
  const gates: Gate[] = []
  for (const { name, ref } of verdicts) {
    const found = await keptGate(home, ref)
    if (found) gates.push({ call: name, found })
  }
  return {
    home,
    session,
    issues,
    events,
    calls,
    gates,
    diffs,
    codesOf: aboutWhat(
      events,
      issues.map(({ issue }) => issue.issue_code),
    ),
    strict: isStrict(withDefaults(session.settings, defaultSettings())),
  }
}

/** A call says its issues when it starts; a repair of it has its key with something after it. */
function aboutWhat(events: readonly SessionEvent[], all: readonly string[]): (call: string) => readonly string[] {
  const known = new Map<string, readonly string[]>()
  for (const { type, message, data } of events) {
    if (type !== 'fix_call_started' || typeof data?.call !== 'string') continue
    const about = message.slice(message.indexOf(': ') + 2).split(', ')
    const codes = all.filter((code) => about.includes(code))
    if (codes.length > 0) known.set(data.call, codes)
  }
  return (call) => {
    for (let key = call; key !== ''; key = key.slice(0, Math.max(key.lastIndexOf('.'), 0))) {
      const codes = known.get(key)
      if (codes) return codes
    }
    return []
  }
}

/** `s1` of `s1.i2.verify`. */
export function stageOf(call: string): string {
  return call.split('.', 1)[0] ?? ''
}
