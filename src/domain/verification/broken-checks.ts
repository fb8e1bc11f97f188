// Finds the commands that can't run on the untouched base at all: they check nothing, and nothing is paid for before a person knows.
import type { ErrorCode } from '../errors/error-codes.ts'
import { joinList } from '../text/join-list.ts'
import { shellQuote } from '../text/shell-quote.ts'
import { truncateText } from '../text/truncate.ts'
import type { VerificationRun } from './gate-record.ts'

/** In the list of commands whose being broken is accepted: every one. */
const ALL = 'all'

export interface BrokenCheck {
  readonly command: string
  readonly reason: string
}

/** Why the session ends before its first fix. */
export interface StartRefusal {
  readonly code: ErrorCode
  readonly detail: string
}

export function listBrokenChecks(runs: readonly VerificationRun[]): BrokenCheck[] {
  return runs.flatMap(({ command, outcome, summary, tests }) =>
    summary?.state === 'could_not_start' && !tests ? [{ command, reason: summary.reason ?? outcome }] : [],
  )
}

export function isIgnored({ command }: Pick<BrokenCheck, 'command'>, ignored: readonly string[]): boolean {
  return ignored.some((each) => each === ALL || each.trim() === command.trim())
}

/** Undefined if every command that can't run is ignored. */
export function refuseBrokenChecks(
  broken: readonly BrokenCheck[],
  ignored: readonly string[],
): StartRefusal | undefined {
  const [first, ...others] = broken.filter((check) => !isIgnored(check, ignored))
  if (!first) return undefined
  const flags = [first, ...others].map(({ command }) => `--ignore-broken-checks ${shellQuote(command)}`)
  const detail = [
    `${describeBrokenChecks([first, ...others])}: nothing was paid for, and nothing changed.`,
    'Is it written right, and does the clone need a setup first (--setup "npm ci")?',
    `To begin without what it would say: ${flags.join(' ')}`,
  ]
  return { code: 'check_cannot_start', detail: detail.join(' ') }
}

export function describeBrokenChecks(broken: readonly BrokenCheck[]): string {
  const texts = broken.map(({ command, reason }) => `"${command}" (${truncateText(reason, 160)})`)
  return `${joinList(texts)} can't run on the untouched base`
}
