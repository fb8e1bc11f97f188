// Works through the stages of a session, free of Temporal: as many at the same time as there are lanes, which share no file. With one
// lane they follow each other. What a stage found out about files holds for those that begin later.
import { chooseStagesToStart, findFreeLane, type SharingSets } from '../../domain/lanes/choose-stages.ts'
import type { Stage } from '../../domain/plan/plan.ts'
import type { Ending } from '../../domain/workflow-types/index.ts'
import type { StageResult } from '../stage/stage-state.ts'
import { createLandingQueue, type StageLanding } from './landing-queue.ts'

export interface LanesTask {
  readonly stages: readonly Stage[]
  readonly lanes: number
  /** Issues whose findings name the same file. */
  readonly sharing: SharingSets
  readonly head: string
  /** 0-based places of the stages that are over. */
  readonly done: readonly number[]
}

export interface StageStart {
  /** 0-based place of the stage. */
  readonly index: number
  readonly stage: Stage
  /** The commit that the stage stands on. */
  readonly head: string
}

export interface LaneStart extends StageStart {
  /** 1-based; each lane has a work tree of its own. */
  readonly lane: number
  readonly landing: StageLanding
  /** Tells which issues turned out to share a file. */
  addSharing(codes: readonly string[]): void
}

export interface LanesPorts {
  runStage(start: StageStart | LaneStart): Promise<StageResult>
  /** Takes each result as it comes. */
  onResult(result: StageResult): void
  /** Whether no further stage may begin in this run. */
  hasToRest(): boolean
}

export type LanesEnd =
  | { readonly kind: 'over'; readonly stop?: Ending | undefined }
  /** All that had begun is over, and the rest is for another run. */
  | {
      readonly kind: 'rested'
      readonly head: string
      readonly done: readonly number[]
      /** With what turned out. */
      readonly sharing: SharingSets
    }

/** Once a stage has stopped or thrown, none begins any more; those at work come to their own end first. */
export async function loopOverStages(task: LanesTask, ports: LanesPorts): Promise<LanesEnd> {
  const { stages, lanes } = task
  const done = new Set(task.done)
  const running = new Map<number, { readonly lane: number; readonly over: Promise<void> }>()
  const sharing = [...task.sharing]
  const landings = createLandingQueue(task.head, { stages, sharing: () => sharing })
  let head = task.head
  let stop: Ending | undefined
  let thrown: { readonly error: unknown } | undefined
  let isResting = false

  for (;;) {
    if (!stop && !thrown && !isResting) {
      const state = { stages, done, running: new Set(running.keys()), sharing, lanes }
      for (const index of chooseStagesToStart(state)) begin(index)
    }
    if (running.size === 0) break
    await Promise.race([...running.values()].map(({ over }) => over))
    isResting ||= !stop && !thrown && done.size + running.size < stages.length && ports.hasToRest()
  }
  if (thrown) throw thrown.error
  return isResting && !stop ? { kind: 'rested', head, done: [...done], sharing } : { kind: 'over', stop }

  function begin(index: number): void {
    const lane = findFreeLane([...running.values()].map((each) => each.lane))
    const start: StageStart = { index, stage: stages[index]!, head }
    running.set(index, { lane, over: lanes > 1 ? runInLane({ ...start, lane }) : runAlone(start) })
  }

  async function runAlone(start: StageStart): Promise<void> {
    await finish(start.index, async () => {
      const result = await ports.runStage(start)
      head = result.head
      return result
    })
  }

  async function runInLane(start: StageStart & { readonly lane: number }): Promise<void> {
    const landing = landings.join(start.index)
    await finish(start.index, async () => {
      try {
        return await ports.runStage({ ...start, landing, addSharing: (codes) => void sharing.push(codes) })
      } finally {
        landing.end()
        head = landings.head()
      }
    })
  }

  async function finish(index: number, run: () => Promise<StageResult>): Promise<void> {
    try {
      const result = await run()
      done.add(index)
      stop ??= result.stop
      ports.onResult(result)
    } catch (error) {
      thrown ??= { error }
    } finally {
      running.delete(index)
    }
  }
}
