// How a process ended, in words, and whether someone else ended it; and the outcomes that follow from it. A CLI in a PID namespace reports a signal as 128 + number.
import { constants } from 'node:os'
import type { CallFailure } from '../../domain/session/failure.ts'
import type { RunResult } from '../../platform/processes/run-process.ts'
import type { Judged } from '../model-fallback.ts'
import { oneLine } from './refusals.ts'

// Sent by people, service managers and the kernel's memory killer; a program's own faults have other signals.
const FROM_OUTSIDE: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGKILL']

export function endedFromOutside(run: RunResult): boolean {
  const signal = signalOf(run)
  return signal !== undefined && FROM_OUTSIDE.includes(signal)
}

export function howItEnded(run: RunResult): string {
  const signal = signalOf(run)
  const end = signal === undefined ? `exit status ${run.exitCode}` : `${signal} (status ${run.exitCode ?? 'none'})`
  const said = oneLine(run.stderr)
  return said === '' ? end : `${end}; ${said}`
}

function signalOf(run: RunResult): NodeJS.Signals | undefined {
  if (run.signal !== null) return run.signal
  const number = (run.exitCode ?? 0) - 128
  return FROM_OUTSIDE.find((name) => constants.signals[name] === number)
}

export function unusable(reason: 'crash' | 'timeout' | 'unreadable' | 'empty', detail: string): Judged {
  return failed({ class: 'no_usable_work', reason, detail })
}

export function failed(failure: CallFailure, tryNextModel = false): Judged {
  return { outcome: { kind: 'failed', failure }, tryNextModel }
}

export function seconds(ms: number): string {
  return `${Math.round(ms / 1_000)} s`
}
