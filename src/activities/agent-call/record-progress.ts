// Writes an agent's progress to the event log as it comes. Text is thinned out, tool calls are not.
import type { Progress, ToolUse } from '../../agents/provider-contract.ts'
import { fixIssueStreaming, type StreamedLine } from '../../domain/session/events/agent-call-events.ts'
import { truncatePath } from '../../domain/text/display-width.ts'
import { toOneLine, truncateText } from '../../domain/text/truncate.ts'
import type { AgentCallId } from '../../store/agent-calls.ts'
import { appendEvents } from '../append-events.ts'
import { type ActivityContext, type Heartbeat, sessionFolder, workspaceFolder } from '../context.ts'

const TEXT_EVERY_MS = 2_000
/** Claude returns its structured answer through a tool of this name. */
const ANSWER_TOOL = 'StructuredOutput'
const MAX_LINE_CHARACTERS = 160
/** JSON, a piece that a stream cut out of it, or the fence around it. */
const JSON_FRAGMENT = /^[[\]{}"'`,:]|",$|[}\]],?$|"\s*:|```/

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
  let textReportedAt = Number.NEGATIVE_INFINITY
  let writing: Promise<void> = Promise.resolve()
  let answering = false
  function write(progress: Progress): void {
    if (progress.kind === 'started') return
    if (progress.kind === 'used') {
      meter(progress)
      return
    }
    // The machine-readable answer is for the parser. It comes in pieces, so everything after its start is skipped.
    answering = progress.kind === 'text' && (answering || JSON_FRAGMENT.test(progress.text.trim()))
    if (answering) return
    if (progress.kind === 'retry') waits += 1
    const shown = describeProgress(progress, provider, waits)
    if (shown === undefined) return
    const line = toRelativePaths(shown)
    // Temporal's history shows heartbeats as they are, so only lines without secrets go there.
    if (context.masking.isClean(line)) heartbeat.reportProgress(line)
    if (progress.kind === 'text' && performance.now() - textReportedAt < TEXT_EVERY_MS) return
    if (progress.kind === 'text') textReportedAt = performance.now()
    number += 1
    const [place, { kind }] = [number, progress]
    const path = progress.kind === 'tool' && progress.path ? toRelativePaths(progress.path) : undefined
    writing = writing.then(() => put(place, kind, line, path)).catch(() => undefined)
  }
  /** The agent names files from the root on; people know them from the repository's. */
  function toRelativePaths(text: string): string {
    return stripTreePaths(text, workspace).replaceAll(folder, '')
  }
  /** Spending is recorded during the call: if this worker dies, nobody else knows it. */
  function meter({ usage, costUsd: cost_usd }: Progress & { kind: 'used' }): void {
    writing = writing
      .then(async () => void (await context.store.agentCalls.updateRunning(call, { tokens: { ...usage }, cost_usd })))
      .catch(() => undefined)
  }
  /** The line is masked before it is cut: half of a secret would not be recognised. */
  async function put(place: number, kind: StreamedLine['kind'], line: string, named?: string): Promise<void> {
    const text = truncateText(await context.masking.maskText(line), MAX_LINE_CHARACTERS)
    const path = named && truncatePath(await context.masking.maskText(named), MAX_LINE_CHARACTERS)
    await appendEvents(context, sessionId, [fixIssueStreaming({ call: key, attempt, number: place, kind, text, path })])
  }
  return { write, flushed: () => writing }
}

function describeProgress(
  progress: Extract<Progress, { kind: StreamedLine['kind'] }>,
  provider: string,
  waits: number,
): string | undefined {
  switch (progress.kind) {
    case 'text':
      return progress.text.trim().split('\n').at(-1) || undefined
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
