// Lists people's decisions in a session: who, when, from where, and in what words.
import type { SessionEvent } from '../../domain/session/events/index.ts'
import type { PersonDecision } from './report-model.ts'

export function listDecisions(events: readonly SessionEvent[]): PersonDecision[] {
  const questions = new Map(
    events.flatMap(({ type, data }) =>
      type === 'fix_clarification_needed' ? [[data.id, data.question] as const] : [],
    ),
  )
  return events.flatMap((event) => toDecision(event, questions) ?? [])
}

function toDecision(event: SessionEvent, questions: ReadonlyMap<string, string>): PersonDecision | undefined {
  const { message, issue_code } = event
  const issue_codes = issue_code === undefined ? [] : [issue_code]
  switch (event.type) {
    case 'fix_clarification_received': {
      const { data } = event
      const question = 'answer' in data ? questions.get(data.id) : undefined
      const text = 'answer' in data ? [question, data.answer].filter(Boolean).join(' – ') : formatEnd(data)
      return { kind: 'answer', at: data.at, by: data.by, from: data.from, text, issue_codes }
    }
    case 'fix_plan_decided': {
      const { by, from, at } = event.data
      return { kind: 'plan', at, by, from, text: formatEnd(event.data), issue_codes }
    }
    case 'fix_scope_decided': {
      const { by, from, at, codes } = event.data
      return { kind: 'scope', at, by, from, text: message, issue_codes: codes }
    }
    case 'fix_session_cancelled': {
      const { by, from = '', at = event.timestamp } = event.data
      return by === undefined ? undefined : { kind: 'cancel', at, by, from, text: message, issue_codes }
    }
    default:
      return undefined
  }
}

function formatEnd({ how, reason }: { readonly how: string; readonly reason?: string | undefined }): string {
  return [how, reason].filter(Boolean).join(': ')
}
