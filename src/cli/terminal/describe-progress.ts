// Describes what a running session does: in a line of a terminal, with a line more for each lane, and in sentences for `status` and for logs.
import { formatDollars, measureWidth, truncatePath, truncateToColumns } from '../../app/format-values.ts'
import type { IssueCounts, LaneProgress, ProgressReport } from '../../app/session/session-progress.ts'
import { sanitizeLine } from './sanitize.ts'

const SEPARATOR = ' · '
/** Below this, a tool says less than what it would take the room of. */
const LEAST_TOOL_COLUMNS = 16

/** One line, and of several lanes one more for each, of at most as many rows. */
export function formatLiveBlock(
  progress: ProgressReport,
  { columns, rows, now = Date.now() }: { readonly columns: number; readonly rows: number; readonly now?: number },
): string[] {
  const { lanes, issues } = progress
  if (lanes.length === 0) return [formatLiveLine(progress, columns, now)]
  const whole = [`${countDone(issues)}/${issues.total} issues`, ...formatLanding(progress), ...formatSpending(progress)]
  const room = Math.max(rows - 1, 1)
  const shown = lanes.slice(0, lanes.length > room ? room - 1 : room)
  const left = lanes.length - shown.length
  return [
    whole.join(SEPARATOR),
    ...shown.map((lane) => formatLaneLine(lane, columns, now)),
    ...(left > 0 ? [`and ${left} more lanes`] : []),
  ].map((line) => truncateToColumns(sanitizeLine(line), columns))
}

function formatLaneLine(lane: LaneProgress, columns: number, now: number): string {
  const { lane: number, batch, attempt, codes } = lane
  const about = [
    `lane ${number}`,
    `batch ${batch.number}/${batch.of}`,
    listCodes(codes),
    ...(attempt > 1 ? [`attempt ${attempt}`] : []),
    `${lane.agent ?? lane.doing} ${formatSeconds(lane.since, now)}`,
  ].map(sanitizeLine)
  const head = about.join(SEPARATOR)
  const tool = fitTool(lane, columns - measureWidth(head) - SEPARATOR.length)
  return tool ? `${head}${SEPARATOR}${tool}` : head
}

/** One sentence for each lane. */
export function describeLanes({ lanes }: ProgressReport, now = Date.now()): string[] {
  return lanes.map(({ lane, batch, attempt, codes, agent, doing, since, last_tool }) =>
    [
      `lane ${lane}: batch ${batch.number} of ${batch.of}`,
      `${agent ?? doing} on ${listCodes(codes)} for ${formatSeconds(since, now)}`,
      `attempt ${attempt}`,
      ...(last_tool === null ? [] : [`last: ${last_tool}`]),
    ]
      .map(sanitizeLine)
      .join(SEPARATOR),
  )
}

/** What has passed and waits for its turn on the branch, in the plan's order. */
export function describeLanding({ lanes }: ProgressReport): string | undefined {
  const waiting = lanes.filter(({ lands }) => lands).toSorted((one, other) => one.batch.number - other.batch.number)
  if (waiting.length === 0) return undefined
  return waiting.map(({ batch, codes }) => sanitizeLine(`batch ${batch.number} (${listCodes(codes)})`)).join(', ')
}

function formatLanding({ lanes }: ProgressReport): string[] {
  const waiting = lanes.filter(({ lands }) => lands).length
  return waiting > 0 ? [`${waiting} to land`] : []
}

function listCodes(codes: readonly string[]): string {
  return `${codes.slice(0, 3).join(', ')}${codes.length > 3 ? ', …' : ''}`
}

function formatSpending(progress: ProgressReport): string[] {
  const { tokens } = progress
  return tokens > 0 ? [`${formatThousands(tokens)} tokens`, formatDollars(progress)] : []
}

/** Fits the line into the columns: what was spent goes first, then the tool's path is cut in its middle. */
export function formatLiveLine(progress: ProgressReport, columns: number, now = Date.now()): string {
  const { batch, issues } = progress
  const fixed = [
    ...(batch ? [`batch ${batch.number}/${batch.of}`] : []),
    `${countDone(issues)}/${issues.total} issues`,
    `${progress.agent ?? progress.doing} ${formatSeconds(progress.since, now)}`,
  ].map(sanitizeLine)
  const spent = formatSpending(progress).reverse()
  for (let shown = spent.length; shown >= 0; shown -= 1) {
    const rest = [...fixed, ...spent.slice(0, shown).reverse()]
    const room = columns - measureWidth(rest.join(SEPARATOR)) - SEPARATOR.length
    const tool = fitTool(progress, room)
    if (tool === undefined && shown > 0) continue
    const [head, tail] = [fixed.join(SEPARATOR), spent.slice(0, shown).reverse()]
    return truncateToColumns([head, ...(tool ? [tool] : []), ...tail].join(SEPARATOR), columns)
  }
  return truncateToColumns(fixed.join(SEPARATOR), columns)
}

export function describeProgress(progress: ProgressReport, now = Date.now()): string {
  const { batch, issues, agent, doing, codes, last_tool, lanes } = progress
  const about = codes.length === 0 ? '' : ` on ${listCodes(codes)}`
  const isAlone = lanes.length === 0
  return [
    ...(isAlone && batch ? [`batch ${batch.number} of ${batch.of}`] : []),
    `${countDone(issues)} of ${issues.total} issues done`,
    ...(isAlone ? [`${agent ?? doing}${about} for ${formatSeconds(progress.since, now)}`] : formatLanding(progress)),
    ...(isAlone && last_tool !== null ? [`last: ${last_tool}`] : []),
    ...formatSpending(progress),
  ]
    .map(sanitizeLine)
    .join(SEPARATOR)
}

export function describeIssueCounts({ in_work, judged, to_come }: IssueCounts): string {
  return `${in_work} in work, ${judged} fixed and not committed yet, ${to_come} to come`
}

/** Undefined if the name of its file, or enough of its command, does not fit. */
function fitTool(
  { last_tool, last_path }: Pick<ProgressReport, 'last_tool' | 'last_path'>,
  columns: number,
): string | undefined {
  if (last_tool === null) return ''
  const text = sanitizeLine(last_tool)
  if (measureWidth(text) <= columns) return text
  const path = last_path === null ? undefined : sanitizeLine(last_path)
  if (path === undefined || !text.endsWith(path)) {
    return columns < LEAST_TOOL_COLUMNS ? undefined : truncateToColumns(text, columns)
  }
  const tool = text.slice(0, -path.length)
  const name = path.slice(path.lastIndexOf('/') + 1)
  const fits = measureWidth(`${tool}…/${name}`) <= columns
  return fits ? tool + truncatePath(path, columns - measureWidth(tool)) : undefined
}

function countDone({ resolved, failed, skipped }: IssueCounts): number {
  return resolved + failed + skipped
}

function formatSeconds(since: string, now: number): string {
  const seconds = Math.max(0, Math.floor((now - Date.parse(since)) / 1000))
  if (seconds < 100) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  return minutes < 60 ? `${minutes} min ${seconds % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

function formatThousands(count: number): string {
  if (count < 1000) return `${Math.round(count)}`
  return count < 1_000_000 ? `${Math.round(count / 1000)}k` : `${(count / 1_000_000).toFixed(1)}M`
}
