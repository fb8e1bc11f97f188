// The roll call: each expert that was to be asked has begun, has ended, has said what it read, and nothing that it found is missing.
import type { ExpertName } from './experts.ts'
import type { ReviewReply } from './replies.ts'

/** A sub-agent as the CLI's own stream shows it. */
export interface ExpertRun {
  readonly name: string
  readonly ended: boolean
  readonly failed: boolean
  /** The ids of its findings; undefined if its report can't be read. */
  readonly found: readonly string[] | undefined
}

type RolledReply = Pick<ReviewReply, 'experts' | 'groups' | 'merged'>

/** One sentence for each expert that does not answer the roll; empty if all do. */
export function callRoll(expected: readonly ExpertName[], runs: readonly ExpertRun[], reply: RolledReply): string[] {
  return expected.flatMap((name) => {
    const own = runs.filter((run) => run.name === name)
    const problem = findRunProblem(own) ?? findEntryProblem(name, reply)
    if (problem !== undefined) return [`the expert ${name} ${problem}`]
    const lost = listLost(own, reply)
    return lost.length > 0
      ? [`of the expert ${name}'s findings ${lost.join(', ')} ${lost.length > 1 ? 'are' : 'is'} missing`]
      : []
  })
}

/** An expert that was asked again counts by its last run. */
function findRunProblem(runs: readonly ExpertRun[]): string | undefined {
  const last = runs.at(-1)
  if (!last) return 'was never started'
  if (!last.ended) return 'was cut off before it reported'
  if (last.failed) return 'failed'
  return last.found === undefined ? 'gave no readable report' : undefined
}

function findEntryProblem(name: ExpertName, { experts }: RolledReply): string | undefined {
  const entry = experts.find((each) => each.name === name)
  if (!entry) return 'is not named in the reply'
  return entry.read.length === 0 ? 'read nothing' : undefined
}

/** A finding is kept if it is in a group, or merged into one that is. */
function listLost(runs: readonly ExpertRun[], { groups, merged }: RolledReply): string[] {
  const kept = new Set(groups.flatMap(({ findings }) => findings.map(({ id }) => id)))
  for (const { id, into } of merged) if (kept.has(into)) kept.add(id)
  return (runs.at(-1)?.found ?? []).filter((id) => !kept.has(id))
}
