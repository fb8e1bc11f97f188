// `fixwright up`: holds the instance of this home until Ctrl-C, and prints meanwhile what sessions do.
import type { AppContext } from '../../../app/context.ts'
import { type Farewell, holdInstance, type InstancePlace, leaveInstance } from '../../../app/instance/hold-instance.ts'
import { describeWaiting, hasEnded } from '../../../app/session/session-overview.ts'
import { watchSessions } from '../../../app/session/watch-session.ts'
import { loadOwnSettings } from '../../../app/settings/load-settings.ts'
import type { SessionRecord } from '../../../domain/session/session.ts'
import type { Settings } from '../../../domain/settings/schema.ts'
import type { Service } from '../../../server/start-service.ts'
import { withApp } from '../../session/with-app.ts'
import { formatClock, paint, print, printNotice } from '../../terminal/console.ts'
import { sanitizeLine } from '../../terminal/sanitize.ts'
import { formatTable } from '../../terminal/table.ts'

export async function runUpCommand(flags: Readonly<Record<string, unknown>>): Promise<number> {
  return withApp(
    async (app) => {
      const settings = await loadOwnSettings(app)
      const left = new AbortController()
      const leave = (): void => left.abort()
      let printing: Promise<void> | undefined
      let serving: Promise<Service | Error> | undefined
      const onPlace = (place: InstancePlace): void => {
        print(formatPlace(app, place))
        if (printing) return
        if (settings.server.enabled) serving = serve(app, settings, leave)
        printNotice(paint('dim', 'up until Ctrl-C'))
        process.on('SIGINT', leave)
        process.on('SIGTERM', leave)
        printing = printSessionChanges(app, left.signal)
      }
      const held = await holdInstance(app, { settings, signal: left.signal, onPlace })
      if (held.kind === 'held_elsewhere') {
        print(formatPlace(app, held.place))
        printNotice(`it is up already: process ${held.pid} holds it`)
        return 0
      }
      await printing
      const served = await serving
      if (served instanceof Error) throw served
      await served?.close()
      process.off('SIGINT', leave)
      process.off('SIGTERM', leave)
      printFarewell(await leaveInstance(app))
      return 0
    },
    { flags, lease: 'up' },
  )
}

/** Returns what went wrong: then `up` ends with it. */
async function serve(app: AppContext, settings: Settings, leave: () => void): Promise<Service | Error> {
  try {
    const { startService } = await import('../../../server/start-service.ts')
    const service = await startService(app, settings)
    const rows = [
      ['API', `${service.url}/api, described at ${service.url}/docs`],
      ...(service.metricsUrl === undefined ? [] : [['metrics', service.metricsUrl]]),
      ['sign in', `${service.createLoginUrl()} (once, within 5 minutes)`],
    ]
    print(formatTable(rows.map(([name = '', value = '']) => [paint('bold', name, process.stdout), value])))
    return service
  } catch (error) {
    leave()
    return error as Error
  }
}

function formatPlace(
  { home }: AppContext,
  { uiUrl, address, namespace, taskQueue, embedded, log }: InstancePlace,
): string {
  const rows = [
    ['Temporal UI', uiUrl === null ? 'your cluster has it' : `${uiUrl}/namespaces/${namespace}/workflows`],
    ['Temporal', `${address}, namespace ${namespace}${embedded ? '' : ' (your cluster)'}`],
    ['task queue', taskQueue],
    ['home', home.path],
    ['log', log],
  ]
  return formatTable(rows.map(([name = '', value = '']) => [paint('bold', name, process.stdout), value]))
}

/** Prints one line whenever a session starts, waits, goes on or ends. */
async function printSessionChanges(app: AppContext, left: AbortSignal): Promise<void> {
  const shown = new Map<string, string>()
  for await (const sessions of watchSessions(app, left)) {
    const isFirst = shown.size === 0
    for (const session of sessions) {
      const line = formatSessionLine(session)
      const before = shown.get(session.session_id)
      shown.set(session.session_id, line)
      if (line !== before && !(isFirst && hasEnded(session.status))) {
        printNotice(`${paint('dim', formatClock(session.updated_at))} ${line}`)
      }
    }
  }
}

function formatSessionLine(session: SessionRecord): string {
  const { session_id, status, waiting, repository, issues_requested, issues_fixed } = session
  if (hasEnded(status))
    return `■ ${session_id} ${status}: ${issues_fixed} of ${issues_requested} fixed in ${repository}`
  const answer = describeWaiting(session)?.answer
  if (waiting)
    return `⏳ ${session_id} waits: ${sanitizeLine(waiting.reason)}${answer === undefined ? '' : ` · ${answer}`}`
  return `▶ ${session_id} is at work on ${issues_requested} issue(s) in ${repository}`
}

function printFarewell(farewell: Farewell): void {
  for (const line of describeFarewell(farewell)) printNotice(line)
}

function describeFarewell(farewell: Farewell): string[] {
  switch (farewell.kind) {
    case 'at_work': {
      const [first] = farewell.sessions
      return [
        `still at work in the background: ${farewell.sessions.join(', ')}; the instance ends when they have`,
        `"fixwright watch ${first}" shows it, "fixwright cancel ${first}" ends it`,
      ]
    }
    case 'needed':
      return ['another command still needs the instance: it ends with the last of them']
    case 'ending':
      return [`the instance takes its time to end; its log: ${farewell.log}`]
    case 'down': {
      const waiting = farewell.sessions.join(', ')
      return [waiting === '' ? 'down' : `down; ${waiting} will wait in the store`]
    }
  }
}
