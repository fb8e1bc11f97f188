// From an order to a session: everything is looked at before anything is written, then the session is started, or the one that does
// this work already is joined, or its answer of a moment ago is given again. However many start the same work at once, one
// session comes of it: the store lets one of them put it down, and Temporal lets one workflow of its id run.
import { setTimeout as delay } from 'node:timers/promises'
import type { Started, StartOptions } from '../client/session-workflow.ts'
import type { Finding } from '../domain/issue/parse-findings.ts'
import type { FixSessionResult, SessionRecord } from '../domain/session/session.ts'
import type { Settings } from '../domain/settings/schema.ts'
import type { Environment, Home } from '../runtime/home/home.ts'
import type { NewSession } from '../store/sessions.ts'
import type { Store } from '../store/store.ts'
import type { Connected } from './connect-instance.ts'
import { branchTaken } from './preflight/choose-branch.ts'
import { missingCommands } from './preflight/missing-commands.ts'
import { keepReview, type Order, type Prepared, prepareSession } from './preflight/prepare-session.ts'
import { differences, recentAnswer, skippedResult, whyNothing } from './reuse-session.ts'

/** Between the last event of a session and the end of its workflow. */
const ENDING_MS = 15_000
/** Each further round follows the end of another session of this work: so many do not end in a row. */
const MOST_ROUNDS = 20

export interface Beginning {
  readonly home: Home
  readonly store: Store
  readonly env: Environment
  /** Called when all that was given is right. */
  readonly connect: (settings: Settings) => Promise<Connected>
  readonly say: (text: string) => void
  /** Stops the session that is at this work, and does not take its answer of a moment ago for the answer to this start. */
  readonly force?: boolean | undefined
  /** Who starts it, and from where, for the record of a session that it stops. */
  readonly by?: string | undefined
  readonly from?: string | undefined
}

export type Begun =
  /** Nothing was changed. */
  | { readonly kind: 'refused'; readonly problems: readonly string[] }
  /** What is needed is not there, or in the way. */
  | { readonly kind: 'stuck'; readonly reason: string }
  | { readonly kind: 'done'; readonly result: FixSessionResult }
  | {
      readonly kind: 'started' | 'joined'
      readonly sessionId: string
      readonly settings: Settings
      readonly connected: Connected
    }

/** A session of this work ended meanwhile: what was looked at before may not hold any more. */
type Again = { readonly kind: 'again' }

export async function beginSession(order: Order, beginning: Beginning): Promise<Begun> {
  const askedAt = new Date()
  let reached: Connected | undefined
  const connect = async (settings: Settings): Promise<Connected> => (reached ??= await beginning.connect(settings))
  try {
    for (let round = 1; round <= MOST_ROUNDS; round += 1) {
      const begun = await oneRound(order, { ...beginning, connect }, askedAt)
      if (begun.kind === 'again') continue
      if (begun.kind !== 'started' && begun.kind !== 'joined') reached?.leave()
      return begun
    }
  } catch (error) {
    reached?.leave()
    throw error
  }
  reached?.leave()
  return {
    kind: 'stuck',
    reason: `${MOST_ROUNDS} sessions of this work ended one after the other: is somebody stopping them?`,
  }
}

async function oneRound(order: Order, beginning: Beginning, askedAt: Date): Promise<Begun | Again> {
  const { home, store, env, connect, say, force } = beginning
  const lookedAt = new Date()
  const prepared = await prepareSession(order, home, env, store)
  if (prepared.kind === 'refused') return prepared
  const { session, findings, settings, obstacles, notes } = prepared
  const idle = whyNothing(findings, settings)
  if (idle !== undefined) {
    say(`nothing to do: ${idle}`)
    return { kind: 'done', result: skippedResult(session, findings, idle) }
  }
  const answered = force ? undefined : await recentAnswer(store, session)
  if (answered) {
    say(`this work is done: session ${answered.session_id} finished it less than an hour ago`)
    return { kind: 'done', result: answered }
  }
  const [atWork] = await store.sessions.list({ key: session.key, running: true, limit: 1 })
  if (obstacles.length > 0 && (force || !atWork)) return { kind: 'refused', problems: obstacles }
  const missing = await missingCommands(settings, env)
  if (missing.length > 0) return { kind: 'stuck', reason: missing.join('\n  ') }

  const connected = await connect(settings)
  await connected.reconcile()
  if (force) {
    const stopped = await stopIfAtWork(connected, beginning, session, askedAt)
    if (stopped.kind !== 'free') return stopped
  }
  await keepReview(home, prepared.review)
  const begun = await startOrJoin(connected, store, { prepared, lookedAt, say })
  if (begun.kind === 'started') for (const note of notes) say(note)
  return 'sessionId' in begun ? { ...begun, settings, connected } : begun
}

/** Only one that was at work when this start was asked for: what another forced start began since is joined. */
async function stopIfAtWork(
  connected: Connected,
  { home, store, say, by, from }: Beginning,
  { key, workflow_id: workflowId }: NewSession,
  askedAt: Date,
): Promise<{ readonly kind: 'free' } | Again | Stuck> {
  const [{ runningSession }, { stopForGood }] = await Promise.all([
    import('../client/session-workflow.ts'),
    import('./force-stop.ts'),
  ])
  const sessionId = await runningSession(connected.client, workflowId)
  const session = sessionId === undefined ? undefined : await store.sessions.get(sessionId)
  if (sessionId === undefined) {
    const [never] = await store.sessions.list({ key, running: true, limit: 1 })
    // Its start was killed, or is just going to find out that it was too late.
    if (never && isBefore(never, askedAt)) await store.sessions.discard(never.session_id)
    return { kind: 'free' }
  }
  if (session && (session.ended_at !== undefined || !isBefore(session, askedAt))) return { kind: 'free' }
  const reason = await stopForGood({ home, store, connected, by, from, say }, { sessionId, workflowId })
  return reason === undefined ? { kind: 'again' } : { kind: 'stuck', reason }
}

