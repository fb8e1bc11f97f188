// Which stages may be worked on at the same time: those that share no file, as far as findings, plan and fixers' changes say by now.
import { listStageCodes, type Stage } from '../plan/plan.ts'

/** Issues that share a file, set by set. */
export type SharingSets = readonly (readonly string[])[]

export interface LanesState {
  readonly stages: readonly Stage[]
  /** 0-based places of the stages that are over. */
  readonly done: ReadonlySet<number>
  readonly running: ReadonlySet<number>
  readonly sharing: SharingSets
  readonly lanes: number
}

/** The stages that may begin now, in the plan's order: none that shares a file with one at work or with an earlier one. */
export function chooseStagesToStart({ stages, done, running, sharing, lanes }: LanesState): number[] {
  const open: number[] = []
  const chosen: number[] = []
  for (const index of stages.keys()) {
    if (running.size + chosen.length >= lanes) break
    if (done.has(index)) continue
    const others = new Set([...open, ...running])
    const isFree = !running.has(index) && ![...others].some((other) => shareFile(stages, sharing, other, index))
    if (isFree) chosen.push(index)
    open.push(index)
  }
  return chosen
}

/** Whether some issue of the one stage and some issue of the other change the same file. */
export function shareFile(stages: readonly Stage[], sharing: SharingSets, one: number, other: number): boolean {
  const isIn = (index: number) => {
    const codes = new Set(listStageCodes(stages[index] ?? { batches: [] }))
    return (code: string) => codes.has(code)
  }
  return sharing.some((codes) => codes.some(isIn(one)) && codes.some(isIn(other)))
}

/** One set for each file that several of these issues name. */
export function listSharingSets(
  issues: readonly { readonly issue_code: string; readonly file: string }[],
): SharingSets {
  const byFile = Map.groupBy(issues, ({ file }) => file)
  return [...byFile.values()].filter((some) => some.length > 1).map((some) => some.map(({ issue_code }) => issue_code))
}

/** The lowest lane, from 1, that no running stage has. */
export function findFreeLane(taken: Iterable<number>): number {
  const used = new Set(taken)
  for (let lane = 1; ; lane += 1) if (!used.has(lane)) return lane
}
