// Describes what a running session does: in one line of a terminal, and in a sentence for `status` and for logs.
import { formatDollars, measureWidth, truncatePath, truncateToColumns } from '../../app/format-values.ts'
import type { IssueCounts, ProgressReport } from '../../app/session/session-progress.ts'
import { sanitizeLine } from './sanitize.ts'

const SEPARATOR = ' · '
/** Below this, a tool says less than what it would take the room of. */
const LEAST_TOOL_COLUMNS = 16

/** Fits the line into the columns: what was spent goes first, then the tool's path is cut in its middle. */
export function formatLiveLine(progress: ProgressReport, columns: number, now = Date.now()): string {
  const { batch, issues } = progress
  const fixed = [
    ...(batch ? [`batch ${batch.number}/${batch.of}`] : []),
    `${countDone(issues)}/${issues.total} issues`,
    `${progress.agent ?? progress.doing} ${formatSeconds(progress.since, now)}`,
  ].map(sanitizeLine)
  const spent = progress.tokens > 0 ? [formatDollars(progress), `${formatThousands(progress.tokens)} tokens`] : []
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
  const { batch, issues, agent, doing, codes, last_tool, tokens } = progress
  const about = codes.length === 0 ? '' : ` on ${codes.slice(0, 3).join(', ')}${codes.length > 3 ? ', …' : ''}`
  return [
    ...(batch ? [`batch ${batch.number} of ${batch.of}`] : []),
    `${countDone(issues)} of ${issues.total} issues done`,
    `${agent ?? doing}${about} for ${formatSeconds(progress.since, now)}`,
    ...(last_tool === null ? [] : [`last: ${last_tool}`]),
    ...(tokens > 0 ? [`${formatThousands(tokens)} tokens`, formatDollars(progress)] : []),
  ]
    .map(sanitizeLine)
    .join(SEPARATOR)
}

export function describeIssueCounts({ in_work, judged, to_come }: IssueCounts): string {
  return `${in_work} in work, ${judged} fixed and not committed yet, ${to_come} to come`
}

/** Undefined if the name of its file, or enough of its command, does not fit. */
function fitTool({ last_tool, last_path }: ProgressReport, columns: number): string | undefined {
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
