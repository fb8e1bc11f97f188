// A session: open the workspace, work through the stages, close. This file only wires the stage loop to Temporal.
// Whatever happens, the session ends through `closeSession`, so that it always says why; only failures of Temporal's own
// kind are caught, a mistake in this code fails the workflow task and waits for a mended worker.
import {
  ActivityFailure,
  CancellationScope,
  continueAsNew,
  defineQuery,
  isCancellation,
  rootCause,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow'
import type {
  Ending,
  IssueOutcome,
  OpenedSession,
  SessionInput,
  SessionProgress,
  SessionSummary,
  SessionView,
} from '../domain/protocol.ts'
import { closingActivities, hostActivities, sharedActivities, type Work } from './activities.ts'
import type { StagePorts } from './ports.ts'
import { runStage } from './stage.ts'
import { type MutableView, publish, showDetails } from './view.ts'

export const sessionQuery = defineQuery<SessionView>('session')

export async function fixSession(input: SessionInput): Promise<SessionSummary> {
  const { sessionId, carried } = input
  const shown: MutableView = { phase: 'opening', stage: (carried?.nextStage ?? 0) + 1 }
  const outcomes: Record<string, IssueOutcome> = { ...carried?.outcomes }
  const commits = [...(carried?.commits ?? [])]
  let opened = carried?.opened
  const view = (): SessionView => ({
    sessionId,
    phase: shown.phase,
    stage: shown.stage,
    stages: opened?.stages.length ?? 0,
    branch: opened?.branch,
    waiting: shown.waiting,
    outcomes,
    commits,
  })
  setHandler(sessionQuery, view)
  const show = (change: Partial<MutableView>): void => {
    Object.assign(shown, change)
    showDetails(view(), opened)
  }

  let ending: Ending | undefined
  try {
    if (!opened) {
      opened = await sharedActivities(`open ${sessionId}`).openSession({ sessionId })
      publish(opened.attributes, { FixStatus: 'generating', FixBranch: opened.branch ?? null })
    }
    ending = await runStages(opened)
  } catch (error) {
    // A worker that died while the step was being cancelled leaves a time-out behind; the person's word stands all the same.
    const { consideredCancelled } = CancellationScope.current()
    if (isCancellation(error) || (consideredCancelled && error instanceof ActivityFailure))
      ending = { class: 'cancelled', detail: 'cancelled by a person' }
    else if (error instanceof ActivityFailure)
      ending = { class: 'infrastructure', detail: brief(rootCause(error) ?? error.message) }
    else throw error
  }
  return await CancellationScope.nonCancellable(() => close(ending))

  async function runStages(session: OpenedSession): Promise<Ending | undefined> {
    let head = carried?.head ?? session.base
    if (session.rules.verify && session.stages.length > 0 && !carried) {
      show({ phase: 'verifying the untouched base' })
      await hostActivities(session, 'verify', 'verify the untouched base').verifyBase({ sessionId, call: 'base', head })
    }
    for (let index = carried?.nextStage ?? 0; index < session.stages.length; index += 1) {
      const stage = session.stages[index]
      if (!stage) break
      show({ phase: 'fixing', stage: index + 1 })
      const task = { stage, number: index + 1, head, rules: session.rules, clocks: session.clocks }
      const result = await runStage(task, ports(session))
      for (const [code, outcome] of Object.entries(result.outcomes))
        outcomes[code] = { ...outcome, reason: brief(outcome.reason) }
      if (result.commit) commits.push(result.commit)
      head = result.head
      if (result.stop) return result.stop
      if (index + 1 < session.stages.length && hasGrownLong(session)) {
        const progress: SessionProgress = { opened: session, nextStage: index + 1, head, outcomes, commits }
        await continueAsNew<typeof fixSession>({ sessionId, carried: progress })
      }
    }
    return undefined
  }

  function hasGrownLong(session: OpenedSession): boolean {
    const { historyLength, continueAsNewSuggested } = workflowInfo()
    return continueAsNewSuggested || historyLength >= session.continueAfterEvents
  }

  function ports(session: OpenedSession): StagePorts {
    const on = (work: Work, summary: string) => hostActivities(session, work, summary)
    return {
      fix: (step) => {
        show({ phase: `fixing ${list(step.codes)}` })
        const verb = step.iteration === 1 ? 'fix' : 're-fix'
        return on('fix', `${verb} ${list(step.codes)} · attempt ${step.iteration}`).fixBatch({ sessionId, ...step })
      },
      verify: (step) => {
        show({ phase: 'verifying' })
        return on('verify', `verify ${list(step.codes)}`).verifyTree({ sessionId, ...step })
      },
      challenge: (step) => {
        show({ phase: `challenging ${list(step.codes)}` })
        return on('challenge', `challenge ${list(step.codes)}`).challengeTree({ sessionId, ...step })
      },
      commit: (step) => {
        show({ phase: `committing ${list(step.codes)}` })
        return on('git', `commit ${list(step.codes)}`).commitStage({ sessionId, ...step })
      },
      merge: (step) =>
        on('git', `merge ${list(step.codes)} onto ${step.onto.slice(0, 10)}`).mergeStage({ sessionId, ...step }),
      wait: async (call, why, until) => {
        const waiting = { for: why, since: Date.now(), until }
        show({ phase: 'waiting', waiting })
        publish(session.attributes, { FixAwaiting: why })
        await on('git', `waiting: ${why}`.slice(0, 100)).note({ sessionId, call, message: why, waiting })
        await sleep(Math.max(until - Date.now(), 1))
        show({ phase: 'fixing', waiting: undefined })
        publish(session.attributes, { FixAwaiting: null })
        await on('git', 'the wait is over').note({ sessionId, call: `${call}.over`, message: `goes on: ${why}` })
      },
      now: () => Date.now(),
    }
  }

  async function close(end: Ending | undefined): Promise<SessionSummary> {
    show({ phase: 'closing', waiting: undefined })
    const summary = await closingActivities(opened).closeSession({
      sessionId,
      outcomes,
      ending: end,
      at: Date.now(),
    })
    if (opened) publish(opened.attributes, { FixStatus: summary.status, FixAwaiting: null, ...score() })
    show({ phase: summary.status })
    return summary
  }

  function score(): { FixScore?: number } {
    const scores = Object.values(outcomes).flatMap((outcome) => outcome.score ?? [])
    return scores.length > 0 ? { FixScore: Math.round(Math.min(...scores)) } : {}
  }
}

/** For the history, which keeps it for each issue; the store and the artifacts have every word. */
function brief(text: string): string {
  return text.length <= 300 ? text : `${text.slice(0, 299)}…`
}

function list(codes: readonly string[]): string {
  return codes.length <= 3 ? codes.join(', ') : `${codes.slice(0, 3).join(', ')} and ${codes.length - 3} more`
}
