// The watch over one pull request as a workflow: while it waits, nothing runs for it.
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common'
import {
  condition,
  continueAsNew,
  defineSignal,
  setCurrentDetails,
  setHandler,
  startChild,
  upsertMemo,
  workflowInfo,
} from '@temporalio/workflow'
import { parseRemote } from '../../domain/forge/forge-address.ts'
import { formatWatchId } from '../../domain/forge/watch-id.ts'
import { truncateText } from '../../domain/text/truncate.ts'
import type {
  PullRequestInput,
  PushedBranch,
  SeenPull,
  WatchInput,
  WatchLabels,
  WatchMemo,
  WatchState,
  WatchSummary,
} from '../../domain/workflow-types/index.ts'
import {
  TROUBLE_SIGNAL,
  toRepositoryAttribute,
  WATCH_MEMO,
  WATCH_WAKE_SIGNAL,
} from '../../domain/workflow-types/temporal-names.ts'
import { upsertKnownAttributes } from '../temporal/search-attributes-and-details.ts'
import { createForgePorts } from './forge-ports.ts'
import { watchUntilEnd } from './watch-loop.ts'

const MAX_EVENTS = 1000
const MAX_TROUBLE = 300

export async function watchPull(input: WatchInput): Promise<WatchSummary> {
  const { carried, github, maxEvents = MAX_EVENTS, ...subject } = input
  const work = { ...subject, github }
  const ports = createForgePorts(work)
  let isWoken = false
  let shown = ''
  setHandler(defineSignal(WATCH_WAKE_SIGNAL), () => {
    isWoken = true
  })
  // Sent by activities that fail again and again; the outcome says the same later.
  setHandler(defineSignal<[string]>(TROUBLE_SIGNAL), () => undefined)

  const stop = await watchUntilEnd(
    {
      now: () => Date.now(),
      waitOutLimit: ports.waitOutLimit,
      // Tried once, like a write: the next look is the next try.
      look: (tag) => ports.write(`look at ${input.name}`, ({ lookAtPull }) => lookAtPull({ ...work, tag })),
      record: (pull) =>
        ports.read(`${input.name} is ${pull.state}`, ({ recordLanding }) => recordLanding({ ...work, pull })),
      wait: async (milliseconds) => {
        await condition(() => isWoken, milliseconds)
        const wasWoken = isWoken
        isWoken = false
        return wasWoken ? 'woken' : 'time'
      },
      show,
      hasGrownLong: () => {
        const { historyLength, continueAsNewSuggested } = workflowInfo()
        return continueAsNewSuggested || historyLength >= maxEvents
      },
    },
    {
      minMs: github.watch_seconds * 1000,
      maxMs: github.watch_max_seconds * 1000,
      isGitOnly: input.number === undefined,
    },
    carried,
  )
  if (stop.kind === 'grown') return await continueAsNew<typeof watchPull>({ ...input, carried: stop.state })
  return stop.summary

  function show(state: WatchState, seen?: { readonly pull: SeenPull; readonly labels: WatchLabels }): void {
    const trouble = truncateText(state.trouble?.detail ?? '', MAX_TROUBLE)
    const { name, repositoryId } = input
    const memo: WatchMemo = {
      ...{ name, repositoryId, branch: seen?.pull.branch ?? input.branch, since: state.since, trouble },
      state: state.state ?? 'unknown',
    }
    // Each change of the memo is an event.
    if (shown !== JSON.stringify({ ...memo, branch: '' })) upsertMemo({ [WATCH_MEMO]: memo })
    shown = JSON.stringify({ ...memo, branch: '' })
    if (seen !== undefined) {
      const { pull, labels } = seen
      const places = { FixRepository: toRepositoryAttribute(labels.repository), FixBranch: pull.branch }
      const FixAwaiting = pull.state === 'merged' ? null : 'merge'
      upsertKnownAttributes(labels.attributes, { ...places, FixStatus: pull.state, FixAwaiting })
    }
    setCurrentDetails(formatDetails(input.name, state))
  }
}

/** Goes on when its parent has ended. One that runs already sees what is new by itself. */
export async function startWatchBeside(
  { homeQueue, remote, github, base }: PullRequestInput,
  { repositoryId, branch }: PushedBranch,
  number?: number,
): Promise<void> {
  if (repositoryId === undefined) return
  const address = parseRemote(remote)
  const isPull = number !== undefined && address !== undefined
  const name = isPull ? `${address.owner}/${address.name}#${number}` : `${branch} → ${base ?? 'HEAD'}`
  const input: WatchInput = { homeQueue, remote, github, repositoryId, branch, number, base, name }
  const options = { parentClosePolicy: 'ABANDON', workflowIdReusePolicy: 'ALLOW_DUPLICATE' } as const
  try {
    const workflowId = formatWatchId(input)
    await startChild(watchPull, { ...options, workflowId, args: [input], staticSummary: `watch ${name}` })
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error
  }
}

function formatDetails(name: string, { state, looks, unchanged, pauseMs, trouble }: WatchState): string {
  const lines = [
    `**${name}** is ${state ?? 'not seen yet'}`,
    `Looked ${looks} times, ${unchanged} of them found nothing new; the next look is in ${Math.round(pauseMs / 1000)} s, or when it is woken`,
    ...(trouble === undefined ? [] : [`**Trouble** (${trouble.code}): ${trouble.detail}`]),
  ]
  return lines.join('\n\n')
}
