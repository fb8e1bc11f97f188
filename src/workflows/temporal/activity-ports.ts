// Wires the ports of the pure drivers to activities, names each step in the Temporal UI, and sets what the session shows meanwhile.
import type { ProofOutcome, VerifyOutcome } from '../../domain/protocol/index.ts'
import { joinList } from '../../domain/text/join-list.ts'
import type { PlanningPorts } from '../people/clarify-and-plan.ts'
import {
  createWaitPorts,
  type RunningSession,
  requestDecision,
  requestScopeDecision,
} from '../people/wait-for-decision.ts'
import type { StagePorts } from '../stage/ports.ts'
import { proxyHostActivities, type WorkKind } from './activity-options.ts'
import { OUT_OF_TIME_FAILURE, runWithinDeadline, toDeadlineInput } from './session-deadline.ts'

export function createPlanningPorts(at: RunningSession): PlanningPorts {
  const { sessionId, messages, time } = at
  const on = createActivityProxies(at)
  return {
    ...createWaitPorts(at),
    clarify: (step) => {
      at.show({ phase: 'looking for what is unclear' })
      return on('talk', `clarify · round ${step.round}`).clarify({ sessionId, ...step, ...toDeadlineInput(time) })
    },
    plan: (step) => {
      at.show({ phase: 'planning' })
      return on('talk', step.rejected ? 'plan again' : 'plan').planFixes({
        sessionId,
        ...step,
        ...toDeadlineInput(time),
      })
    },
    applyPlan: (step) => on('git', 'lay out the plan').applyPlan({ sessionId, ...step }),
    requestDecision: (stepId, open, seconds) => requestDecision(at, stepId, open, seconds),
    listAnswered: () => messages.dialogue().answered,
    addAnswers: (answered) => messages.remember(answered),
  }
}

export function createStagePorts(at: RunningSession): StagePorts {
  const { sessionId, time } = at
  const on = createActivityProxies(at)
  return {
    ...createWaitPorts(at),
    decideScope: (stepId) => requestScopeDecision(at, stepId),
    fix: (step) => {
      at.show({ phase: `fixing ${formatCodes(step.codes)}` })
      const verb = step.iteration === 1 ? 'fix' : 're-fix'
      return on('fix', `${verb} ${formatCodes(step.codes)} · attempt ${step.iteration}`).fixBatch({
        sessionId,
        ...step,
        ...toDeadlineInput(time),
      })
    },
    verify: (step) => {
      const where = step.inFreshCheckout ? ' in a fresh checkout' : ''
      at.show({ phase: `verifying${where}` })
      const verify = () => on('verify', `verify ${formatCodes(step.codes)}${where}`).verifyTree({ sessionId, ...step })
      // The verification before a commit, and that of what had passed, are part of committing, which comes before the end.
      if (step.inFreshCheckout || step.ignoresLimits) return verify()
      return runWithinDeadline<VerifyOutcome>(time, verify, {
        verdict: 'unverified',
        tree: '',
        summary: '',
        failure: OUT_OF_TIME_FAILURE,
      })
    },
    challenge: (step) => {
      const about = formatCodes([...step.codes, ...(step.claims ?? []).flatMap(({ codes }) => codes)])
      at.show({ phase: `challenging ${about}` })
      const ends = step.ignoresLimits ? {} : toDeadlineInput(time)
      return on('challenge', `challenge ${about}`).challengeTree({ sessionId, ...step, ...ends })
    },
    prove: (step) => {
      at.show({ phase: `looking for a proof of ${formatCodes(step.codes)}` })
      const prove = () => on('verify', `prove ${formatCodes(step.codes)}`).proveFix({ sessionId, ...step })
      return runWithinDeadline<ProofOutcome>(time, prove, { verdict: 'not_proven' })
    },
    commit: (step) => {
      at.show({ phase: `committing ${formatCodes(step.codes)}` })
      return on('git', `commit ${formatCodes(step.codes)}`).commitStage({ sessionId, ...step })
    },
    merge: (step) =>
      on('git', `merge ${formatCodes(step.codes)} onto ${step.onto.slice(0, 10)}`).mergeStage({ sessionId, ...step }),
  }
}

function createActivityProxies({ opened }: RunningSession) {
  return (work: WorkKind, summary: string) => proxyHostActivities(opened, work, summary)
}

function formatCodes(codes: readonly string[]): string {
  return joinList(codes, ', ', 3)
}
