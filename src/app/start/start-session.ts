// Starts a session, joins the one that already does this work, or returns that one's recent result. However many start
// the same work at once, the store admits one session, and Temporal one workflow of that session.

import type { ErrorCode } from '../../domain/errors/error-codes.ts'
import type { Refusal } from '../../domain/errors/fixwright-error.ts'
import { fixSessionJoined } from '../../domain/session/events/session-events.ts'
import type { FixSessionResult, SessionRecord, SessionStarter } from '../../domain/session/session.ts'
import { createChildTrace } from '../../domain/session/trace-context.ts'
import type { Settings } from '../../domain/settings/schema.ts'
import { formatBranchTaken } from '../../domain/text/branch-names.ts'
import type { AgentHost } from '../../preflight/agents/check-commands.ts'
import { listChangedOptions } from '../../preflight/answer-without-session.ts'
import type { PreparedSession, StartInput } from '../../preflight/check-start.ts'
import { type CheckContext, checkStart, type StartCheck } from '../../preflight/check-start.ts'
import { checkReview, type ReviewInput } from '../../preflight/reviews/check-review.ts'
import { checkVotes, type VotesInput } from '../../preflight/reviews/check-votes.ts'
import { findLiveInstance } from '../../runtime/instance/instance-file.ts'
import type { NewSession } from '../../store/sessions.ts'
import type { AppContext } from '../context.ts'
import type { InstanceLink } from '../instance/instance-link.ts'
import { openHomeArtifacts } from '../open-artifacts.ts'
import { previewSession, type SessionPreview } from './preview-session.ts'

export type { ReviewInput } from '../../preflight/reviews/check-review.ts'
export type { VotesInput } from '../../preflight/reviews/check-votes.ts'
export type { StartInput } from '../../preflight/start/start-input.ts'

/** Each further round follows the end of another session of this work; so many do not end in a row. */
const MAX_START_ROUNDS = 20

export interface StartOptions {
  /** Stops the session that already does this work, and reuses no recent result. */
  readonly force?: boolean | undefined
  /** Called before a new session is begun; throws to refuse it. */
  readonly confirm?: ((preview: SessionPreview) => Promise<void>) | undefined
}

export type StartOutcome =
  /** Nothing was changed. */
  | Refusal
  /** Something needed is missing, or something is in the way. */
  | StartBlocked
  | { readonly kind: 'done'; readonly result: FixSessionResult }
  | {
      readonly kind: 'started' | 'joined'
      readonly sessionId: string
      readonly settings: Settings
    }

export interface StartBlocked {
  readonly kind: 'blocked'
  readonly code: ErrorCode
  readonly reason: string
}

/** A session of this work ended meanwhile, or its repository was registered, so the checks have to be repeated. */
type RetryStart = { readonly kind: 'again' }

/** Joins or starts an instance once the input has passed every check. */
export async function startOrJoinSession(
  app: AppContext,
  input: StartInput,
  { force = false, confirm }: StartOptions = {},
): Promise<StartOutcome> {
  return await startChecked(app, (context) => checkStart(context, input, force), { force, confirm })
}

/** A review of the same commits in the same way is one session while it runs. */
export async function startOrJoinReview(app: AppContext, input: ReviewInput): Promise<StartOutcome> {
  return await startChecked(app, (context) => checkReview(context, input))
}

/** Two votes on the same two commits are one session while it runs. */
export async function startOrJoinVotes(app: AppContext, input: VotesInput): Promise<StartOutcome> {
  return await startChecked(app, (context) => checkVotes(context, input))
}

type Check = (context: CheckContext) => Promise<StartCheck>

/** A running instance starts the agents, in its own environment. */
function findAgentHost({ home, env }: AppContext): AgentHost {
  const running = findLiveInstance(home)?.environment
  return { env: running ?? env, isInstance: running !== undefined }
}

async function startChecked(
  app: AppContext,
  check: Check,
  { force = false, confirm }: StartOptions = {},
): Promise<StartOutcome> {
  const askedAt = new Date()
  for (let round = 1; round <= MAX_START_ROUNDS; round += 1) {
    const begun = await attemptStart(app, check, { force, confirm, askedAt, isFirst: round === 1 })
    if (begun.kind !== 'again') return begun
  }
  return {
    kind: 'blocked',
    code: 'session_in_the_way',
    reason: `${MAX_START_ROUNDS} sessions of this work ended one after the other: is somebody stopping them?`,
  }
}

interface StartAttempt extends Pick<StartOptions, 'confirm'> {
  readonly force: boolean
  readonly askedAt: Date
  readonly isFirst: boolean
}

