// The summary that test runners, compilers and linters print at their end, as one value for a command's whole output. It is read beside
// the exit status: "1,399 of 1,400 passed" and "nothing compiles" have the same status.
import { z } from 'zod'
import { joinList } from '../../text/join-list.ts'

/** In ascending order of how far a run came. */
export const RunState = z.enum(['could_not_start', 'build_failed', 'nothing_collected', 'ran'])
export type RunState = z.infer<typeof RunState>

const TestCount = z.number().int().nonnegative()

export const RunnerSummary = z.object({
  runner: z.string(),
  state: RunState,
  passed: TestCount,
  failed: TestCount,
  /** Tests and files that could not run, or what a compiler or linter calls an error. */
  errors: TestCount,
  skipped: TestCount,
  /** Failed test files, packages or targets, and for linters files that can't be parsed. */
  failedFiles: TestCount,
  /** Names of failed tests, as far as they are printed and there is room. */
  failing: z.array(z.string()).readonly(),
})
export type RunnerSummary = z.infer<typeof RunnerSummary>

export const OutputSummary = z.object({
  /** The state of the runner that came farthest. */
  state: RunState,
  runners: z.array(RunnerSummary).readonly(),
  /** The line that says why the command could not start. */
  reason: z.string().optional(),
})
export type OutputSummary = z.infer<typeof OutputSummary>

export function compareStates(a: RunState, b: RunState): number {
  return RunState.options.indexOf(a) - RunState.options.indexOf(b)
}

const STATE_TEXT: Readonly<Record<RunState, string>> = {
  could_not_start: 'the command could not start',
  build_failed: 'the build failed',
  nothing_collected: 'no tests were found',
  ran: 'nothing was counted',
}

/** For messages: "1399 of 1400 passed, 1 failed". */
export function describeSummary({ state, runners, reason }: OutputSummary): string {
  if (state === 'could_not_start' && reason !== undefined) return `${STATE_TEXT[state]}: ${reason}`
  const texts = runners.map(describeRunner)
  return texts.length === 1
    ? (texts[0] as string)
    : joinList(
        texts.map((text, at) => `${runners[at]?.runner}: ${text}`),
        '; ',
      )
}

function describeRunner({ state, passed, failed, errors, skipped }: RunnerSummary): string {
  const total = passed + failed + errors + skipped
  const counts = [
    passed > 0 ? `${passed} of ${total} passed` : '',
    failed > 0 ? `${failed} failed` : '',
    errors > 0 ? `${errors} error(s)` : '',
    skipped > 0 ? `${skipped} skipped` : '',
  ].filter(Boolean)
  if (state !== 'ran') counts.unshift(STATE_TEXT[state])
  return counts.join(', ') || STATE_TEXT[state]
}
