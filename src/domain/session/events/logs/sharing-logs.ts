// Log entries about what setup and checks took, and about setups that are shared with fresh checkouts.
import { z } from 'zod'
import { atStep, type EventFacts } from '../define-event.ts'
import { defineLog } from './define-log.ts'

export const logChecksRan = defineLog(
  'checks_ran',
  'note',
  z.object({
    call: z.string(),
    in_fresh_checkout: z.boolean(),
    /** A copy of what the setup made on the base took the place of a setup. */
    shared: z.literal(true).optional(),
    setup_seconds: z.number(),
    check_seconds: z.number(),
  }),
  ({ setup_seconds, check_seconds, shared }) =>
    `checked in ${check_seconds.toFixed(1)} s${setup_seconds > 0 ? `, ${shared ? 'with a copy of the setup' : 'set up'} in ${setup_seconds.toFixed(1)} s` : ''}`,
  (create) => (facts: EventFacts<typeof create>) =>
    create(`${facts.call}/ran/${facts.in_fresh_checkout ? 'fresh' : 'tree'}`, facts),
)

export const logSetupKept = defineLog(
  'setup_kept',
  'note',
  z.object({ seconds: z.number() }),
  ({ seconds }) => `what the setup made is kept for fresh checkouts (copied in ${seconds.toFixed(1)} s)`,
  atStep('setup/kept'),
)

export const logSetupNotShared = defineLog(
  'setup_not_shared',
  'note',
  z.object({ reason: z.string() }),
  ({ reason }) => `each fresh checkout has a setup of its own: ${reason}`,
  atStep('setup/alone'),
)
