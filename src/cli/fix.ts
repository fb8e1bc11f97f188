// `fixwright fix`: checks everything first, joins or starts the instance, starts the session or joins the one that does this
// work already, and shows it to its end. The session does not need this process: killed, it leaves the session running.
import { setTimeout as delay } from 'node:timers/promises'
import type { StartOptions } from '../client/sessions.ts'
import type { FixSessionResult, SessionRecord } from '../domain/session.ts'
import { missingCommands } from '../runtime/commands.ts'
import { type Order, prepareSession, stillHolds } from '../runtime/prepare.ts'
import { openStore, type Store } from '../store/store.ts'
import { print, say } from './console.ts'
import { badInput, CANCELLED, CANNOT_GO_ON, Exit, statusOf, WAITS } from './exit.ts'
import type { Followed } from './follow.ts'
import { type Connected, connect, connectEarly, homeOf } from './instance.ts'
import { printResult } from './result.ts'
import { describeWait } from './show.ts'

/** A finished, fully successful session answers for the same work for so long. */
const SAME_ANSWER_MS = 3_600_000
/** Between the last event of a session and the end of its workflow. */
const ENDING_MS = 15_000

export interface FixOptions extends Order {
  readonly json: boolean
  /** Ends when the session waits for a person. */
  readonly noWait: boolean
}

export async function fix(options: FixOptions): Promise<number> {
  const home = homeOf()
  const store = await openStore(home.database)
  const preparing = prepareSession(options, home, process.env, store)
  // The client of Temporal takes as long to load as git takes to answer: both at once.
  const early = connectEarly(home)
  const loading = import('./follow.ts')
  try {
    const prepared = await preparing
    if (prepared.kind === 'refused') throw badInput(prepared.problems)
    const { session, findings, settings } = prepared
    const answered = await recentAnswer(store, session)
    if (answered) {
      say(`this work is done: session ${answered.session_id} finished it less than an hour ago`)
      return finish(answered, options)
    }

    if (findings.length === 0) {
      say('nothing to do: the list of findings is empty')
      return finish(emptyResult(session), options)
    }
    const missing = await missingCommands(settings, process.env)
    if (missing.length > 0) throw new Exit(CANNOT_GO_ON, missing.join('\n  '))
    const connected = await connect(home, settings, 'command', early)
    try {
      await store.issues.upsert(session.repository, session.task_id, findings)
      await store.sessions.create(session)
      const sessionId = await startOrJoin(connected, store, session, findings)
      const { followSession } = await loading
      const { noWait } = options
      return show(await followSession({ store, home, settings, connected, sessionId, noWait }), options)
    } finally {
      connected.leave()
    }
  } finally {
    early.drop()
    store.close()
  }
}

function show(followed: Followed, options: FixOptions): number {
  if (followed.kind === 'ended') return finish(followed.result, options)
  if (followed.kind === 'left') return CANCELLED
  const { state } = followed
  say(`session ${state.session_id} ${describeWait(state)}`)
  if (options.json) print(JSON.stringify(state, null, 2))
  return WAITS
}

function finish(result: FixSessionResult, { json }: FixOptions): number {
  printResult(result, json)
  return statusOf(result)
}

/** Nothing is started for it, so no session of that id is kept. */
function emptyResult({
  session_id,
  repository,
  task_id,
}: Pick<SessionRecord, 'session_id' | 'repository' | 'task_id'>): FixSessionResult {
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

async function recentAnswer(store: Store, session: Asked & { key: string }) {
  const earlier = await store.sessions.latestByKey(session.key)
  if (earlier?.status !== 'completed' || !earlier.result || !earlier.ended_at) return undefined
  if (Date.now() - Date.parse(earlier.ended_at) > SAME_ANSWER_MS) return undefined
  const same = differences(earlier, session).length === 0 && (await stillHolds(earlier))
  return same ? earlier.result : undefined
}

async function startOrJoin(
  { client, joined, reconcile }: Connected,
  store: Store,
  session: Parameters<Store['sessions']['create']>[0],
  findings: readonly {
    readonly issue_code: string
    readonly title: string
    readonly file: string
    readonly severity: string
  }[],
): Promise<string> {
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
  if (started.kind === 'started') {
    await store.sessions.update(session.session_id, { run_id: started.runId })
    return session.session_id
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
  return started.sessionId
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
      throw new Exit(CANNOT_GO_ON, `session ${started.sessionId} ${where}: look at its workflow ${options.workflowId}`)
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
