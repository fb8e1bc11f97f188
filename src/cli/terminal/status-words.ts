// Formats a session's status in a word or two, coloured for standard output.

import { isWaitingForPerson } from '../../app/session/session-overview.ts'
import type { SessionOverview } from '../../domain/session/session-state.ts'
import { paint } from './console.ts'

const WAITED_FOR = { clarification: 'an answer', plan: 'a decision on its plan', scope: 'a decision on its scope' }

export function formatStatus({ status, waiting }: Pick<SessionOverview, 'status' | 'waiting'>): string {
  return paint(statusStyle(status, waiting !== null), statusText(status, waiting), process.stdout)
}

/** In one word, for a column. */
export function formatShortStatus({ status, waiting }: Pick<SessionOverview, 'status' | 'waiting'>): string {
  const text =
    waiting === null
      ? status
      : isWaitingForPerson({ waiting })
        ? `asks: ${ASKED_FOR[waiting.kind]}`
        : `waits: ${waiting.kind}`
  return paint(statusStyle(status, waiting !== null), text, process.stdout)
}

const ASKED_FOR: Partial<Record<NonNullable<SessionOverview['waiting']>['kind'], string>> = {
  clarification: 'answer',
  plan: 'plan',
  scope: 'scope',
}

function statusText(status: SessionOverview['status'], waiting: SessionOverview['waiting']): string {
  if (waiting === null) return status
  if (waiting.kind === 'pause') return 'paused'
  if (!isWaitingForPerson({ waiting })) return `${status}, waiting`
  return `waits for ${WAITED_FOR[waiting.kind as keyof typeof WAITED_FOR]}`
}

function statusStyle(status: SessionOverview['status'], waiting: boolean): 'green' | 'red' | 'yellow' | 'cyan' | 'dim' {
  if (waiting) return 'yellow'
  switch (status) {
    case 'completed':
      return 'green'
    case 'failed':
      return 'red'
    case 'partial':
    case 'cancelled':
      return 'yellow'
    case 'skipped':
      return 'dim'
    default:
      return 'cyan'
  }
}
