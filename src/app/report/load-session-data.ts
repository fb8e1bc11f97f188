// All that the store, the artifacts and the branch have on a session, read for its report, and which call was about which issue.
import type { SessionEvent } from '../../domain/session/events.ts'
import type { SessionRecord } from '../../domain/session/session.ts'
import { withDefaults } from '../../domain/settings/complete-stored.ts'
import { isStrict } from '../../domain/settings/schema.ts'
import type { FixClaim } from '../../domain/stage/agent-replies.ts'
import { silencedChecks } from '../../domain/tampering/detect.ts'
import { readDiff } from '../../domain/tampering/unified-diff.ts'
import { compareRuns, type GateEvidence, verdictOfRuns } from '../../domain/verification/compare-runs.ts'
import { testFiles } from '../../domain/verification/test-files.ts'
import type { Home } from '../../runtime/home/home.ts'
import { defaultSettings } from '../../runtime/settings/effective-settings.ts'
import type { Store } from '../../store/store.ts'
import { committedChange, keptClaims, keptDiff, keptGate } from './read-evidence.ts'
import type { IssueVerification } from './report-model.ts'

export interface Gate {
  /** The call that left it: `base`, `s1.i2.verify`, `s1.i2.challenge`. */
  readonly call: string
  readonly found: GateEvidence
}

export type Material = Awaited<ReturnType<typeof materialOf>>

export async function materialOf(store: Store, home: Home, session: SessionRecord) {
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
  const settings = withDefaults(session.settings, defaultSettings())
  const isTest = testFiles(settings.verification.tests)
  const codes = issues.map(({ issue }) => issue.issue_code)
  const lookInto = (diff: string) => {
    const files = readDiff(diff)
    return { files, silenced: silencedChecks(files, isTest) }
  }
  const codesOf = aboutWhat(events, codes)
  const replyOf = once((ref: string) => keptClaims(home, ref))
  return {
    session,
    issues,
    events,
    gates,
    calls: calls.map((call) => ({ ...call, isFix: isOfFixer(call.key) })),
    /** Of the fixer's calls, by their names. */
    diffs: diffs.filter(({ name }) => isOfFixer(name)),
    /** The issues that a call was about; none where it was about none of them alone. */
    codesOf,
    /** What the fixer said of an issue, call by call. */
    async claimsOf(code: string): Promise<readonly FixClaim[]> {
      const answered = calls.filter(({ key }) => isOfFixer(key) && codesOf(key).includes(code))
      const replies = await Promise.all(answered.map(({ reply_ref }) => (reply_ref ? replyOf(reply_ref) : [])))
      return replies.flat().filter(({ issue_code }) => issue_code === code)
    },
    /** What a commit holds, and what a diff that was kept does; undefined where it is gone. */
    commit: once(async (sha: string) => {
      const change = await committedChange(session.repository, sha)
      return change && { tree: change.tree, ...lookInto(change.diff) }
    }),
    kept: once(async (ref: string) => {
      const text = await keptDiff(home, ref)
      return text === undefined ? undefined : lookInto(text)
    }),
    /** A run of the commands beside that on what it stands on. */
    verificationIn({ call, found }: Gate): IssueVerification {
      const before = gates.find((gate) => gate.call === (found.ground ?? 'base'))?.found.verification ?? []
      const commands = compareRuns(before, found.verification ?? [])
      return { call, tree: found.tree, verdict: verdictOfRuns(commands, isStrict(settings)), commands }
    },
  }
}

/** Beside the diff of a call lies what a person was asked about. */
function isOfFixer(name: string): boolean {
  return /\.fix(\.|$)/.test(name) && !name.endsWith('.scope')
}

function once<T>(read: (name: string) => Promise<T>): (name: string) => Promise<T> {
  const known = new Map<string, Promise<T>>()
  return (name) => {
    const found = known.get(name) ?? read(name)
    known.set(name, found)
    return found
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

/** What was said last about the tree of a run: in a fresh checkout, where it came to that. */
export function lastOn(gates: readonly Gate[], run: Gate | undefined): Gate | undefined {
  return (
    run &&
    gates.findLast(({ call, found }) => {
      return found.verification && found.tree === run.found.tree && stageOf(call) === stageOf(run.call)
    })
  )
}
