// What every agent of a session may be told besides its task: how the project wants its code written, the review that the issues come
// from, and what the work stands on.
import { originOf } from '../domain/origin.ts'
import type { Workspace } from '../git/workspace.ts'
import { conventionsOf } from './conventions.ts'
import type { Session, Workshop } from './workshop.ts'

export interface Background {
  readonly conventions?: string | undefined
  readonly review?: string | undefined
}

/** For a conversation that does not hold it. */
export async function backgroundOf(
  { artifacts }: Pick<Workshop, 'artifacts'>,
  { record }: Session,
  workspace: Pick<Workspace, 'gitDir' | 'base'>,
): Promise<Background> {
  const { review } = originOf(record)
  const [conventions, report] = await Promise.all([
    conventionsOf(workspace),
    review === undefined ? undefined : artifacts.get(review),
  ])
  return { conventions, review: report?.toString() }
}

export function standingOn({ record }: Session): {
  readonly base?: string | undefined
  readonly against?: string | undefined
} {
  const { base_name: base, against } = originOf(record)
  return { base, against: against?.name }
}
