// Log entries about what setup and checks took, and about setups that are shared with fresh checkouts.
import { z } from 'zod'
import { defineLog } from './define-log.ts'

const CHECKS_RAN = defineLog(
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
)

const SETUP_KEPT = defineLog(
  'setup_kept',
  'note',
  z.object({ seconds: z.number() }),
  ({ seconds }) => `what the setup made is kept for fresh checkouts (copied in ${seconds.toFixed(1)} s)`,
)

const SETUP_NOT_SHARED = defineLog(
  'setup_not_shared',
  'note',
  z.object({ reason: z.string() }),
  ({ reason }) => `each fresh checkout has a setup of its own: ${reason}`,
)

export const SHARING_LOGS = [CHECKS_RAN, SETUP_KEPT, SETUP_NOT_SHARED] as const

export interface ChecksRanFacts {
  readonly stepId: string
  readonly inFreshCheckout: boolean
  readonly isShared: boolean
  readonly setupSeconds: number
  readonly checkSeconds: number
}

export function logChecksRan({ stepId, inFreshCheckout, isShared, setupSeconds, checkSeconds }: ChecksRanFacts) {
  return CHECKS_RAN.create(`${stepId}/ran/${inFreshCheckout ? 'fresh' : 'tree'}`, {
    call: stepId,
    in_fresh_checkout: inFreshCheckout,
    ...(isShared && { shared: true }),
    setup_seconds: setupSeconds,
    check_seconds: checkSeconds,
  })
}

export function logSetupKept(stepId: string, seconds: number) {
  return SETUP_KEPT.create(`${stepId}/setup/kept`, { seconds })
}

export function logSetupNotShared(stepId: string, reason: string) {
  return SETUP_NOT_SHARED.create(`${stepId}/setup/alone`, { reason })
}
