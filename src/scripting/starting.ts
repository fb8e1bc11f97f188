// From an order to a session: everything is looked at before anything is written, then the session is started, or the one that does
// this work already is joined, or its answer of a moment ago is given again.
import { setTimeout as delay } from 'node:timers/promises'
import type { StartOptions } from '../client/sessions.ts'
import type { Finding } from '../domain/findings.ts'
import type { FixSessionResult, SessionRecord } from '../domain/session.ts'
import type { Settings } from '../domain/settings.ts'
import { missingCommands } from '../runtime/commands.ts'
import type { Environment, Home } from '../runtime/home.ts'
import { type Order, prepareSession, stillHolds } from '../runtime/prepare.ts'
import type { NewSession } from '../store/sessions.ts'
import type { Store } from '../store/store.ts'
import type { Connected } from './reaching.ts'

/** A finished, fully successful session answers for the same work for so long. */
const SAME_ANSWER_MS = 3_600_000
/** Between the last event of a session and the end of its workflow. */
const ENDING_MS = 15_000

export interface Beginning {
  readonly home: Home
  readonly store: Store
  readonly env: Environment
  /** Called when all that was given is right. */
  readonly connect: (settings: Settings) => Promise<Connected>
  readonly say: (text: string) => void
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

export async function beginSession(order: Order, beginning: Beginning): Promise<Begun> {
  const { home, store, env, connect, say } = beginning
  const prepared = await prepareSession(order, home, env, store)
  if (prepared.kind === 'refused') return prepared
  const { session, findings, settings } = prepared
  const answered = await recentAnswer(store, session)
  if (answered) {
    say(`this work is done: session ${answered.session_id} finished it less than an hour ago`)
    return { kind: 'done', result: answered }
  }
  if (findings.length === 0) {
    say('nothing to do: the list of findings is empty')
    return { kind: 'done', result: emptyResult(session) }
  }
  const missing = await missingCommands(settings, env)
  if (missing.length > 0) return { kind: 'stuck', reason: missing.join('\n  ') }
  const connected = await connect(settings)
  try {
    await store.issues.upsert(session.repository, session.task_id, findings)
    await store.sessions.create(session)
    const begun = await startOrJoin(connected, store, { session, findings, say })
    if (begun.kind === 'stuck') connected.leave()
    return begun.kind === 'stuck' ? begun : { ...begun, settings, connected }
  } catch (error) {
    connected.leave()
    throw error
  }
}

/** Nothing is started for it, so no session of that id is kept. */
function emptyResult({ session_id, repository, task_id }: NewSession): FixSessionResult {
  return {
    session_id,
    repository_id: repository,
    task_id,
    branch_name: null,
    status: 'skipped',
    issues_requested: 0,
    issues_fixed: 0,
    issues_failed: 0,
    issues_skipped: 0,
    results: [],
    commits: [],
    cost_usd: 0,
    duration_ms: 0,
  }
}

async function recentAnswer(store: Store, session: Asked & { key: string }): Promise<FixSessionResult | undefined> {
  const earlier = await store.sessions.latestByKey(session.key)
  if (earlier?.status !== 'completed' || !earlier.result || !earlier.ended_at) return undefined
  if (Date.now() - Date.parse(earlier.ended_at) > SAME_ANSWER_MS) return undefined
  const same = differences(earlier, session).length === 0 && (await stillHolds(earlier))
  return same ? earlier.result : undefined
}

interface Work {
  readonly session: NewSession
  readonly findings: readonly Finding[]
  readonly say: (text: string) => void
}

type Running = { readonly kind: 'started' | 'joined'; readonly sessionId: string }
type Stuck = { readonly kind: 'stuck'; readonly reason: string }

async function startOrJoin(
  { client, joined, reconcile }: Connected,
  store: Store,
  { session, findings, say }: Work,
): Promise<Running | Stuck> {
  await reconcile()
  const started = await startUnlessAtWork(client, store, {
    sessionId: session.session_id,
    workflowId: session.workflow_id,
    taskQueue: joined.taskQueue,
    repository: session.repository,
    attributes: joined.attributes,
    summary: `fix ${findings.length} issue(s) in ${session.repository}`,
    details: [
      '| issue | severity | file | title |',
      '|---|---|---|---|',
      ...findings.map(
        ({ issue_code, severity, file, title }) => `| ${[issue_code, severity, file, title].map(cell).join(' | ')} |`,
      ),
    ].join('\n'),
  })
  if (started.kind === 'stuck') return started
  if (started.kind === 'started') {
    await store.sessions.update(session.session_id, { run_id: started.runId })
    return { kind: 'started', sessionId: session.session_id }
  }
  await store.sessions.discard(session.session_id)
  say(`this work is being done already: joining session ${started.sessionId}`)
  const joining = {
    key: `joined/${session.session_id}`,
    type: 'fix_session_joined',
    message: 'joined by another start',
  } as const
  await store.events.append(started.sessionId, [joining])
  const other = differences(started.running, session)
  if (other.length > 0) say(`that session goes by its own options; yours differ in ${other.join(', ')}`)
  return { kind: 'joined', sessionId: started.sessionId }
}

/** A session that has just ended holds its workflow for a moment longer: it is waited for, not joined. */
async function startUnlessAtWork(client: Connected['client'], store: Store, options: StartOptions) {
  const { startSession } = await import('../client/sessions.ts')
  const giveUpAt = performance.now() + ENDING_MS
  for (;;) {
    const started = await startSession(client, options)
    if (started.kind === 'started') return started
    const running = await store.sessions.get(started.sessionId)
    if (running && running.ended_at === undefined) return { ...started, running }
    if (performance.now() > giveUpAt) {
      const where = running
        ? 'has ended, but its workflow has not'
        : 'of another FIXWRIGHT_HOME on the same cluster is at this work'
      const reason = `session ${started.sessionId} ${where}: look at its workflow ${options.workflowId}`
      return { kind: 'stuck', reason } as const
    }
    await delay(50)
  }
}

function cell(text: string): string {
  return text.replaceAll('|', '/').replaceAll('\n', ' ').slice(0, 120)
}

type Asked = Pick<SessionRecord, 'settings' | 'user_notes' | 'options'>

/** Which options of a session are not those of this start. */
function differences(earlier: Asked, now: Asked): string[] {
  const [before, asked] = [optionsOf(earlier), optionsOf(now)]
  return Object.keys(asked).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(asked[name]))
}

function optionsOf({ settings, user_notes = '', options }: Asked): Record<string, unknown> {
  return { ...settings, notes: user_notes, base: options.base_asked, 'the text of the findings': options.findings }
}
