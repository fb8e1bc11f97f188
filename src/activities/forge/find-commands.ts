// Looks for commands among the comments that were written on a watched pull request since the last look. Who wrote them is looked at later.
import { FixwrightError } from '../../domain/errors/fixwright-error.ts'
import { isCommand } from '../../domain/forge/parse-command.ts'
import type { CommentMark, ForgeOutcome, FoundCommands, WatchInput } from '../../domain/workflow-types/index.ts'
import type { ActivityContext } from '../context.ts'
import { openForgeApi, toForgeOutcome } from './forge-outcomes.ts'

export async function findCommands(
  context: ActivityContext,
  input: WatchInput & { readonly mark: CommentMark },
): Promise<ForgeOutcome<FoundCommands>> {
  return await toForgeOutcome('write', async () => {
    const { number, mark } = input
    if (number === undefined) throw new FixwrightError('forge_refused', `${input.name} is no pull request`)
    const api = await openForgeApi(context, input)
    const listed = (await api.listCommentsSince(number, mark.since))
      // An older one that was edited since is listed, too.
      .filter(({ id, createdAt }) => id > mark.after && createdAt >= mark.since)
      .toSorted((a, b) => a.id - b.id)
    const last = listed.at(-1)
    const next = last === undefined ? mark : { since: last.createdAt, after: last.id }
    return { ids: listed.filter(({ body }) => isCommand(body)).map(({ id }) => id), next }
  })
}