async function attemptStart(
  app: AppContext,
  check: Check,
  { force, confirm, askedAt, isFirst }: StartAttempt,
): Promise<StartOutcome | RetryStart> {
  const report = (text: string): void => app.onProgress(text, 'note')
  const preparedAt = new Date()
  const checked = await check({ ...app, agents: findAgentHost(app) })
  if (checked.kind === 'refused') return checked
  const { notice } = checked.kind === 'ready' ? checked.prepared : checked
  if (isFirst && notice !== undefined) report(notice)
  if (checked.kind === 'idle') {
    report(`nothing to do: ${checked.reason}`)
    return { kind: 'done', result: checked.result }
  }
  if (checked.kind === 'answered') {
    report(`this work is done: session ${checked.result.session_id} finished it less than an hour ago`)
    return { kind: 'done', result: checked.result }
  }
  const { prepared } = checked
  const { session, settings, reviewText, notes } = prepared
  if (isFirst && checked.atWork === undefined) await confirm?.(await previewSession(prepared.findings, settings))

  const [other] = await app.store.sessions.list({ running: true, limit: 1 })
  const { instance } = app
  const link = other === undefined ? await instance.reach(settings) : await instance.reconcile(settings)
  if (force) {
    const stopped = await stopRunningSession(app, session, settings, askedAt)
    if (stopped.kind !== 'free') return stopped
  }
  if (reviewText !== undefined) await openHomeArtifacts(app).put(reviewText)
  const begun = await createOrJoinSession({ app, link, prepared, preparedAt, report })
  if (begun.kind === 'started') for (const note of notes) if (note !== notice) report(note)
  return 'sessionId' in begun ? { ...begun, settings } : begun
}

/** Stops only a session from before this start: one that another forced start began since is joined. */
async function stopRunningSession(
  app: AppContext,
  { key }: NewSession,
  settings: Settings,
  askedAt: Date,
): Promise<{ readonly kind: 'free' } | RetryStart | StartBlocked> {
  const { store, instance } = app
  const [listed] = await store.sessions.list({ key, running: true, limit: 1 })
  if (listed === undefined || !isBefore(listed, askedAt)) return { kind: 'free' }
  const [connected, { isSessionRunning }, { forceStopSession }] = await Promise.all([
    instance.connect(settings),
    import('../../client/describe-workflow.ts'),
    import('./force-stop.ts'),
  ])
  if (!(await isSessionRunning(connected.client, listed))) {
    // The start of that session was killed, or is just about to find out that it was too late.
    await store.sessions.discardUnstarted(listed.session_id)
    return { kind: 'free' }
  }
  const reason = await forceStopSession(app, connected, listed)
  return reason === undefined ? { kind: 'again' } : { kind: 'blocked', code: 'session_in_the_way', reason }
}

function isBefore({ started_at }: SessionRecord, moment: Date): boolean {
  return Date.parse(started_at) < moment.getTime()
}

interface StartWork {
  readonly app: Pick<AppContext, 'store' | 'trace' | 'sender' | 'sign'>
  readonly link: InstanceLink
  readonly prepared: Pick<PreparedSession, 'session' | 'findings' | 'areKnown' | 'obstacle'>
  readonly preparedAt: Date
  readonly report: (text: string) => void
}

function toStarter({ sender, sign }: Pick<AppContext, 'sender' | 'sign'>): SessionStarter {
  return { ...sender, checked: sign !== undefined }
}

type SessionJoined = { readonly kind: 'started' | 'joined'; readonly sessionId: string }

async function createOrJoinSession(work: StartWork): Promise<SessionJoined | Refusal | RetryStart> {
  const { app, link, prepared, preparedAt } = work
  const { store } = app
  const { findings, areKnown, obstacle } = prepared
  const session = { ...prepared.session, started_by: toStarter(app), trace: createChildTrace(app.trace) }
  if (obstacle) {
    // A row would be a request to start it.
    const [same] = await store.sessions.list({ key: session.key, running: true, limit: 1 })
    return same === undefined ? { kind: 'again' } : await joinSession(work, same)
  }
  const begun = await store.createSession(session, areKnown ? [] : findings, preparedAt)
  if (begun.kind === 'outdated' || begun.kind === 'repository_changed') return { kind: 'again' }
  if (begun.kind === 'same_branch') {
    const problem = formatBranchTaken(`${session.branch_name}`, begun.session.session_id)
    return { kind: 'refused', code: 'branch_unusable', problems: [problem] }
  }
  if (begun.kind === 'same_work') return await joinSession(work, begun.session)
  const { session_id: sessionId } = session
  const started = await link.start(begun.session, findings)
  return started === 'given_up' ? { kind: 'again' } : { kind: 'started', sessionId }
}

/** Joins a session of the same work, and starts its workflow if it has none: its starter may have been killed. */
async function joinSession(work: StartWork, other: SessionRecord): Promise<SessionJoined | RetryStart> {
  const { session_id: sessionId, run_id } = other
  const { app, link, prepared, report } = work
  const { store } = app
  if (run_id === undefined && (await link.start(other, prepared.findings)) === 'given_up') return { kind: 'again' }
  report(
    `this work is being done already: joining session ${sessionId}${other.waiting ? `, which waits for ${other.waiting.reason}` : ''}`,
  )
  const total = await store.agentCalls.sumSpending(sessionId)
  await store.events.append(sessionId, [fixSessionJoined(prepared.session.session_id, total)])
  const unlike = listChangedOptions(other, prepared.session)
  if (unlike.length > 0) report(`that session goes by its own options; yours differ in ${unlike.join(', ')}`)
  return { kind: 'joined', sessionId }
}
