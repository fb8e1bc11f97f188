// Describes how a process ended, tells whether someone else ended it, and builds the failed outcomes.
import { constants } from 'node:os'
import type { CallFailure } from '../../domain/session/failure.ts'
import type { RunResult } from '../../platform/processes/run-process.ts'
import type { ModelOutcome } from '../model-fallback.ts'
import { summarizeOnOneLine } from './classify-api-error.ts'

// People, service managers and the kernel's OOM killer send these. A program's own faults have other signals.
const EXTERNAL_SIGNALS: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGKILL']

export function wasKilledExternally(run: RunResult): boolean {
  const signal = findSignal(run)
  return signal !== undefined && EXTERNAL_SIGNALS.includes(signal)
}

export function describeExit(run: RunResult): string {
  const signal = findSignal(run)
  const end = signal === undefined ? `exit status ${run.exitCode}` : `${signal} (status ${run.exitCode ?? 'none'})`
  const complaint = summarizeOnOneLine(run.stderr)
  return complaint === '' ? end : `${end}; ${complaint}`
}

/** A CLI in a PID namespace reports a signal as 128 + number. */
function findSignal(run: RunResult): NodeJS.Signals | undefined {
  if (run.signal !== null) return run.signal
  const number = (run.exitCode ?? 0) - 128
  return EXTERNAL_SIGNALS.find((name) => constants.signals[name] === number)
}

export function unusableOutcome(reason: 'crash' | 'timeout' | 'unreadable' | 'empty', detail: string): ModelOutcome {
  return failedOutcome({ class: 'no_usable_work', reason, detail })
}

export function failedOutcome(failure: CallFailure, tryNextModel = false): ModelOutcome {
  return { outcome: { kind: 'failed', failure }, tryNextModel }
}

export function formatSeconds(ms: number): string {
  return `${Math.round(ms / 1_000)} s`
}
