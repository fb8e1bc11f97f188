// What a session shows of itself: the query `session`, the details that the Temporal UI renders, and search attributes.
import { defineSearchAttributeKey } from '@temporalio/common'
import { setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow'
import { codesOfStage } from '../../domain/plan/plan.ts'
import type { IssueOutcome, OpenedSession, SessionView, Waiting } from '../../domain/protocol/index.ts'

export interface MutableView {
  phase: string
  stage: number
  waiting?: Waiting | undefined
}

export function showDetails(view: SessionView, opened: OpenedSession | undefined): void {
  const codes = opened?.stages.flatMap(codesOfStage) ?? []
  const lines = [
    `**${view.phase}**${opened ? ` · stage ${Math.min(view.stage, opened.stages.length)} of ${opened.stages.length}` : ''}`,
    ...(view.waiting ? waitingLines(view.waiting) : []),
    ...(opened?.branch ? [`Branch \`${opened.branch}\` in \`${opened.repository}\``] : []),
    '',
    '| issue | state | score | iterations | commit |',
    '|---|---|---|---|---|',
    ...codes.map((code) => row(code, view.outcomes[code])),
  ]
  setCurrentDetails(lines.join('\n'))
}

function waitingLines({ for: what, since, until, answer }: Waiting): string[] {
  const when = `since ${minute(since)}${until === undefined ? '' : `, until ${minute(until)}`}`
  return [`Waits ${when} for ${what}`, ...(answer ? [`Answer with \`${answer}\``] : [])]
}

function minute(time: number): string {
  return `${new Date(time).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

function row(code: string, outcome: IssueOutcome | undefined): string {
  if (!outcome) return `| ${code} | in work or to come | | | |`
  const state = outcome.reason
    ? `${outcome.status}: ${outcome.reason.replaceAll('|', '/').slice(0, 120)}`
    : outcome.status
  return `| ${code} | ${state} | ${outcome.score ?? ''} | ${outcome.iterations} | ${outcome.commit?.slice(0, 10) ?? ''} |`
}

export function publish(known: readonly string[], values: Readonly<Record<string, string | number | null>>): void {
  const pairs = Object.entries(values)
    .filter(([name]) => known.includes(name))
    .map(([name, value]) =>
      typeof value === 'number'
        ? { key: defineSearchAttributeKey(name, 'INT'), value }
        : { key: defineSearchAttributeKey(name, 'KEYWORD'), value: value?.slice(0, 255) ?? null },
    )
  if (pairs.length > 0) upsertSearchAttributes(pairs)
}
