// Log entries about the operator's commands on a tree, before they count against a fix.
import { z } from 'zod'
import { joinList } from '../../../text/join-list.ts'
import { type BrokenCheck, describeBrokenChecks } from '../../../verification/broken-checks.ts'
import type { OldTestsResult } from '../../../verification/gate-record.ts'
import { describeOldTestFailures } from '../../../verification/old-tests.ts'
import type { EventFacts } from '../define-event.ts'
import { joinLimited, limitLists, Texts, Unlisted } from '../limit-lists.ts'
import { defineLog } from './define-log.ts'

export const logSetupStarted = defineLog(
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
  (create) =>
    ({ changed, gone, ...facts }: EventFacts<typeof create>) =>
      create(`${facts.call}/setup`, { ...facts, ...limitLists({ changed, gone }) }),
)

export const logSetupDone = defineLog(
  'setup_done',
  'note',
  z.object({ call: z.string(), seconds: z.number() }),
  ({ seconds }) => `set up in ${seconds.toFixed(1)} s`,
  (create) => (facts: EventFacts<typeof create>) => create(`${facts.call}/setup/end`, facts),
)

export const logSetupFailed = defineLog(
  'setup_failed',
  'warning',
  z.object({ call: z.string(), command: z.string(), outcome: z.string() }),
  ({ command, outcome }) => `the setup failed: ${command}: ${outcome}`,
  (create) =>
    (stepId: string, { command, outcome }: { command: string; outcome: string }) =>
      create(`${stepId}/setup/end`, { call: stepId, command, outcome }),
)

export const logCheckEnded = defineLog(
  'check_ended',
  'note',
  z.object({
    call: z.string(),
    command: z.string(),
    outcome: z.string(),
    /** 1-based place among so many checks. */
    number: z.number(),
    checks: z.number(),
  }),
  ({ command, outcome, number, checks }) => `check ${number} of ${checks} · ${command}: ${outcome}`,
  (create) => (inFreshCheckout: boolean, facts: EventFacts<typeof create>) =>
    create(`${facts.call}/${inFreshCheckout ? 'fresh' : 'run'}/${facts.number}`, facts),
)

export const logByProductsIgnored = defineLog(
  'by_products_ignored',
  'note',
  z.object({ paths: Texts, unlisted: Unlisted }),
  ({ paths, unlisted }) => `made by the checks themselves, so never committed: ${joinLimited(paths, unlisted?.paths)}`,
  (create) => (key: string, paths: readonly string[]) => create(`${key}/by-products`, limitLists({ paths })),
)

/** Once a session: each checkout would say the same. */
export const logCheckoutLeft = defineLog(
  'checkout_left',
  'warning',
  z.object({ path: z.string(), reason: z.string() }),
  ({ path, reason }) =>
    `a fresh checkout could not be removed whole: the rest of it is ${path} (${reason}). It may hold files of another user, left by checks in a container (have it run as you: --user "$(id -u):$(id -g)"). The result stands, and the session says at its end how to remove what is left`,
  (create) =>
    ({ path, reason }: { readonly path: string; readonly reason: string }) =>
      create('checkouts/left', { path, reason }),
)

export const logProgramMissing = defineLog(
  'program_missing',
  'warning',
  z.object({ commands: Texts, reasons: Texts.optional() }),
  ({ commands, reasons = [] }) =>
    `${describeBrokenChecks(commands.map((command, at) => ({ command, reason: reasons[at] ?? '' })))}, and is ignored: it says nothing about any fix unless the fix itself makes it run`,
  (create) => (stepId: string, broken: readonly BrokenCheck[]) => {
    const facts = { commands: broken.map(({ command }) => command), reasons: broken.map(({ reason }) => reason) }
    return create(`${stepId}/missing`, facts)
  },
)

export const logOldTestsRun = defineLog(
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
  (create) =>
    (stepId: string, { putBack = [], failures, unproven }: OldTestsResult) => {
      const facts = {
        files: [...putBack],
        failures: failures.length === 0 ? [] : [describeOldTestFailures(failures)],
        unproven: [...unproven],
      }
      return create(`${stepId}/old-tests`, { call: stepId, ...limitLists(facts) })
    },
)