function isBefore({ started_at }: SessionRecord, moment: Date): boolean {
  return Date.parse(started_at) < moment.getTime()
}

interface Work {
  readonly prepared: Prepared & { readonly kind: 'ready' }
  /** When it was prepared. */
  readonly lookedAt: Date
  readonly say: (text: string) => void
}

type Running = { readonly kind: 'started' | 'joined'; readonly sessionId: string }
type Stuck = { readonly kind: 'stuck'; readonly reason: string }
type Refused = { readonly kind: 'refused'; readonly problems: readonly string[] }

async function startOrJoin(connected: Connected, store: Store, work: Work): Promise<Running | Stuck | Refused | Again> {
  const { session, findings, obstacles } = work.prepared
  const begun = await store.begin(session, findings)
  if (begun.kind === 'same_branch') {
    return { kind: 'refused', problems: [branchTaken(`${session.branch_name}`, begun.session.session_id)] }
  }
  if (begun.kind === 'same_work') return await joinOrHelp(connected, store, work, begun.session)
  const { session_id: sessionId } = session
  if (obstacles.length > 0 || (await endedSince(store, session, work.lookedAt))) {
    await store.sessions.discard(sessionId)
    return { kind: 'again' }
  }
  const started = await start(connected, work, sessionId)
  if (started.sessionId !== sessionId) {
    await store.sessions.discard(sessionId)
    return await untilGone(connected, store, work, started.sessionId)
  }
  if (started.kind === 'running' || (await store.sessions.update(sessionId, { run_id: started.runId }))) {
    return { kind: 'started', sessionId }
  }
  // Somebody took this start for one that was killed: it took too long.
  const { terminateSession } = await import('../client/session-workflow.ts')
  await terminateSession(connected.client, session.workflow_id, { sessionId, reason: 'its start was given up' })
  return { kind: 'again' }
}

/** One that has ended since may have moved the branch that the new one is to stand on, or be the answer. */
async function endedSince(store: Store, { key, session_id }: NewSession, moment: Date): Promise<boolean> {
  const latest = await store.sessions.list({ key, limit: 2 })
  return latest.some((each) => each.session_id !== session_id && Date.parse(each.ended_at ?? '') >= moment.getTime())
}

/** A session that was put down and has no run yet: its starter may have been killed in that moment, so it is helped. */
async function joinOrHelp(
  connected: Connected,
  store: Store,
  work: Work,
  other: SessionRecord,
): Promise<Running | Stuck | Again> {
  const { session_id: sessionId, run_id } = other
  const { say, prepared } = work
  if (run_id === undefined) {
    const started = await start(connected, work, sessionId)
    if (started.sessionId !== sessionId) return await untilGone(connected, store, work, started.sessionId)
    if (started.kind === 'started') await store.sessions.update(sessionId, { run_id: started.runId })
  }
  say(
    `this work is being done already: joining session ${sessionId}${other.waiting ? `, which waits for ${other.waiting.reason}` : ''}`,
  )
  const joining = {
    key: `joined/${prepared.session.session_id}`,
    type: 'fix_session_joined',
    message: 'joined by another start',
    data: { total: await store.calls.spent(sessionId) },
  } as const
  await store.events.append(sessionId, [joining])
  const unlike = differences(other, prepared.session)
  if (unlike.length > 0) say(`that session goes by its own options; yours differ in ${unlike.join(', ')}`)
  return { kind: 'joined', sessionId }
}

async function start({ client, joined }: Connected, { prepared }: Work, sessionId: string): Promise<Started> {
  const { session, findings } = prepared
  const { startSession } = await import('../client/session-workflow.ts')
  return await startSession(client, {
    sessionId,
    workflowId: session.workflow_id,
    taskQueue: joined.taskQueue,
    repository: session.repository,
    attributes: joined.attributes,
    ...wordsFor(session.repository, findings),
  })
}

function wordsFor(repository: string, findings: readonly Finding[]): Pick<StartOptions, 'summary' | 'details'> {
  const rows = findings.map(
    ({ issue_code, severity, file, title }) => `| ${[issue_code, severity, file, title].map(cell).join(' | ')} |`,
  )
  return {
    summary: `fix ${findings.length} issue(s) in ${repository}`,
    details: ['| issue | severity | file | title |', '|---|---|---|---|', ...rows].join('\n'),
  }
}

function cell(text: string): string {
  return text.replaceAll('|', '/').replaceAll('\n', ' ').slice(0, 120)
}

/** A session that has just ended holds its workflow for a moment longer: it is waited for, not joined. */
async function untilGone(
  { client }: Connected,
  store: Store,
  { prepared }: Work,
  sessionId: string,
): Promise<Stuck | Again> {
  const { runningSession } = await import('../client/session-workflow.ts')
  const { workflow_id: workflowId } = prepared.session
  const giveUpAt = performance.now() + ENDING_MS
  while ((await runningSession(client, workflowId)) === sessionId) {
    if (performance.now() > giveUpAt) {
      const where = (await store.sessions.get(sessionId))
        ? 'has ended, but its workflow has not'
        : 'of another FIXWRIGHT_HOME on the same cluster is at this work'
      const reason = `session ${sessionId} ${where}: look at its workflow ${workflowId}, or start with --force to end it`
      return { kind: 'stuck', reason }
    }
    await delay(50)
  }
  return { kind: 'again' }
}
