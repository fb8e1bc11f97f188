// Shows that a session is alive: on a terminal the last lines, redrawn twice a second; elsewhere a line every half a minute.
import type { ProgressReader, ProgressReport } from '../../app/session/session-progress.ts'
import { isPromptOpen, keepFooter, paint, printNotice } from './console.ts'
import { describeLanes, describeProgress, formatLiveBlock } from './describe-progress.ts'
import { hasUtf8, toLocaleText } from './locale.ts'

const REDRAW_MS = 500
const PRINT_EVERY_MS = 30_000
const FRAMES = hasUtf8(process.env) ? ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧'] : ['-', '\\', '|', '/']
const UNKNOWN_COLUMNS = 80
const UNKNOWN_ROWS = 24
const ESCAPE = '\u001b'
const ERASE_LINE = `\r${ESCAPE}[2K`
const LINE_UP = `${ESCAPE}[1A`
/** The log above keeps the rest. */
const LARGEST_PART_OF_ROWS = 2

export function showProgress(reader: ProgressReader): { stop(): void } {
  return process.stderr.isTTY ? drawLiveLine(reader) : printNowAndThen(reader)
}

function drawLiveLine(reader: ProgressReader): { stop(): void } {
  const { stderr } = process
  let progress: ProgressReport | undefined
  let isReading = false
  let frame = 0
  let drawn = 0
  const erase = (): string => {
    const above = Math.max(drawn - 1, 0)
    drawn = 0
    return ERASE_LINE + `${LINE_UP}${ERASE_LINE}`.repeat(above)
  }
  const clear = (): void => void stderr.write(erase())
  const draw = (): void => {
    if (progress === undefined || isPromptOpen()) return
    const mark = FRAMES[frame % FRAMES.length] ?? ''
    // A line that fills the last column would be broken by some terminals.
    const columns = (stderr.columns || UNKNOWN_COLUMNS) - 3
    const rows = Math.floor((stderr.rows || UNKNOWN_ROWS) / LARGEST_PART_OF_ROWS)
    const [first = '', ...more] = formatLiveBlock(progress, { columns, rows }).map((line) => paint('dim', line))
    const erasing = erase()
    drawn = 1 + more.length
    const lines = [`${paint('cyan', mark)} ${first}`, ...more.map((line) => `  ${line}`)]
    stderr.write(toLocaleText(erasing + lines.join('\n')))
  }
  const read = async (): Promise<void> => {
    if (isReading) return
    isReading = true
    // What is shown stays, if the store can't be read for a moment.
    progress = await reader.refresh().catch(() => progress)
    isReading = false
  }
  const timer = setInterval(() => {
    frame += 1
    if (frame % 2 === 0) void read()
    draw()
  }, REDRAW_MS)
  const end = keepFooter('live', { clear, draw })
  return {
    stop: () => {
      clearInterval(timer)
      end()
      if (progress !== undefined && !isPromptOpen()) clear()
    },
  }
}

function printNowAndThen(reader: ProgressReader): { stop(): void } {
  const timer = setInterval(async () => {
    const progress = await reader.refresh().catch(() => undefined)
    if (progress !== undefined)
      for (const line of [describeProgress(progress), ...describeLanes(progress)]) printNotice(`… ${line}`)
  }, PRINT_EVERY_MS)
  return { stop: () => clearInterval(timer) }
}
