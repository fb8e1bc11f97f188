// Approved stages of several lanes that land together: each is put onto the head, one run of the checks judges all of them, and each has a
// commit of its own. If the checks fail, the first half is tried, down to one stage, which then lands by itself or goes round again.
import { formatStepId } from '../../domain/session/step-id.ts'
import { listSelectedCodes } from '../../domain/stage/attempt.ts'
import type { TrainCar, TrainLanding, TrainRider, WaitingRider } from './stage-ports.ts'
import { findLatestIteration, type GatedTree, type StageState } from './stage-state.ts'

/** Undefined if the stage has to land by itself. */
export function findRider(
  state: StageState,
  { head, attempt, challengeStepId }: GatedTree,
  proofStepIds: readonly string[],
): TrainRider | undefined {
  const { task, ports, oldTests } = state
  const { selections, verification, tree } = attempt
  const tests = oldTests.get(`${head} ${tree}`)
  // What a person or the evidence says about its tests is about this stage alone.
  const isAlone = tests?.isAllowed || tests?.leavesUnproven
  if (!task.rules.ridesTrains || verification !== 'passed' || isAlone) return undefined
  const codes = listSelectedCodes(attempt)
  const inPlanOrder = state.codes.filter((code) => codes.includes(code))
  return {
    board: async (onto) => {
      state.turns += 1
      const stepId = formatStepId({ kind: 'merge', stage: task.number, turn: state.turns })
      const challenge = challengeStepId === undefined ? {} : { challengeStepId }
      const step = { stepId, head, selections, codes, onto, at: ports.now(), ...challenge }
      const outcome = await ports.mergeStage(step)
      if (outcome.kind === 'conflict' || !outcome.isSameDiff) return undefined
      if (!codes.every((code) => outcome.work.issues[code]?.files)) return undefined
      return {
        selections: [{ snapshot: outcome.work.snapshot, codes }],
        codes: inPlanOrder,
        iteration: findLatestIteration(state, codes),
        iterations: Object.fromEntries(state.iterations),
        challengeStepId,
        proofStepIds,
      }
    },
  }
}

type Turn = { readonly kind: 'turn'; readonly head: string }

/** The stage has its turn on the head. It keeps it if no train lands it. */
export async function landTrain(state: StageState, own: TrainRider, onto: string): Promise<TrainLanding | Turn> {
  const { ports } = state
  const turn = { kind: 'turn', head: onto } as const
  const waiting = ports.landing?.listRiders() ?? []
  if (waiting.length === 0 || state.triedTrainOn === onto) return turn
  state.triedTrainOn = onto
  const [first, ...others] = await Promise.all([own, ...waiting].map((rider) => rider.board(onto)))
  if (!first) return turn
  let cars = [{ car: first, rider: undefined as WaitingRider | undefined }]
  cars.push(...others.flatMap((car, index) => (car ? [{ car, rider: waiting[index] }] : [])))
  for (; cars.length > 1; cars = cars.slice(0, Math.floor(cars.length / 2))) {
    const tree = await verifyTrain(
      state,
      cars.map(({ car }) => car),
      onto,
    )
    if (tree === undefined) continue
    const landed = await commitTrain(
      state,
      cars.map(({ car }) => car),
      { onto, tree },
    )
    if (landed.kind === 'landed') for (const { rider } of cars) rider?.land(landed)
    return landed
  }
  return turn
}

/** Returns the tree that has passed. */
async function verifyTrain(state: StageState, cars: readonly TrainCar[], head: string): Promise<string | undefined> {
  const { task, ports } = state
  state.trains += 1
  const outcome = await ports.verifyTree({
    ...toGateInput(cars),
    stepId: formatStepId({ kind: 'train', stage: task.number, turn: state.trains }),
    head,
    ignoresLimits: true,
    ...(task.rules.verifiesFreshCheckout ? { inFreshCheckout: true } : {}),
  })
  return outcome.verdict === 'passed' && !outcome.failure ? outcome.tree : undefined
}

async function commitTrain(
  state: StageState,
  cars: readonly TrainCar[],
  { onto, tree }: { readonly onto: string; readonly tree: string },
): Promise<TrainLanding | Turn> {
  const { task, ports } = state
  state.turns += 1
  const outcome = await ports.commitStage({
    ...toGateInput(cars),
    stepId: formatStepId({ kind: 'commit', stage: task.number, turn: state.turns }),
    head: onto,
    tree,
    challengeStepIds: cars.flatMap(({ challengeStepId }) => challengeStepId ?? []),
    verified: 'passed',
    proofStepIds: cars.flatMap(({ proofStepIds }) => proofStepIds),
    at: ports.now(),
    iterations: Object.assign({}, ...cars.map(({ iterations }) => iterations)) as TrainCar['iterations'],
  })
  if (outcome.kind === 'committed') {
    ports.landing?.moveTo(outcome.sha)
    return { kind: 'landed', head: outcome.sha, commits: outcome.commits ?? [outcome] }
  }
  if (outcome.kind === 'moved') ports.landing?.moveTo(outcome.head)
  return { kind: 'turn', head: outcome.kind === 'moved' ? outcome.head : onto }
}

function toGateInput(cars: readonly TrainCar[]) {
  return {
    selections: cars.flatMap(({ selections }) => selections),
    codes: cars.flatMap(({ codes }) => codes),
    cars: cars.map(({ codes }) => codes),
    iteration: Math.max(...cars.map(({ iteration }) => iteration)),
  }
}
