// Posts two votes on their pull request: comments on lines, one comment for all, and the verdict on the commit, which comes last so that
// nothing is green before the rest is there. It can be started again at any time: what is there is found, not made anew.
import { patched } from '@temporalio/workflow'
import type {
  FailedVotePart,
  ForgeOutcome,
  ForgeRefusal,
  PostVotesInput,
  PostVotesSummary,
  VotePart,
  VotePosts,
} from '../../domain/workflow-types/index.ts'
import { createOnce, untilAllowed } from './create-once.ts'
import { createForgePorts, type ForgePorts } from './forge-ports.ts'

/** The pace that GitHub asks for. */
const BETWEEN_WRITES_MS = 1000
const PARTS: readonly VotePart[] = ['review', 'comment', 'verdict']

export async function postVotes(input: PostVotesInput): Promise<PostVotesSummary> {
  return await postVoteParts(input, createForgePorts(input), () => patched('approved-needs-the-rest'))
}

/** `withholdsApproval` is false in histories that approved whatever was missing. */
export async function postVoteParts(
  input: PostVotesInput,
  ports: ForgePorts,
  withholdsApproval: () => boolean,
): Promise<PostVotesSummary> {
  const { number } = input
  const look = (): Promise<ForgeOutcome<VotePosts>> =>
    ports.read(`look at #${number}`, ({ findVotePosts }) => findVotePosts(input))
  const before = await untilAllowed(ports, look)
  if (before.kind !== 'done') return toRefusal(before)
  const failed: FailedVotePart[] = []
  // Votes on a commit that is not the head any more say nothing of the pull request.
  const missing =
    before.value.head === input.votes.head ? PARTS.filter((part) => before.value.missing.includes(part)) : []
  for (const [index, part] of missing.entries()) {
    const [first] = failed
    if (part === 'verdict' && first && input.votes.verdict === 'approved' && withholdsApproval()) {
      failed.push({
        part,
        code: first.code,
        detail: `an approval is not said without the ${first.part}: post them again`,
      })
      continue
    }
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
  const posted = missing.filter((part) => !failed.some((each) => each.part === part))
  const after = missing.length === 0 ? before : await untilAllowed(ports, look)
  const now = after.kind === 'done' ? after.value : before.value
  for (const [what, ids] of [
    ['comment', now.duplicates],
    ['approval', now.staleApprovals],
  ] as const) {
    for (const id of ids) {
      const withdrawn = await untilAllowed(ports, () =>
        ports.read(`withdraw a ${what} of ours`, (each) => each.withdrawVotePost({ ...input, what, id })),
      )
      if (withdrawn.kind === 'done') continue
      const { code, detail } = toRefusal(withdrawn)
      const part = what === 'comment' ? 'comment' : 'review'
      failed.push({ part, code, detail: `${what} ${id} is still there: ${detail}`, isWithdrawal: true })
    }
  }
  return {
    kind: 'posted',
    posted,
    url: now.url,
    failed,
    ...(now.head === input.votes.head ? {} : { movedTo: now.head }),
  }
}

function toRefusal(outcome: Exclude<ForgeOutcome<unknown>, { kind: 'done' | 'limited' }>): ForgeRefusal {
  return outcome.kind === 'refused' ? outcome : { kind: 'refused', code: 'forge_unreachable', detail: outcome.detail }
}
