// What people decided in a session: who, when, from where, and in what words.
import type { SessionEvent } from '../../domain/session/events.ts'
import type { PersonDecision } from './report-model.ts'

const DECISION_KINDS: Partial<Record<SessionEvent['type'], PersonDecision['kind']>> = {
  fix_clarification_received: 'answer',
  fix_plan_decided: 'plan',
  fix_scope_decided: 'scope',
  fix_session_cancelled: 'cancel',
}

export function listDecisions(events: readonly SessionEvent[]): PersonDecision[] {
  const questions = new Map(
    events.flatMap(({ type, data }) =>
      type === 'fix_clarification_needed' ? [[readText(data, 'id'), readText(data, 'question')] as const] : [],
    ),
  )
  return events.flatMap((event): PersonDecision[] => {
    const { type, data, message, timestamp, issue_code } = event
    const kind = DECISION_KINDS[type]
    const by = readText(data, 'by')
    if (kind === undefined || by === undefined) return []
    const [id, answer, how, reason] = ['id', 'answer', 'how', 'reason'].map((name) => readText(data, name))
    const question = questions.get(id)
    const decided = how === undefined ? message : [how, reason].filter(Boolean).join(': ')
    const words = answer === undefined ? decided : [question, answer].filter(Boolean).join(' – ')
    const codes = Array.isArray(data?.codes) ? data.codes.filter((code) => typeof code === 'string') : []
    const issue_codes = issue_code === undefined ? codes : [issue_code]
    return [
      { at: readText(data, 'at') ?? timestamp, kind, by, from: readText(data, 'from') ?? '', text: words, issue_codes },
    ]
  })
}

function readText(data: SessionEvent['data'], name: string): string | undefined {
  const value = data?.[name]
  return typeof value === 'string' ? value : undefined
}
