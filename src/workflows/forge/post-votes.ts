// Posts two votes on their pull request: one comment for all, a review with the comments on lines and the approval, and the verdict on the
// commit, which comes last so that nothing is green before the rest is there. An approval that stands without the rest is withdrawn. It can be
// started again at any time: what is there is found, not made anew.
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
const PARTS: readonly VotePart[] = ['comment', 'review', 'verdict']
const OLD_PARTS: readonly VotePart[] = ['review', 'comment', 'verdict']

export async function postVotes(input: PostVotesInput): Promise<PostVotesSummary> {
  return await postVoteParts(input, createForgePorts(input), {
    withholdsApproval: () => patched('approved-needs-the-rest'),
    approvesAfterComment: () => patched('approval-after-comment'),
  })
}

/** What histories from before do not do. */
export interface PostingRules {
  /** Nothing approves while another part is missing. */
  withholdsApproval(): boolean
  /** The comment comes first, and an approval without the rest is withdrawn. */
  approvesAfterComment(): boolean
}

export async function postVoteParts(
  input: PostVotesInput,
  ports: ForgePorts,
  rules: PostingRules,
): Promise<PostVotesSummary> {
  const { number } = input
  const look = (): Promise<ForgeOutcome<VotePosts>> =>
    ports.read(`look at #${number}`, ({ findVotePosts }) => findVotePosts(input))
  const before = await untilAllowed(ports, look)
  if (before.kind !== 'done') return toRefusal(before)
  const failed: FailedVotePart[] = []
  // Votes on a commit that is not the head any more say nothing of the pull request.
  const isCurrent = before.value.head === input.votes.head
  const approves = input.votes.verdict === 'approved'
  const ordered = isCurrent && approves && input.approve && rules.approvesAfterComment()
  const parts = ordered ? PARTS : OLD_PARTS
  const missing = isCurrent ? parts.filter((part) => before.value.missing.includes(part)) : []
  for (const [index, part] of missing.entries()) {
    const [first] = failed
    const isApproval = part === 'verdict' || (ordered && part === 'review')
    if (isApproval && first && approves && rules.withholdsApproval()) {
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
  if (after.kind !== 'done') {
    const { code, detail } = toRefusal(after)
    const unseen = `whether #${number} still has this head could not be seen: ${detail}`
    failed.push({ part: 'verdict', code, detail: unseen, isUnchecked: true })
  }
  const halfApproved = ordered && failed.length > 0 ? now.approvals : undefined
  for (const [what, ids] of [
    ['comment', now.duplicates],
    ['approval', [...now.staleApprovals, ...(halfApproved ?? [])]],
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
