// Pushes a session's branch and opens its pull request, once. It can be started again at any time: what is there is found, not made anew.
import type { PostedPull, PullRequestInput, PullRequestSummary } from '../../domain/workflow-types/index.ts'
import { createOnce, untilAllowed } from './create-once.ts'
import { createForgePorts } from './forge-ports.ts'
import { startWatchBeside } from './watch-pull.ts'

export async function openPullRequest(input: PullRequestInput): Promise<PullRequestSummary> {
  const ports = createForgePorts(input)
  const { branch } = input
  // A push is safe to repeat, so it is tried like a read.
  const pushed = await untilAllowed(ports, () => ports.read(`push ${branch}`, ({ pushBranch }) => pushBranch(input)))
  if (pushed.kind === 'refused') return pushed
  if (pushed.kind === 'lost') return { kind: 'refused', code: 'forge_unreachable', detail: pushed.detail }
  if (!pushed.value.hasPulls) {
    await startWatchBeside(input, pushed.value)
    return { kind: 'pushed', pushed: pushed.value }
  }
  const made = await createOnce<PostedPull>({
    ...ports,
    find: () => ports.read(`look for the pull request of ${branch}`, ({ findPulls }) => findPulls(input)),
    create: () => ports.write(`open a pull request for ${branch}`, ({ openPull }) => openPull(input)),
  })
  if (made.kind === 'refused') return made
  await startWatchBeside(input, pushed.value, made.things[0].number)
  return { kind: 'pull', pull: made.things[0], isNew: made.isNew, pushed: pushed.value }
}
