// Loads everything on a session from the store, the artifacts and the branch, and finds the issues of each call.

import { listCallIssueCodes, type SessionEvent } from '../../domain/session/events/index.ts'
import type { SessionRecord } from '../../domain/session/session.ts'
import { BASELINE_STEP_ID, getStageNumber, isWithinStep, parseStepId } from '../../domain/session/step-id.ts'
import { isStrict } from '../../domain/settings/schema.ts'
import type { FixClaim } from '../../domain/stage/reply-schemas.ts'
import { detectTampering } from '../../domain/tampering/detect.ts'
import { parseDiff } from '../../domain/text/unified-diff.ts'
import { compareRuns, deriveVerdict } from '../../domain/verification/compare-runs.ts'
import type { GateRecord } from '../../domain/verification/gate-record.ts'
import { createTestFileMatcher } from '../../domain/verification/test-files.ts'
import type { Home } from '../../runtime/home/home.ts'
import type { Store } from '../../store/store.ts'
import { readFixClaims, readGateEvidence, readMaskedCommit, readStoredDiff } from './read-evidence.ts'
import type { IssueVerification } from './report-model.ts'

export interface RecordedGate {
  /** The step that recorded it: `base`, `s1.i2.verify`, `s1.i2.challenge`. */
  readonly stepId: string
  readonly evidence: GateRecord
}

export type SessionData = Awaited<ReturnType<typeof loadSessionData>>

export async function loadSessionData(store: Store, home: Home, session: SessionRecord) {
  const id = session.session_id
  const [issues, events, calls, verdicts, diffs] = await Promise.all([
    store.sessions.listIssues(id),
    store.events.listAll(id),
    store.agentCalls.listForSession(id),
    store.artifacts.listForSession(id, { kind: 'verdict' }),
    store.artifacts.listForSession(id, { kind: 'diff' }),
  ])
  const gates: RecordedGate[] = []
  for (const { name, ref } of verdicts) {
    const found = await readGateEvidence(home, ref)
    if (found) gates.push({ stepId: name, evidence: found })
  }
  const { settings } = session
  const isTest = createTestFileMatcher(settings.verification.tests)
  const codes = issues.map(({ issue }) => issue.issue_code)
  const lookInto = (diff: string) => {
    const files = parseDiff(diff)
    return { files, silenced: detectTampering(files, isTest) }
  }
  const findIssueCodes = indexIssueCodes(events, codes)
  const loadClaims = memoizeByName((ref: string) => readFixClaims(home, ref))
  return {
    session,
    issues,
    events,
    gates,
    calls: calls.map((call) => ({ ...call, isFix: isFixStep(call.key) })),
    /** The diffs of the fixer's calls. */
    diffs: diffs.filter(({ name }) => isFixStep(name)),
    /** The issues of a call; empty for a call that concerns the whole session. */
    findIssueCodes,
    /** The fixer's claims about an issue, call by call. */
    async listClaims(code: string): Promise<readonly FixClaim[]> {
      const answered = calls.filter(({ key }) => isFixStep(key) && findIssueCodes(key).includes(code))
      const replies = await Promise.all(answered.map(({ reply_ref }) => (reply_ref ? loadClaims(reply_ref) : [])))
      return replies.flat().filter(({ issue_code }) => issue_code === code)
    },
    /** `commit` and `kept` read the changes of a commit and of a stored diff; undefined if it is gone. */
    commit: memoizeByName(async (sha: string) => {
      const change = await readMaskedCommit(session.repository, sha)
      return change && { tree: change.tree, ...lookInto(change.diff) }
    }),
    kept: memoizeByName(async (ref: string) => {
      const text = await readStoredDiff(home, ref)
      return text === undefined ? undefined : lookInto(text)
    }),
    /** Compares a run of the commands with its baseline. */
    verificationIn({ stepId, evidence }: RecordedGate): IssueVerification {
      const before =
        gates.find((gate) => gate.stepId === (evidence.baseline ?? BASELINE_STEP_ID))?.evidence.verification ?? []
      const commands = compareRuns(before, evidence.verification ?? [], evidence)
      return { step_id: stepId, tree: evidence.tree, verdict: deriveVerdict(commands, isStrict(settings)), commands }
    },
  }
}

/** Excludes the diffs that were stored for a scope decision beside the call's own. */
function isFixStep(name: string): boolean {
  const step = parseStepId(name)
  return step?.kind === 'fix' && step.parts.every(({ kind }) => kind !== 'scope')
}

function memoizeByName<T>(read: (name: string) => Promise<T>): (name: string) => Promise<T> {
  const known = new Map<string, Promise<T>>()
  return (name) => {
    const found = known.get(name) ?? read(name)
    known.set(name, found)
    return found
  }
}

/** Only the start of a call names its issues; the step id of a repair extends that of its call. */
function indexIssueCodes(
  events: readonly SessionEvent[],
  all: readonly string[],
): (stepId: string) => readonly string[] {
  const known = new Map<string, readonly string[]>()
  for (const event of events) {
    const worked = listCallIssueCodes(event)
    const codes = all.filter((code) => worked.includes(code))
    if (event.type === 'fix_call_started' && codes.length > 0) known.set(event.data.call, codes)
  }
  return (stepId) => {
    const keys = [...known.keys()].filter((key) => isWithinStep(stepId, key))
    const nearest = keys.sort((one, other) => other.length - one.length)[0]
    return nearest === undefined ? [] : (known.get(nearest) ?? [])
  }
}

/** Finds the last run on the same tree, which is the one in a fresh checkout if there was one. */
export function findLastRunOnTree(
  gates: readonly RecordedGate[],
  run: RecordedGate | undefined,
): RecordedGate | undefined {
  return (
    run &&
    gates.findLast(({ stepId, evidence }) => {
      return (
        evidence.verification &&
        evidence.tree === run.evidence.tree &&
        getStageNumber(stepId) === getStageNumber(run.stepId)
      )
    })
  )
}
