// The fake world of the stage driver with several stages in it: each step takes as long as a test says, and one that nobody can end any
// more is a deadlock.
import { setImmediate } from 'node:timers/promises'
import { listStageCodes, type Stage } from '../../src/domain/plan/plan.ts'
import type { StageRules } from '../../src/domain/stage/attempt.ts'
import type { Timeouts } from '../../src/domain/workflow-types/index.ts'
import { createLaneCoordinator } from '../../src/workflows/lanes/lane-ports.ts'
import { type LanesEnd, type LanesTask, loopOverStages } from '../../src/workflows/lanes/loop-over-stages.ts'
import { runStage } from '../../src/workflows/stage/run-stage.ts'
import type { StagePorts } from '../../src/workflows/stage/stage-ports.ts'
import type { StageResult } from '../../src/workflows/stage/stage-state.ts'
import { type Commit, type Files, fakeWorld, RULES, type Script, type Seen, TIMEOUTS } from './fake-ports.ts'

export interface LanesOptions {
  readonly lanes: number
  /** Issues whose findings name the same file. */
  readonly sharing?: readonly (readonly string[])[]
  readonly rules?: Partial<StageRules>
  readonly timeouts?: Partial<Timeouts>
  /** Which of the steps under way ends next, as its place among them. */
  readonly choose?: (underway: readonly string[]) => number
  /** The number of stages after which each run has to rest. */
  readonly restsAfter?: number | undefined
  /** Whether another run takes over what one that rests has left. */
  readonly goesOn?: boolean
}

export interface LanesWorld {
  readonly end: LanesEnd
  readonly results: readonly StageResult[]
  readonly outcomes: StageResult['outcomes']
  readonly seen: readonly Seen[]
  readonly commits: readonly Commit[]
  readonly branch: Files
  /** What began and ended, in order: `> s1.i1.b1.fix`, `< s1.i1.b1.fix`. */
  readonly log: readonly string[]
  /** The most stages that were at work at once. */
  readonly mostAtOnce: number
  readonly lanesUsed: ReadonlySet<number>
}

export async function playLanes(stages: readonly Stage[], script: Script, options: LanesOptions): Promise<LanesWorld> {
  const world = fakeWorld({ ...script, inLanes: stages.flatMap(listStageCodes) })
  const underway: { readonly label: string; readonly end: () => void }[] = []
  const log: string[] = []
  const results: StageResult[] = []
  const lanesUsed = new Set<number>()
  const atWork = new Map<number, number>()
  let mostAtOnce = 0
  const slow =
    <Input, Output>(label: (input: Input) => string, step: (input: Input) => Promise<Output>) =>
    (input: Input) =>
      new Promise<Output>((resolve, reject) => {
        const name = label(input)
        log.push(`> ${name}`)
        const end = () => {
          log.push(`< ${name}`)
          step(input).then(resolve, reject)
        }
        underway.push({ label: name, end })
      })
  const named = ({ stepId }: { readonly stepId: string }) => stepId
  const { ports } = world
  const slowPorts: StagePorts = {
    ...ports,
    fixBatch: slow(named, ports.fixBatch),
    verifyTree: slow(named, ports.verifyTree),
    challengeTree: slow(named, ports.challengeTree),
    verifyOldTests: slow(named, ports.verifyOldTests),
    proveFix: slow(named, ports.proveFix),
    commitStage: slow(named, ports.commitStage),
    mergeStage: slow(named, ports.mergeStage),
    wait: slow(named, ports.wait),
    decideScope: slow((stepId) => `${stepId}.scope`, ports.decideScope),
  }
  const { lanes, sharing = [], rules, timeouts, choose = () => 0, restsAfter, goesOn = false } = options
  const work = (task: LanesTask): Promise<LanesEnd> => {
    const coordinator = createLaneCoordinator(() => true)
    return loopOverStages(task, {
      runStage: async (start) => {
        const lane = 'lane' in start ? start.lane : 1
        lanesUsed.add(lane)
        if (atWork.has(lane)) throw new Error(`lane ${lane} has two stages`)
        atWork.set(lane, start.index)
        mostAtOnce = Math.max(mostAtOnce, atWork.size)
        log.push(`begin ${start.index + 1}`)
        const task = {
          stage: start.stage,
          number: start.index + 1,
          head: start.head,
          rules: { ...RULES, ...rules },
          timeouts: { ...TIMEOUTS, ...timeouts },
        }
        const result = await runStage(task, 'lane' in start ? coordinator.connect(slowPorts, start) : slowPorts)
        log.push(`end ${start.index + 1}`)
        atWork.delete(lane)
        return result
      },
      onResult: (result) => void results.push(result),
      hasToRest: () => restsAfter !== undefined && results.length >= restsAfter,
    })
  }
  const first: LanesTask = { stages, lanes, sharing, head: 'base', done: [] }
  let end = await drive(work(first))
  while (goesOn && end.kind === 'rested') end = await drive(work({ ...first, ...end }))
  const outcomes = Object.assign({}, ...results.map((result) => result.outcomes)) as StageResult['outcomes']
  const { seen, commits } = world
  return { end, results, outcomes, seen, commits, branch: world.branchFiles(), log, mostAtOnce, lanesUsed }

  async function drive(whole: Promise<LanesEnd>): Promise<LanesEnd> {
    let isOver = false
    const over = whole.finally(() => {
      isOver = true
    })
    over.catch(() => undefined)
    for (;;) {
      // All that can go on by itself goes on before the next step ends.
      await setImmediate()
      if (isOver) return await over
      if (underway.length === 0) throw new Error(`deadlock after ${log.slice(-20).join(', ')}`)
      const [next] = underway.splice(choose(underway.map(({ label }) => label)) % underway.length, 1)
      next?.end()
    }
  }
}
