// Fixwright for scripts: the terminal's commands as functions. `import { openFixwright } from 'fixwright'`.
// An instance is joined or started when first needed, and stays until `close`.

import { FixwrightError, type Refusal } from '../domain/errors/fixwright-error.ts'
import type { MessageName } from '../domain/people/message-schemas.ts'
import type { DryRun } from '../domain/session/dry-run.ts'
import type { SessionEvent } from '../domain/session/events/index.ts'
import { type FixSessionResult, isWaitingForPerson, type SessionRecord } from '../domain/session/session.ts'
import type { SessionState } from '../domain/session/session-state.ts'
import type { FindingsFormat } from '../integrations/importers/read-report.ts'
import type { FindingsInput } from '../preflight/read-findings.ts'
import type { StartInput } from '../preflight/start/start-input.ts'
import { type AppContext, openApp } from './context.ts'
import { keepInstanceAlive } from './instance/keep-instance-alive.ts'
import type { ReportFormat } from './report/render/formats.ts'
import { findSession } from './session/find-sessions.ts'
import { loadSessionState } from './session/load-session-state.ts'
import { type MessageResult, sendToSession, type UnsignedMessage } from './session/send-message.ts'
import { watchEvents, watchSession } from './session/watch-session.ts'
import { loadSessionSettings } from './settings/load-settings.ts'
import {
  type ReviewInput,
  type StartOutcome,
  startOrJoinReview,
  startOrJoinSession,
  startOrJoinVotes,
} from './start/start-session.ts'

export type { ErrorCode } from '../domain/errors/error-codes.ts'
export { FixwrightError, type Refusal } from '../domain/errors/fixwright-error.ts'
export type { DryPlan, DryPrompt, DryRun } from '../domain/session/dry-run.ts'
export type { EventType, SessionEvent } from '../domain/session/events/index.ts'
export type { FixSessionResult, FixStatus } from '../domain/session/session.ts'
export type { IssueState, OpenQuestion, OpenScope, SessionState } from '../domain/session/session-state.ts'
export type { MessageResult } from './session/send-message.ts'

export interface OpenOptions {
  /** The folder of all that Fixwright keeps. Default: `FIXWRIGHT_HOME`, or the usual place. */
  readonly home?: string
  /** `host:port` of an existing Temporal cluster. Default: `temporal.address`, else the home's own server. */
  readonly address?: string
  /** Who answers and decides, for the record. Default: the user of this process. */
  readonly by?: string
  /** From where. Default: this script's host. */
  readonly from?: string
  /** The source of settings, credentials and the agents' PATH. Default: the environment of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Receives news of slow work and trouble. Default: no one. */
  readonly onProgress?: (text: string) => void
}

export interface StartRequest {
  /** The findings: `{ issues: [{ issue_code, title, file, … }] }` or a tool's report, as a value or as JSON, or the path of a file. */
  readonly findings: FindingsInput
  /** The format of the findings, as the command's `--format`. Default: by their content. */
  readonly format?: FindingsFormat
  readonly repository: string
  readonly base?: string
  readonly notes?: string
  /** Markdown files with the review's report, as background for the agents. */
  readonly context?: readonly string[]
  readonly task?: string
  /** Only the findings with these codes. */
  readonly only?: readonly string[]
  /** The branch that gets the commits. Default: named after the titles. */
  readonly branch?: string
  /** Continues on that branch, which already exists. */
  readonly useExistingBranch?: boolean
  /** Cancels the session that already does this work, and starts anew. */
  readonly force?: boolean
  readonly allowDirty?: boolean
  /** Settings by their paths, as `fixwright config` shows them: `{ 'people.clarify': true }`. */
  readonly settings?: Readonly<Record<string, unknown>>
}

export interface VotesRequest {
  readonly repository: string
  /** What the change is to be merged into. Default: the default branch. */
  readonly base?: string
  /** The branch or commit with the change. Default: what is checked out. */
  readonly head?: string
  /** Settings by their paths, as `fixwright config` shows them. */
  readonly settings?: Readonly<Record<string, unknown>>
}

