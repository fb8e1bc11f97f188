// What every agent of a session may be told besides its task: how the project wants its code written, the review that the issues come
// from, and what the work stands on.
import type { Frame } from '../../agents/prompts/render.ts'
import { originOf } from '../../domain/session/origin.ts'
import type { Workspace } from '../../platform/git/workspace/object-store.ts'
import type { Session, Workshop } from '../context.ts'
import { conventionsOf } from './repository-conventions.ts'

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

/** What holds for every prompt of a session. */
export function frameOf({ record, settings }: Session): Pick<Frame, 'base' | 'against' | 'limits'> {
  const { base_name: base, against } = originOf(record)
  return { base, against: against?.name, limits: { whole: settings.limits.max_prompt_characters } }
}
