// The way of approved stages onto the one branch: one at a time, in the plan's order, and no stage waits for one that is waiting itself.
import { type SharingSets, shareFile } from '../../domain/lanes/choose-stages.ts'
import type { Stage } from '../../domain/plan/plan.ts'
import type { LandingPort, TrainLanding, TrainRider } from '../stage/stage-ports.ts'

export interface LandingQueue {
  head(): string
  /** The way of one stage; it is over with `end`. */
  join(index: number): StageLanding
}

export interface StageLanding extends LandingPort {
  /** Runs what waits for a person or a provider. The stage gives its turn away, and nobody waits for it meanwhile. */
  whileIdle<T>(wait: () => Promise<T>): Promise<T>
  end(): void
}

interface OpenStage {
  idle: number
  begin?: ((by?: TrainLanding) => void) | undefined
  rider?: TrainRider | undefined
}

export function createLandingQueue(
  from: string,
  { stages, sharing }: { readonly stages: readonly Stage[]; readonly sharing: () => SharingSets },
): LandingQueue {
  const open = new Map<number, OpenStage>()
  let head = from
  let landing: number | undefined

  /** An earlier stage that shares a file and is at work goes first. */
  function isHeldBack(index: number): boolean {
    return [...open].some(
      ([earlier, { idle }]) => earlier < index && idle === 0 && shareFile(stages, sharing(), earlier, index),
    )
  }

  function callNext(): void {
    if (landing !== undefined) return
    const waiting = [...open].filter(([, { begin }]) => begin).map(([index]) => index)
    const next = waiting.toSorted((a, b) => a - b).find((index) => !isHeldBack(index))
    const stage = next === undefined ? undefined : open.get(next)
    if (!stage?.begin) return
    landing = next
    const { begin } = stage
    stage.begin = undefined
    begin()
  }

  function leave(index: number): void {
    if (landing === index) landing = undefined
    callNext()
  }

  return {
    head: () => head,
    join: (index) => {
      const stage: OpenStage = { idle: 0 }
      open.set(index, stage)
      return {
        enter: async (rider) => {
          if (landing !== index) {
            const turn = new Promise<TrainLanding | undefined>((begin) => {
              Object.assign(stage, { begin, rider })
            })
            callNext()
            const landed = await turn
            if (landed) return landed
          }
          return { kind: 'turn', head }
        },
        listRiders: () =>
          [...open]
            .toSorted(([one], [other]) => one - other)
            .flatMap(([other, waiting]) => {
              const { begin, rider } = waiting
              if (!begin || !rider || isHeldBack(other)) return []
              const land = (landed: TrainLanding): void => {
                waiting.begin = undefined
                begin(landed)
              }
              return [{ ...rider, land }]
            }),
        leave: () => leave(index),
        moveTo: (commit) => {
          head = commit
        },
        whileIdle: async (wait) => {
          stage.idle += 1
          leave(index)
          try {
            return await wait()
          } finally {
            stage.idle -= 1
          }
        },
        end: () => {
          open.delete(index)
          leave(index)
        },
      }
    },
  }
}
