// `fixwright watch-pr`: waits durably for the end of a pull request.

import { FixwrightError } from '../../../app/errors.ts'
import { listWatches, startPullWatch, stopWatch, type WatchStatus } from '../../../app/forge/watch-pulls.ts'
import { NOT_READY } from '../../exit-codes.ts'
import { withApp } from '../../session/with-app.ts'
import { print, printJson } from '../../terminal/console.ts'
import { sanitizeLine } from '../../terminal/sanitize.ts'
import { formatAge, formatTable } from '../../terminal/table.ts'

export interface WatchPrOptions {
  readonly list: boolean
  readonly stop: boolean
  readonly wait: boolean
  readonly repo: string
  readonly base?: string | undefined
  readonly json: boolean
  readonly flags: Readonly<Record<string, unknown>>
}

export async function runWatchPrCommand(
  typed: string | undefined,
  { list, stop, wait: waits, json, flags, ...options }: WatchPrOptions,
): Promise<number> {
  if (list === (typed !== undefined)) {
    throw new FixwrightError(
      'bad_input',
      'give a pull request (owner/name#12, the address of its page, or 12 in its folder), a session, or --list',
    )
  }
  return await withApp(
    async (app) => {
      if (typed === undefined) {
        const watches = await listWatches(app)
        if (json) printJson(watches)
        else print(watches.length === 0 ? 'nothing is watched' : formatTable(watches.map(toRow)))
        return 0
      }
      if (stop) {
        const name = await stopWatch(app, typed, options)
        if (json) printJson({ name, stopped: true })
        else print(sanitizeLine(`${name} is watched no more`))
        return 0
      }
      const status = await startPullWatch(app, typed, { ...options, waits })
      if (json) printJson(status)
      else print(sanitizeLine(describeWatch(status)))
      return status.trouble === undefined && status.summary?.end !== 'given_up' ? 0 : NOT_READY
    },
    { flags },
  )
}

function toRow({ name, state, branch, since, trouble }: WatchStatus): string[] {
  const waits = trouble === undefined ? 'waits for its merge' : `in trouble: ${trouble}`
  return [name, state ?? 'not seen yet', branch ?? '', since === undefined ? '' : formatAge(since), waits].map(
    sanitizeLine,
  )
}

function describeWatch({ name, state, summary, trouble }: WatchStatus): string {
  if (trouble !== undefined) return `${name} is watched, but it can't be seen: ${trouble}`
  if (summary === undefined)
    return state === undefined ? `${name} is watched no more` : `${name} is ${state}: it is watched until it is merged`
  const { end, issues, detail } = summary
  if (end === 'given_up') return `${name} could not be seen for too long: ${detail}`
  const lists = [
    ['merged', issues?.merged],
    ['open again', issues?.reopened],
    ['not known', issues?.unknown],
  ] as const
  const parts = lists.flatMap(([what, codes]) => (codes?.length ? `${what}: ${codes.join(', ')}` : []))
  return `${name} is ${end}${parts.length === 0 ? '' : `; ${parts.join('; ')}`}`
}
