// Names the files that a read-only call changed. The agent chose those names, and Temporal's history keeps this text.
import { joinList } from '../../domain/text/join-list.ts'
import { truncateText } from '../../domain/text/truncate.ts'
import type { Workspace } from '../../platform/git/workspace/object-store.ts'
import { listTreeChanges } from '../../platform/git/workspace/snapshot-and-reset.ts'
import type { ActivityContext } from '../context.ts'

const MAX_FILES = 5
const MAX_CHARACTERS = 300

/** Undefined if the call changed nothing. The text is masked before it is cut: a piece of a secret has no known form. */
export async function describeTreeChanges(
  { masking }: Pick<ActivityContext, 'masking'>,
  workspace: Workspace,
): Promise<string | undefined> {
  const changed = await listTreeChanges(workspace)
  if (changed.length === 0) return undefined
  return truncateText(await masking.maskText(joinList(changed, ', ', MAX_FILES)), MAX_CHARACTERS)
}
