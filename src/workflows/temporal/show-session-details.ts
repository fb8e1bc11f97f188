// Shows the state of a fix session as the details that the Temporal UI renders.

import { setCurrentDetails } from '@temporalio/workflow'
import { listStageCodes } from '../../domain/plan/plan.ts'
import { renderMarkdownTable } from '../../domain/text/markdown-table.ts'
import { truncateText } from '../../domain/text/truncate.ts'
import type { IssueOutcome, OpenedSession, SessionView, WaitState } from '../../domain/workflow-types/index.ts'

export interface MutableView {
  phase: string
  stage: number
  waiting?: WaitState | undefined
  /** A step that fails and is tried again, until the next step begins. */
  trouble?: string | undefined
}

export function showDetails(view: SessionView, opened: OpenedSession | undefined, trouble?: string): void {
  const codes = opened?.stages.flatMap(listStageCodes) ?? []
  const lines = [
    `**${view.phase}**${opened ? ` · stage ${Math.min(view.stage, opened.stages.length)} of ${opened.stages.length}` : ''}`,
    ...(view.waiting ? formatWaiting(view.waiting) : []),
    ...(trouble === undefined ? [] : [`**Trouble**: ${trouble}`]),
    ...(opened?.branch ? [`Branch \`${opened.branch}\` in \`${opened.repository}\``] : []),
    '',
    renderMarkdownTable(
      ['issue', 'state', 'score', 'iterations', 'commit'],
      codes.map((code) => toRow(code, view.outcomes[code])),
    ),
  ]
  setCurrentDetails(lines.join('\n'))
}

function formatWaiting({ for: what, since, until, answer }: WaitState): string[] {
  const when = `since ${formatMinute(since)}${until === undefined ? '' : `, until ${formatMinute(until)}`}`
  return [`Waits ${when} for ${what}`, ...(answer ? [`Answer with \`${answer}\``] : [])]
}

function formatMinute(time: number): string {
  return `${new Date(time).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

function toRow(code: string, outcome: IssueOutcome | undefined): readonly (string | number | undefined)[] {
  if (!outcome) return [code, 'in work or to come', '', '', '']
  const { status, reason, score, iterations, commit } = outcome
  const state = reason ? `${status}: ${truncateText(reason, 120)}` : status
  return [code, state, score, iterations, commit?.slice(0, 10)]
}