export interface ReviewRequest extends VotesRequest {
  /** A folder or file of the reviewed commit with the specification. */
  readonly spec?: string
  /** Those whose lanes are reviewed, as the command's `--experts`. Default: by what changed. */
  readonly experts?: ReviewInput['experts']
  readonly notes?: string
  /** Makes confirmed findings issues, of the task of this name or of one of their own. */
  readonly import?: boolean
  readonly task?: string
}

export type StartResult =
  /** `joined`: a session already does this work. */
  | { readonly kind: 'started' | 'joined'; readonly session: string }
  /** Nothing was left to do: the findings are empty, were fixed within the hour, or may not be tried (`skipped`). */
  | { readonly kind: 'done'; readonly result: FixSessionResult }
  /** Nothing was changed. */
  | Refusal

/**
 * Sessions are named by their id, or the beginning of it. Messages get the workflow's answer: `taken`, `repeated`,
 * `refused` with the reason, `sent` if no worker answered in time, or `ended`.
 */
export interface Fixwright {
  /** Starts fixing findings, or joins the session that already does so. The session goes on without this script. */
  start(request: StartRequest): Promise<StartResult>
  /** Starts a review of a change, or joins the one that is at it. */
  review(request: ReviewRequest): Promise<StartResult>
  /** Starts a review and the fixing of what it confirms, or joins the session that is at it. */
  reviewFix(request: ReviewRequest): Promise<StartResult>
  /** Starts two votes on a change, or joins the session that collects them. */
  reviewPr(request: VotesRequest): Promise<StartResult>
  /** Shows what `start` would do: the plan, the first prompt of each agent, the commands. Nothing is started, asked, run or changed. */
  dryRun(request: StartRequest): Promise<DryRun>
  /** Waits until a session has ended; with `forPeople` also until it waits for a person. Keeps an instance alive. */
  wait(session: string, options?: WaitOptions): Promise<SessionState>
  /** Answers open questions by their ids; `skip` goes on without the remaining answers. */
  answer(session: string, message: UnsignedMessage<'answerClarification'>): Promise<MessageResult>
  /** Approves the plan, edits it (the plan is then shown again), or rejects it with a reason. */
  decidePlan(session: string, message: UnsignedMessage<'decidePlan'>): Promise<MessageResult>
  /** Lets changes outside the scope pass, all or by path, or rejects them. */
  decideScope(session: string, message: UnsignedMessage<'decideScope'>): Promise<MessageResult>
  /** Stops a session for good: commits stay. */
  cancel(session: string, reason?: string): Promise<MessageResult>
  /** Lets the step under way end, and begins no other before the session is resumed. */
  pause(session: string, reason?: string): Promise<MessageResult>
  resume(session: string): Promise<MessageResult>
  /** Yields a session's events as they come, from the first (or after this number) to its end. Starts nothing. */
  watch(
    session: string,
    options?: { readonly after?: number; readonly signal?: AbortSignal },
  ): AsyncGenerator<SessionEvent>
  /** The current state of a session: wait, open questions, plan, files outside the scope, issues. Starts nothing. */
  status(session: string): Promise<SessionState>
  /** The result of a session that has ended; undefined before. */
  result(session: string): Promise<FixSessionResult | undefined>
  /** The report of a session, so far or in the end. */
  report(session: string, format: ReportFormat): Promise<string>
  /** Releases everything. Running sessions go on in the background. */
  close(): Promise<void>
}

