// The operator's own commands on a tree, and whether a fix's tests fail without it.

import { z } from 'zod'
import { joinList } from '../../text/join-list.ts'
import { VerificationVerdict } from '../../verification/compare-runs.ts'
import { RegressionProof } from '../../verification/gate-record.ts'
import { type AtStep, atStep, defineEvent, type EventFacts, eventData } from './define-event.ts'
import { Texts } from './limit-lists.ts'
import {
  ComparedRun,
  describeBrokenTests,
  describePassedCount,
  describeRewrittenFiles,
  summarizeRuns,
} from './verification-runs.ts'

/** Which tree the commands run on. */
const Place = z.object({
  /** 0 on the untouched base. */
  iteration: z.number(),
  on_base: z.literal(true).optional(),
  /** In a checkout that holds nothing but the tree. */
  fresh: z.literal(true).optional(),
  /** Where parts are tried out one after the other: the issues of this one. */
  only: Texts.optional(),
  /** Of a train: the number of batches that land together. */
  cars: z.number().optional(),
})
type Place = z.infer<typeof Place>

function describePlace({ fresh, on_base, only, cars }: Place): string {
  if (on_base) return 'on the untouched base: '
  if (cars) return `${cars} batches as one train${fresh ? ', in a fresh checkout' : ''}: `
  if (only) return `only ${joinList(only)}${fresh ? ', in a fresh checkout' : ''}: `
  return fresh ? 'in a fresh checkout: ' : ''
}

export const fixVerificationStarted = defineEvent(
  'fix_verification_started',
  eventData({ commands: Texts, tree: z.string(), ...Place.shape }),
  ({ commands, ...place }) => `${describePlace(place)}${commands.join(' · ')}`,
  (create) =>
    ({ commands, tree, ...place }: VerificationPlace & Pick<EventFacts<typeof create>, 'commands' | 'tree'>) => {
      const key = `${place.stepId}/${place.inFreshCheckout ? 'fresh' : 'started'}`
      return create(key, { commands, tree, ...toPlace(place) })
    },
)

export const fixVerificationResult = defineEvent(
  'fix_verification_result',
  eventData({ verdict: VerificationVerdict, runs: z.array(ComparedRun).readonly(), ...Place.shape }),
  ({ verdict, runs, ...place }) => {
    const summary = summarizeRuns(runs, place.on_base === true)
    const result = `${place.on_base ? describePassedCount(runs) : verdict}${summary ? ` · ${summary}` : ''}`
    return `${describePlace(place)}${result}${describeBrokenTests(runs)}${describeRewrittenFiles(runs)}`
  },
  (create) =>
    ({ verdict, runs, ...place }: VerificationPlace & Pick<EventFacts<typeof create>, 'verdict' | 'runs'>) =>
      create(`${place.stepId}/result`, { verdict, runs, ...toPlace(place) }),
)

/** The subject is the issue, where the proof is about one alone. */
export const fixProofResult = defineEvent(
  'fix_proof_result',
  eventData({ ...RegressionProof.shape, tree: z.string() }),
  ({ codes, verdict, why }) => `${codes.join(', ')} · ${verdict === 'proven' ? 'proven' : 'not proven'}: ${why}`,
  atStep('proof'),
)

export interface VerificationPlace extends AtStep {
  readonly iteration: number
  readonly onBase: boolean
  readonly inFreshCheckout: boolean
  readonly only?: readonly string[] | undefined
  readonly cars?: number | undefined
}

function toPlace({ iteration, onBase, inFreshCheckout, only, cars }: VerificationPlace): Place {
  return { iteration, on_base: onBase || undefined, fresh: inFreshCheckout || undefined, only, cars }
}
