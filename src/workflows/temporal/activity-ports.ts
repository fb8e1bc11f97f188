// The ports of the pure drivers, wired to activities: what each step is called in the Temporal UI, and what the session shows meanwhile.
import { patched } from '@temporalio/workflow'
import type { ProofOutcome, VerifyOutcome } from '../../domain/protocol/index.ts'
import type { TalkPorts } from '../people/clarify-and-plan.ts'
import { askPeople, decideScope, type Underway, waitPorts } from '../people/wait-for-decision.ts'
import type { StagePorts } from '../stage/ports.ts'
import { hostActivities, type Work } from './activity-options.ts'
import { OUT_OF_TIME, timed, withinTime } from './session-deadline.ts'

export function talkPorts(at: Underway): TalkPorts {
  const { sessionId, desk, time } = at
  const on = queueOf(at)
  return {
    ...waitPorts(at),
    clarify: (step) => {
      at.show({ phase: 'looking for what is unclear' })
      return on('talk', `clarify · round ${step.round}`).clarify({ sessionId, ...step, ...timed(time) })
    },
    plan: (step) => {
      at.show({ phase: 'planning' })
      return on('talk', step.rejected ? 'plan again' : 'plan').planFixes({ sessionId, ...step, ...timed(time) })
    },
    lay: (step) => on('git', 'lay out the plan').layPlan({ sessionId, ...step }),
    ask: (call, open, seconds) => askPeople(at, call, open, seconds),
    answered: () => desk.dialogue().answered,
    remember: (answered) => desk.remember(answered),
  }
}

export function stagePorts(at: Underway): StagePorts {
  const { sessionId, time } = at
  const on = queueOf(at)
  return {
    ...waitPorts(at),
    patched,
    decideScope: (call) => decideScope(at, call),
    fix: (step) => {
      at.show({ phase: `fixing ${list(step.codes)}` })
      const verb = step.iteration === 1 ? 'fix' : 're-fix'
      return on('fix', `${verb} ${list(step.codes)} · attempt ${step.iteration}`).fixBatch({
        sessionId,
        ...step,
        ...timed(time),
      })
    },
    verify: (step) => {
      const where = step.fresh ? ' in a fresh checkout' : ''
      at.show({ phase: `verifying${where}` })
      const verify = () => on('verify', `verify ${list(step.codes)}${where}`).verifyTree({ sessionId, ...step })
      // The last one before a commit is a part of committing, which comes before the end; and so is that of what had passed.
      if (step.fresh || (step.settles && time.endsAt() !== undefined && patched('settle-at-a-limit'))) return verify()
      return withinTime<VerifyOutcome>(time, verify, {
        verdict: 'unverified',
        tree: '',
        summary: '',
        failure: OUT_OF_TIME,
      })
    },
    challenge: (step) => {
      const about = list([...step.codes, ...(step.claims ?? []).flatMap(({ codes }) => codes)])
      at.show({ phase: `challenging ${about}` })
      const ends = step.settles ? {} : timed(time)
      return on('challenge', `challenge ${about}`).challengeTree({ sessionId, ...step, ...ends })
    },
    prove: (step) => {
      at.show({ phase: `looking for a proof of ${list(step.codes)}` })
      const prove = () => on('verify', `prove ${list(step.codes)}`).proveFix({ sessionId, ...step })
      if (time.endsAt() === undefined || !patched('prove-within-time')) return prove()
      return withinTime<ProofOutcome>(time, prove, { verdict: 'not_proven' })
    },
    commit: (step) => {
      at.show({ phase: `committing ${list(step.codes)}` })
      return on('git', `commit ${list(step.codes)}`).commitStage({ sessionId, ...step })
    },
    merge: (step) =>
      on('git', `merge ${list(step.codes)} onto ${step.onto.slice(0, 10)}`).mergeStage({ sessionId, ...step }),
  }
}

function queueOf({ opened }: Underway) {
  return (work: Work, summary: string) => hostActivities(opened, work, summary)
}

function list(codes: readonly string[]): string {
  return codes.length <= 3 ? codes.join(', ') : `${codes.slice(0, 3).join(', ')} and ${codes.length - 3} more`
}
