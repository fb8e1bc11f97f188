// Posts two votes on their pull request: comments on lines, one comment for all, and the verdict on the commit, which comes last so that
// nothing is green before the rest is there. It can be started again at any time: what is there is found, not made anew.
import type {
  ForgeOutcome,
  PostVotesInput,
  PostVotesSummary,
  VotePart,
  VotePosts,
} from '../../domain/workflow-types/index.ts'
import { createOnce, untilAllowed } from './create-once.ts'
import { createForgePorts } from './forge-ports.ts'

/** The pace that GitHub asks for. */
const BETWEEN_WRITES_MS = 1000
const PARTS: readonly VotePart[] = ['review', 'comment', 'verdict']

export async function postVotes(input: PostVotesInput): Promise<PostVotesSummary> {
  const ports = createForgePorts(input)
  const { number } = input
  const look = (): Promise<ForgeOutcome<VotePosts>> =>
    ports.read(`look at #${number}`, ({ findVotePosts }) => findVotePosts(input))
  const before = await untilAllowed(ports, look)
  if (before.kind !== 'done') return toRefusal(before)
  const failed: Extract<PostVotesSummary, { kind: 'posted' }>['failed'][number][] = []
  // Votes on a commit that is not the head any more say nothing of the pull request.
  const missing =
    before.value.head === input.votes.head ? PARTS.filter((part) => before.value.missing.includes(part)) : []
  for (const [index, part] of missing.entries()) {
    if (index > 0) await ports.pause(BETWEEN_WRITES_MS)
    const made = await createOnce<VotePart>({
      ...ports,
      // All were just looked for, and are again at the end.
      isWatched: true,
      find: async () => {
        const found = await look()
        return found.kind === 'done' ? { kind: 'done', value: found.value.missing.includes(part) ? [] : [part] } : found
      },
      create: () => ports.write(`post the ${part} on #${number}`, (each) => each.postVotePart({ ...input, part })),
    })
    if (made.kind === 'refused') failed.push({ part, code: made.code, detail: made.detail })
  }
  const after = missing.length === 0 ? before : await untilAllowed(ports, look)
  const now = after.kind === 'done' ? after.value : before.value
  for (const [what, ids] of [
    ['comment', now.duplicates],
    ['approval', now.staleApprovals],
  ] as const) {
    for (const id of ids) {
      await untilAllowed(ports, () =>
        ports.read(`withdraw a ${what} of ours`, (each) => each.withdrawVotePost({ ...input, what, id })),
      )
    }
  }
  return {
    kind: 'posted',
    posted: missing.filter((part) => !failed.some((each) => each.part === part)),
    url: now.url,
    failed,
    ...(now.head === input.votes.head ? {} : { movedTo: now.head }),
  }
}

function toRefusal(outcome: Exclude<ForgeOutcome<VotePosts>, { kind: 'done' | 'limited' }>): PostVotesSummary {
  return outcome.kind === 'refused' ? outcome : { kind: 'refused', code: 'forge_unreachable', detail: outcome.detail }
}
