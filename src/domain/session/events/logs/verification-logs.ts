// Log entries about the operator's commands on a tree, before they count against a fix.
import { z } from 'zod'
import { joinList } from '../../../text/join-list.ts'
import { type BrokenCheck, describeBrokenChecks } from '../../../verification/broken-checks.ts'
import type { OldTestsResult } from '../../../verification/gate-record.ts'
import { describeOldTestFailures } from '../../../verification/old-tests.ts'
import { joinLimited, limitLists, Texts, Unlisted } from '../limit-lists.ts'
import { defineLog } from './define-log.ts'

const SETUP_STARTED = defineLog(
  'setup_started',
  'note',
  z.object({
    call: z.string(),
    setup: Texts,
    /** The setup ran before; since then these files changed, and these that it made are gone. */
    again: z.literal(true).optional(),
    changed: Texts,
    gone: Texts,
    unlisted: Unlisted,
  }),
  ({ setup, again, changed, gone }) => {
    const why = [...changed.slice(0, 5), ...gone.slice(0, 5).map((path) => `${path} (gone)`)].join(', ')
    return `setting up${again ? ` again, for ${why}` : ''}: ${setup.join(' · ')}`
  },
)

const SETUP_DONE = defineLog(
  'setup_done',
  'note',
  z.object({ call: z.string(), seconds: z.number() }),
  ({ seconds }) => `set up in ${seconds.toFixed(1)} s`,
)

const SETUP_FAILED = defineLog(
  'setup_failed',
  'warning',
  z.object({ call: z.string(), command: z.string(), outcome: z.string() }),
  ({ command, outcome }) => `the setup failed: ${command}: ${outcome}`,
)

const CHECK_ENDED = defineLog(
  'check_ended',
  'note',
  z.object({ call: z.string(), command: z.string(), outcome: z.string(), number: z.number(), checks: z.number() }),
  ({ command, outcome, number, checks }) => `check ${number} of ${checks} · ${command}: ${outcome}`,
)

const BY_PRODUCTS_IGNORED = defineLog(
  'by_products_ignored',
  'note',
  z.object({ paths: Texts, unlisted: Unlisted }),
  ({ paths, unlisted }) => `made by the checks themselves, so never committed: ${joinLimited(paths, unlisted?.paths)}`,
)

const CHECKOUT_LEFT = defineLog(
  'checkout_left',
  'warning',
  z.object({ path: z.string(), reason: z.string() }),
  ({ path, reason }) =>
    `a fresh checkout could not be removed whole: the rest of it is ${path} (${reason}). It may hold files of another user, left by checks in a container (have it run as you: --user "$(id -u):$(id -g)"). The result stands, and the session says at its end how to remove what is left`,
)

const PROGRAM_MISSING = defineLog(
  'program_missing',
  'warning',
  z.object({ commands: Texts, reasons: Texts.optional() }),
  ({ commands, reasons = [] }) =>
    `${describeBrokenChecks(commands.map((command, at) => ({ command, reason: reasons[at] ?? '' })))}, and is ignored: it says nothing about any fix unless the fix itself makes it run`,
)

const OLD_TESTS_RUN = defineLog(
  'old_tests_run',
  'note',
  z.object({
    call: z.string(),
    /** The changed tests, and what runs them, that were put back as they were. */
    files: Texts,
    failures: Texts,
    /** Commands that turned green only with the changed tests. */
    unproven: Texts,
    unlisted: Unlisted,
  }),
  ({ files, failures, unproven, unlisted }) =>
    [
      files.length === 0 ? '' : `with ${joinLimited(files, unlisted?.files)} as before the fix: `,
      failures.length === 0 ? 'what held still holds' : failures.join('; '),
      unproven.length === 0 ? '' : ` (only the changed tests make ${joinList(unproven)} pass: that proves nothing)`,
    ].join(''),
)

export const VERIFICATION_LOGS = [
  SETUP_STARTED,
  SETUP_DONE,
  SETUP_FAILED,
  CHECK_ENDED,
  BY_PRODUCTS_IGNORED,
  CHECKOUT_LEFT,
  PROGRAM_MISSING,
  OLD_TESTS_RUN,
] as const

export interface SetupStartedFacts {
  readonly stepId: string
  readonly setup: readonly string[]
  readonly again: boolean
  readonly changed: readonly string[]
  readonly gone: readonly string[]
}

export function logSetupStarted({ stepId, setup, again, changed, gone }: SetupStartedFacts) {
  const facts = { call: stepId, setup, ...(again && { again }), ...limitLists({ changed, gone }) }
  return SETUP_STARTED.create(`${stepId}/setup`, facts)
}

export function logSetupDone(stepId: string, seconds: number) {
  return SETUP_DONE.create(`${stepId}/setup/end`, { call: stepId, seconds })
}

export function logSetupFailed(stepId: string, { command, outcome }: { command: string; outcome: string }) {
  return SETUP_FAILED.create(`${stepId}/setup/end`, { call: stepId, command, outcome })
}

export interface CheckEndedFacts {
  readonly stepId: string
  readonly inFreshCheckout: boolean
  readonly command: string
  readonly outcome: string
  /** 1-based place among so many checks. */
  readonly number: number
  readonly checks: number
}

export function logCheckEnded({ stepId, inFreshCheckout, ...facts }: CheckEndedFacts) {
  const key = `${stepId}/${inFreshCheckout ? 'fresh' : 'run'}/${facts.number}`
  return CHECK_ENDED.create(key, { call: stepId, ...facts })
}

export function logByProductsIgnored(key: string, paths: readonly string[]) {
  return BY_PRODUCTS_IGNORED.create(`${key}/by-products`, limitLists({ paths }))
}

/** Once a session: each checkout would say the same. */
export function logCheckoutLeft({ path, reason }: { readonly path: string; readonly reason: string }) {
  return CHECKOUT_LEFT.create('checkouts/left', { path, reason })
}

export function logProgramMissing(stepId: string, broken: readonly BrokenCheck[]) {
  const facts = { commands: broken.map(({ command }) => command), reasons: broken.map(({ reason }) => reason) }
  return PROGRAM_MISSING.create(`${stepId}/missing`, facts)
}

export function logOldTestsRun(stepId: string, { putBack = [], failures, unproven }: OldTestsResult) {
  const facts = {
    files: [...putBack],
    failures: failures.length === 0 ? [] : [describeOldTestFailures(failures)],
    unproven: [...unproven],
  }
  return OLD_TESTS_RUN.create(`${stepId}/old-tests`, { call: stepId, ...limitLists(facts) })
}
