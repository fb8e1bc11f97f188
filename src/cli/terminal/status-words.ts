// The status of a session in a word or two, coloured for standard output.

import type { Overview } from '../../app/session-overview.ts'
import { waitsForPerson } from '../../domain/session/session.ts'
import { paint } from './console.ts'

const WAITS_FOR = { clarification: 'an answer', plan: 'a decision on its plan', scope: 'a decision on its scope' }

/** The status with what it waits for. */
export function statusWords({ status, waiting }: Pick<Overview, 'status' | 'waiting'>): string {
  return paint(styleOf(status, waiting !== null), textOf(status, waiting), process.stdout)
}

function textOf(status: Overview['status'], waiting: Overview['waiting']): string {
  if (waiting === null) return status
  if (!waitsForPerson({ waiting })) return `${status}, waiting`
  return `waits for ${WAITS_FOR[waiting.kind as keyof typeof WAITS_FOR]}`
}

function styleOf(status: Overview['status'], waiting: boolean): 'green' | 'red' | 'yellow' | 'cyan' | 'dim' {
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