/** Opens a home of Fixwright. Starts nothing yet. */
export async function openFixwright(options: OpenOptions = {}): Promise<Fixwright> {
  const { home, address, by, from, onProgress, env = process.env } = options
  const app = await openApp({
    env: { ...env, ...(home === undefined ? {} : { FIXWRIGHT_HOME: home }) },
    flags: address === undefined ? {} : { 'temporal.address': address },
    by,
    from,
    onProgress,
  })
  let isClosed = false

  function withFlags<Request extends Pick<StartRequest, 'settings'>>({ settings, ...request }: Request) {
    return { ...request, flags: { ...app.flags, ...settings } }
  }

  function toStartInput(request: Omit<StartRequest, 'force'>): StartInput {
    return { allowDirty: false, ...withFlags(request) }
  }

  async function send<Name extends MessageName>(
    typed: string,
    name: Name,
    message: UnsignedMessage<Name>,
  ): Promise<MessageResult> {
    return await sendToSession(app, await findSession(app, typed), name, message)
  }

  return {
    start: async ({ force, ...request }) =>
      toStartResult(await startOrJoinSession(app, toStartInput(request), { force })),
    review: async (request) => toStartResult(await startOrJoinReview(app, withFlags(request))),
    reviewFix: async (request) => toStartResult(await startOrJoinReview(app, { ...withFlags(request), fixes: true })),
    reviewPr: async (request) => toStartResult(await startOrJoinVotes(app, withFlags(request))),
    async dryRun({ force: _, ...request }) {
      const { dryRun } = await import('./dry-run/dry-run.ts')
      return await dryRun(toStartInput(request), app.env)
    },
    wait: async (typed, wanted = {}) => await waitForSession(app, await findSession(app, typed), wanted),
    async *watch(typed, wanted = {}) {
      const { session_id } = await findSession(app, typed)
      yield* watchEvents(app, session_id, wanted)
    },
    status: async (typed) => await loadSessionState(app, await findSession(app, typed)),
    result: async (typed) => (await findSession(app, typed)).result,
    async report(typed, format) {
      const [{ renderSessionReport }, { openHomeArtifacts }] = await Promise.all([
        import('./report/render-session-report.ts'),
        import('./open-artifacts.ts'),
      ])
      // Opened once for the home, and here by the environment that was given.
      openHomeArtifacts(app)
      return (await renderSessionReport(app, await findSession(app, typed), format)).text
    },
    answer: (typed, message) => send(typed, 'answerClarification', message),
    decidePlan: (typed, message) => send(typed, 'decidePlan', message),
    decideScope: (typed, message) => send(typed, 'decideScope', message),
    cancel: (typed, reason) => send(typed, 'cancel', reason === undefined ? {} : { reason }),
    pause: (typed, reason) => send(typed, 'pause', reason === undefined ? {} : { reason }),
    resume: (typed) => send(typed, 'resume', {}),
    async close() {
      if (isClosed) return
      isClosed = true
      await app.close()
    },
  }
}

function toStartResult(begun: StartOutcome): StartResult {
  if (begun.kind === 'blocked') throw new FixwrightError(begun.code, begun.reason)
  if (begun.kind === 'refused' || begun.kind === 'done') return begun
  return { kind: begun.kind, session: begun.sessionId }
}

interface WaitOptions {
  readonly forPeople?: boolean
  readonly signal?: AbortSignal
}

async function waitForSession(
  app: AppContext,
  session: SessionRecord,
  { forPeople = false, signal }: WaitOptions,
): Promise<SessionState> {
  const isOver = (now: SessionRecord) => now.ended_at !== undefined || (forPeople && isWaitingForPerson(now))
  if (isOver(session)) return await loadSessionState(app, session)
  const settings = await loadSessionSettings(app, session)
  const kept = await keepInstanceAlive(app, { workflowId: session.workflow_id, settings })
  const until = signal === undefined ? kept.hopeless : AbortSignal.any([signal, kept.hopeless])
  try {
    for await (const now of watchSession(app, session.session_id, until)) {
      if (isOver(now)) return await loadSessionState(app, now)
    }
    kept.hopeless.throwIfAborted()
    throw signal?.aborted
      ? signal.reason
      : new FixwrightError('session_not_found', `session ${session.session_id} is gone`)
  } finally {
    kept.stop()
  }
}
