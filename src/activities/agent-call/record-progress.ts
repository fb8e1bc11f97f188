// Writes an agent's progress to the event log as it comes. Text comes in whole lines, as many as the log has room for.
import type { Progress, ToolUse } from '../../agents/provider-contract.ts'
import { fixIssueStreaming, type StreamedLine } from '../../domain/session/events/agent-call-events.ts'
import { truncatePath } from '../../domain/text/display-width.ts'
import { toOneLine, truncateText } from '../../domain/text/truncate.ts'
import { findOpenKey } from '../../platform/masking/private-keys.ts'
import type { AgentCallId } from '../../store/agent-calls.ts'
import { appendEvents } from '../append-events.ts'
import { type ActivityContext, type Heartbeat, sessionFolder, workspaceFolder } from '../context.ts'
import { takeTextRoom } from './limit-text.ts'

/** Claude returns its structured answer through a tool of this name. */
const ANSWER_TOOL = 'StructuredOutput'
const MAX_LINE_CHARACTERS = 160
/** Agents write a paragraph in a line. One of so many characters fits into the log's room for a second in any script. */
const MAX_TEXT_CHARACTERS = 1_000
/** A line with which an answer in JSON begins, or the fence around it. */
const ANSWER_BEGINS = /^(?:```(?:json)?\s*$|(?:```(?:json)?\s*)?(?:\{|\[\s*(?:$|[[{"\]])))/

export function createProgressWriter(
  context: ActivityContext,
  call: AgentCallId,
  heartbeat: Heartbeat,
  provider = 'the provider',
) {
  let waits = 0
  const { session_id: sessionId, key, attempt } = call
  const folder = `${sessionFolder(context, sessionId)}/`
  const workspace = `${workspaceFolder(context, sessionId)}/`
  let number = 0
  let leftOut = 0
  /** The line that is not whole yet. */
  let begun = ''
  let writing: Promise<void> = Promise.resolve()
  let answering = false
  function write(progress: Progress): void {
    switch (progress.kind) {
      case 'started':
        break
      case 'used':
        meter(progress)
        break
      case 'text':
        writeText(progress)
        break
      default:
        endText()
        answering = false
        if (progress.kind === 'retry') waits += 1
        writeLine(progress)
    }
  }
  function writeText({ text, isPiece = false }: Progress & { kind: 'text' }): void {
    begun += text
    const end = isPiece ? findEndOfLines(begun) : begun.length
    if (end < 0) return
    writeLines(begun.slice(0, end))
    begun = begun.slice(end + 1)
  }
  function endText(): void {
    writeLines(begun)
    begun = ''
  }
  function writeLine(progress: Exclude<ShownProgress, { kind: 'text' }>): void {
    const shown = describeProgress(progress, provider, waits)
    if (shown === undefined) return
    const line = toRelativePaths(shown)
    showLatest(line)
    const path = progress.kind === 'tool' && progress.path ? toRelativePaths(progress.path) : undefined
    enqueue(async () => {
      const text = await maskAndCut(line)
      const named = path && truncatePath(await mask(path), MAX_LINE_CHARACTERS)
      await put([place({ kind: progress.kind, text, path: named })])
    })
  }
  function writeLines(text: string): void {
    const kept = text.split('\n').flatMap((line) => {
      // The machine-readable answer is for the parser: what follows its first line belongs to it.
      answering ||= ANSWER_BEGINS.test(line.trim())
      return answering || line.trim() === '' ? [] : [line.trimEnd()]
    })
    if (kept.length === 0) return
    const shown = toRelativePaths(kept.join('\n'))
    enqueue(async () => {
      // Masked before it is taken apart: a private key has many lines.
      const masked = await mask(shown)
      const [before, latest] = [shown, masked].map((each) => each.slice(each.lastIndexOf('\n') + 1))
      if (latest !== undefined && latest === before) showLatest(latest)
      const lines = masked.split('\n').map((line) => truncateText(line, MAX_TEXT_CHARACTERS))
      const fitting = lines.flatMap((line) => {
        if (!takeTextRoom(sessionId, line)) {
          leftOut += 1
          return []
        }
        return [place({ kind: 'text', text: line })]
      })
      await put(fitting)
    })
  }
  /** Temporal's history shows heartbeats as they are, so only lines without secrets go there. */
  function showLatest(line: string): void {
    if (context.masking.isClean(line)) heartbeat.reportProgress(truncateText(line, MAX_LINE_CHARACTERS))
  }
  /** The agent names files from the root on; people know them from the repository's. */
  function toRelativePaths(text: string): string {
    return stripTreePaths(text, workspace).replaceAll(folder, '')
  }
  /** Spending is recorded during the call: if this worker dies, nobody else knows it. */
  function meter({ usage, costUsd: cost_usd }: Progress & { kind: 'used' }): void {
    enqueue(async () => {
      await context.store.agentCalls.updateRunning(call, { tokens: { ...usage }, cost_usd })
    })
  }
  function enqueue(work: () => Promise<void>): void {
    writing = writing.then(work).catch(() => undefined)
  }
  async function mask(text: string): Promise<string> {
    return await context.masking.maskText(text)
  }
  /** The line is masked before it is cut: half of a secret would not be recognised. */
  async function maskAndCut(line: string): Promise<string> {
    return truncateText(await mask(line), MAX_LINE_CHARACTERS)
  }
  function place(line: Pick<StreamedLine, 'kind' | 'text' | 'path'>): StreamedLine {
    number += 1
    const left_out = leftOut > 0 ? leftOut : undefined
    leftOut = 0
    return { call: key, attempt, number, ...line, left_out }
  }
  async function put(lines: readonly StreamedLine[]): Promise<void> {
    if (lines.length > 0) await appendEvents(context, sessionId, lines.map(fixIssueStreaming))
  }
  return {
    write,
    flushed: () => {
      endText()
      return writing
    },
  }
}

/** Returns where the lines end that can be masked by themselves. The lines of a private key wait for its last one. */
function findEndOfLines(text: string): number {
  const end = text.lastIndexOf('\n')
  const key = end < 0 ? undefined : findOpenKey(text.slice(0, end))
  return key === undefined ? end : text.lastIndexOf('\n', key)
}

type ShownProgress = Extract<Progress, { kind: StreamedLine['kind'] }>

function describeProgress(
  progress: Exclude<ShownProgress, { kind: 'text' }>,
  provider: string,
  waits: number,
): string | undefined {
  switch (progress.kind) {
    case 'tool':
      return progress.name === ANSWER_TOOL ? undefined : describeToolUse(progress)
    case 'retry':
      return `${provider} made it wait: ${progress.detail}${describeNextTry(waits, progress.delayMs)}`
    case 'model_switched':
      return `${progress.to} instead of ${progress.from}: ${progress.because}`
  }
}

function describeNextTry(waits: number, delayMs: number | undefined): string {
  const next = delayMs === undefined ? '' : `, the next try in ${Math.ceil(delayMs / 1000)} s`
  return waits > 1 || next ? ` · wait ${waits}${next}` : ''
}

function describeToolUse({ name, path, detail }: ToolUse): string {
  const what = path ?? (detail && toOneLine(detail))
  return what ? `${name} ${what}` : name
}

/** Paths in a work tree as an agent knows them. */
function stripTreePaths(text: string, workspace: string): string {
  const [first = '', ...rest] = text.replaceAll(`${workspace}tree/`, '').split(`${workspace}lanes/`)
  return [first, ...rest.map((part) => part.replace(/^\d+\/tree\//, ''))].join('')
}
