// The eight invariants of DESIGN §6, which hold after every session, however it went. Every end-to-end test ends with them.
// They are read from where they can't be told otherwise: git, the store, the process table, the disk, and what the scripted
// model was really asked. Gap: that nothing is left in the home is only looked at when the instance has ended.

import assert from 'node:assert/strict'
import { globSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { openHomeArtifacts } from '../../src/app/open-artifacts.ts'
import { type SessionEvent, TERMINAL_EVENTS } from '../../src/domain/session/events/index.ts'
import { hasEnded, type IssueFixResult, type SessionRecord } from '../../src/domain/session/session.ts'
import type { AgentCallRecord, IssueRecord } from '../../src/domain/session/store-records.ts'
import type { Settings } from '../../src/domain/settings/schema.ts'
import type { GateRecord } from '../../src/domain/verification/gate-record.ts'
import { findMarkedProcesses } from '../../src/platform/processes/marked-processes.ts'
import type { SessionIssue } from '../../src/store/sessions.ts'
import { fingerprintRepository } from './fingerprint-repository.ts'
import { keepHistories } from './histories.ts'
import { branchesOf, type E2eStage } from './session.ts'
import { until } from './until.ts'

interface Told {
  readonly session: SessionRecord
  readonly issues: readonly SessionIssue[]
  readonly events: readonly SessionEvent[]
  readonly calls: readonly AgentCallRecord[]
  readonly gates: readonly GateRecord[]
}

interface Commit {
  readonly sha: string
  readonly parents: readonly string[]
  readonly tree: string
  /** The tree that its row of commits was judged as. */
  readonly train?: string | undefined
  readonly codes: readonly string[]
  readonly session: string | undefined
  readonly files: readonly string[]
}

/** `scenario` names the histories of this test where they are kept (test/workflows/replay.test.ts says when). */
export async function checkInvariants(stage: E2eStage, scenario?: string): Promise<void> {
  await stage.quiet()
  const all: Told[] = []
  for (const session of await stage.sessions()) all.push(await toldOf(stage, session))
  for (const told of all) {
    everyIssueHasOneState(told)
    falsePositivesAreAgreed(told)
    resolvedMeansCommitted(stage, told)
    everyCommitOnce(stage, told)
    committedIsWhatWasJudged(stage, told)
    eventsAreWhole(told)
    callsAreOnRecord(told)
  }
  everyModelCallIsExplained(stage, all)
  assert.equal(
    await fingerprintRepository(stage.repository, await branchesOf(stage)),
    stage.before(),
    'invariant 5: the repository is as it was',
  )
  await nothingIsLeft(stage, all)
  if (scenario !== undefined) await keepHistories(stage, scenario)
}

async function toldOf(stage: E2eStage, session: SessionRecord): Promise<Told> {
  const id = session.session_id
  const artifacts = openHomeArtifacts({ home: stage.home, env: stage.environment })
  const [issues, calls, verdicts] = await stage.read((store) =>
    Promise.all([
      store.sessions.listIssues(id),
      store.agentCalls.listForSession(id),
      store.artifacts.listForSession(id, { kind: 'verdict' }),
    ]),
  )
  const gates: GateRecord[] = []
  for (const { ref } of verdicts) gates.push(JSON.parse(await artifacts.getText(ref)))
  return { session, issues, calls, gates, events: await stage.events(id) }
}

const STATES: Readonly<Record<string, readonly IssueRecord['status'][]>> = {
  completed: ['resolved', 'merged'],
  failed: ['failed'],
  skipped: ['open', 'resolved', 'merged', 'ignored', 'duplicate', 'in_progress'],
}

function everyIssueHasOneState({ session, issues }: Told): void {
  const { result, session_id } = session
  const about = `invariant 1, session ${session_id}`
  assert.ok(hasEnded(session.status), `${about}: it has ended (${session.status})`)
  assert.deepEqual([session.waiting, session.decision], [undefined, undefined], `${about}: it asks nothing any more`)
  if (!result) {
    assert.equal(session.ending?.class, 'infrastructure', `${about}: without a result it was lost`)
    return
  }
  assert.equal(result.issues_requested, issues.length, about)
  assert.equal(
    result.issues_fixed + result.issues_failed + result.issues_skipped,
    issues.length,
    `${about}: they add up`,
  )
  const codes = result.results.map(({ issue_code }) => issue_code)
  assert.deepEqual(
    [...new Set(codes)].sort(),
    issues.map(({ issue }) => issue.issue_code).sort(),
    `${about}: each once`,
  )
  for (const { issue, outcome } of issues) {
    const own: IssueFixResult | undefined = result.results.find(({ issue_code }) => issue_code === issue.issue_code)
    assert.deepEqual(own, outcome, `${about}: ${issue.issue_code} ended in one state`)
    // A later session may have moved it on.
    if (issue.session_id !== session_id) continue
    const allowed: readonly string[] = STATES[own?.status ?? ''] ?? []
    // Its pull request was closed.
    if (own?.status === 'completed' && /was closed without being merged$/.test(issue.resolution_note ?? '')) continue
    assert.ok(
      allowed.includes(issue.status),
      `${about}: ${issue.issue_code} is ${issue.status}, its result ${own?.status}`,
    )
    assert.notEqual(issue.status, 'in_progress', `${about}: nobody works on ${issue.issue_code} any more`)
  }
}

/** Ignored by a session means that a challenger agreed, and that the reason is kept. */
function falsePositivesAreAgreed({ session, issues, gates, events }: Told): void {
  for (const { issue, outcome } of issues) {
    const about = `invariant 1: ${issue.issue_code} of ${session.session_id}`
    const told = events.find(({ type, issue_code, data }) => {
      return type === 'fix_issue_skipped' && issue_code === issue.issue_code && data.false_positive === true
    })
    assert.equal(outcome?.false_positive ?? false, told !== undefined, `${about}: its event says what its result says`)
    if (!outcome?.false_positive) continue
    assert.deepEqual([outcome.status, outcome.settled], ['skipped', true], about)
    assert.ok(
      gates.some(({ verdicts }) => verdicts?.[issue.issue_code]?.false_positive_agreed),
      `${about}: a challenger agreed`,
    )
    if (issue.session_id !== session.session_id) continue
    assert.deepEqual([issue.status, issue.resolution_note], ['ignored', outcome.fix_explanation], about)
  }
}

function resolvedMeansCommitted(stage: E2eStage, { session, issues }: Told): void {
  const commits = commitsOf(stage, session)
  for (const { issue, outcome } of issues) {
    const about = `invariant 2: ${issue.issue_code} of ${session.session_id}`
    const own = commits.filter(
      ({ codes, session: by }) => by === session.session_id && codes.includes(issue.issue_code),
    )
    if (outcome?.status === 'completed') {
      assert.equal(own.length, 1, `${about} is resolved, so exactly one commit names it`)
      const [commit] = own
      assert.equal(commit?.sha, outcome.commit_sha, about)
      const files = outcome.fix_files_modified
      assert.ok(
        files.length > 0 && files.every((file) => commit?.files.includes(file)),
        `${about}: its files ${files} are in the commit`,
      )
    } else assert.deepEqual(own, [], `${about} is ${outcome?.status}, so no commit of the session names it`)
  }
}

function everyCommitOnce(stage: E2eStage, { session }: Told): void {
  const about = `invariant 3, session ${session.session_id}`
  const commits = commitsOf(stage, session)
  for (const [index, { parents }] of commits.entries()) {
    assert.deepEqual(
      parents,
      [commits[index + 1]?.sha ?? session.base_commit],
      `${about}: the branch is linear from its base`,
    )
  }
  assert.equal(new Set(commits.map(({ tree }) => tree)).size, commits.length, `${about}: no tree is committed twice`)
  const own = commits.filter((commit) => commit.session === session.session_id)
  assert.deepEqual(
    own.map(({ sha }) => sha).reverse(),
    session.result?.commits.map(({ sha }) => sha) ?? [],
    `${about}: the result names its commits`,
  )
}

function committedIsWhatWasJudged(stage: E2eStage, { session, gates }: Told): void {
  const settings = session.settings as unknown as Settings
  const floor = settings.fix_challenger.solved_threshold
  const commits = commitsOf(stage, session).filter(({ session: by }) => by === session.session_id)
  for (const { sha, tree, train, codes } of commits) {
    const about = `invariant 4: ${sha} of ${session.session_id}`
    const judged = train ?? tree
    const last = commits.find((commit) => commit.tree === judged)
    assert.ok(
      last && stage.git('merge-base', sha, last.sha) === sha,
      `${about}: the tree it was judged as is on the branch`,
    )
    const seen = gates.filter((gate) => gate.tree === judged)
    if (settings.verification.commands.length > 0) {
      assert.ok(
        seen.some(({ verification }) => verification !== undefined),
        `${about}: its tree was verified`,
      )
    }
    if (!settings.fix_challenger.enabled) continue
    const scores = codes.map((code) => seen.map(({ verdicts }) => verdicts?.[code]?.score ?? -1))
    assert.ok(
      scores.every((each) => each.some((score) => score >= floor)),
      `${about}: its tree was approved (${JSON.stringify(scores)})`,
    )
  }
}

function eventsAreWhole({ session, events }: Told): void {
  const about = `session ${session.session_id}`
  assert.deepEqual(
    events.map(({ seq }) => seq),
    events.map((_, index) => index + 1),
    `invariant 7, ${about}: the sequence has no gap and no repeat`,
  )
  const terminal = events.filter(({ type }) => TERMINAL_EVENTS.has(type))
  assert.equal(terminal.length, 1, `invariant 8, ${about}: one terminal event`)
  assert.equal(events.at(-1), terminal[0], `invariant 8, ${about}: it is the last`)
}

function callsAreOnRecord({ session, events, calls }: Told): void {
  for (const { key, attempt, role, state, prompt_ref } of calls) {
    const about = `invariant 7: call ${key}/${attempt} of ${session.session_id}`
    assert.ok(prompt_ref, `${about} has its prompt on record`)
    const told = events
      .filter(({ data }) => 'attempt' in data && data.call === key && data.attempt === attempt)
      .map(({ type }) => type)
    if (state === 'finished')
      assert.deepEqual(
        told.filter((type) => type.startsWith('fix_call_')),
        ['fix_call_started', 'fix_call_completed'],
        `${about} (${role})`,
      )
    assert.notEqual(state, 'started', `${about} is not left open`)
  }
}

/** What really reached the model, against what the event logs say was asked. */
function everyModelCallIsExplained(stage: E2eStage, all: readonly Told[]): void {
  const started = all.flatMap(({ events }) =>
    events.filter((event) => event.type === 'fix_call_started').map(({ data }) => `${data.role} ${data.call}`),
  )
  for (const call of stage.model.calls()) {
    if (call.role === 'auxiliary') continue
    // A sub-agent is part of the call that spawned it.
    const explained = started.some((one) =>
      call.agent ? one.endsWith(` ${call.call}`) : one === `${call.role} ${call.call}`,
    )
    assert.ok(explained, `invariant 7: an event explains the call ${call.role} ${call.call} (of ${started.join(', ')})`)
  }
}

async function nothingIsLeft(stage: E2eStage, all: readonly Told[]): Promise<void> {
  for (const { session } of all) {
    await until(
      `invariant 6: no process of ${session.session_id} is left`,
      () => findMarkedProcesses(session.session_id).length === 0,
    )
  }
  const leftovers = [
    ...readdirSync(stage.home.sessions)
      .filter((name) => !name.startsWith('.'))
      .map((name) => `sessions/${name}`),
    ...globSync('sessions/.*/*', { cwd: stage.home.path }),
    ...globSync('leases/*', { cwd: stage.home.path }),
    ...globSync('**/*.{draft,new,lock,tmp}', { cwd: stage.home.path }).filter((name) => name !== 'instance.lock'),
    ...readdirSync(stage.environment.TMPDIR ?? '').map((name) => `TMPDIR/${name}`),
    ...globSync('**/*.lock', { cwd: join(stage.repository, '.git') }),
  ]
  assert.deepEqual(leftovers, [], 'invariant 6: nothing is left on the disk')
}

/** From the head of the branch down to the session's base, that one not included. Without trailers, the result says whose they are. */
function commitsOf({ git }: E2eStage, { session_id, branch_name, base_commit, result }: SessionRecord): Commit[] {
  if (!branch_name || !base_commit || git('for-each-ref', `refs/heads/${branch_name}`) === '') return []
  const shas = git('rev-list', `${base_commit}..refs/heads/${branch_name}`).split('\n').filter(Boolean)
  return shas.map((sha) => {
    const [parents = '', tree = ''] = git('show', '--no-patch', '--format=%P%n%T', sha).split('\n')
    const trailers = (name: string) =>
      git('show', '--no-patch', `--format=%(trailers:key=${name},valueonly)`, sha).split('\n').filter(Boolean)
    const told = result?.commits.find((commit) => commit.sha === sha)
    const [by = told && session_id] = trailers('Fixwright-Session')
    const codes = trailers('Fixwright-Issue')
    return {
      sha,
      parents: parents.split(' '),
      tree,
      codes: codes.length > 0 ? codes : (told?.issue_codes ?? []),
      session: by,
      train: trailers('Fixwright-Train')[0]?.split(' ').at(-1) ?? told?.train?.tree,
      files: git('diff-tree', '--no-commit-id', '--name-only', '-r', sha).split('\n'),
    }
  })
}
