// The watch over one pull request as a workflow: while it waits, nothing runs for it.
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common'
import {
  condition,
  continueAsNew,
  defineSignal,
  patched,
  setCurrentDetails,
  setHandler,
  startChild,
  upsertMemo,
  workflowInfo,
} from '@temporalio/workflow'
import { formatCommandId } from '../../domain/forge/command-id.ts'
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
  COMMAND_WORKFLOW,
  TROUBLE_SIGNAL,
  toRepositoryAttribute,
  WATCH_MEMO,
  WATCH_WAKE_SIGNAL,
} from '../../domain/workflow-types/temporal-names.ts'
import { upsertKnownAttributes } from '../temporal/upsert-search-attributes.ts'
import { createForgePorts, type ForgePorts } from './forge-ports.ts'
import { type WatchPorts, watchUntilEnd } from './watch-loop.ts'

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
      commands:
        github.commands && input.number !== undefined ? listenForCommands(input, ports, input.number) : undefined,
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

function listenForCommands(
  { carried: _, maxEvents: __, ...input }: WatchInput,
  ports: ForgePorts,
  number: number,
): NonNullable<WatchPorts['commands']> {
  const { homeQueue, remote, github, name } = input
  return {
    mayFail: () => patched('state-without-comments'),
    // Tried once, like a look: the next look is the next try.
    find: (mark) => ports.write('look for commands', ({ findCommands }) => findCommands({ ...input, mark })),
    start: async (commentId) => {
      const command = { homeQueue, remote, github, number, commentId, name }
      // Whoever stops the watch does not end what is at work.
      const goesOn = { parentClosePolicy: 'ABANDON', cancellationType: 'ABANDON' } as const
      const options = { ...goesOn, workflowIdReusePolicy: 'REJECT_DUPLICATE' } as const
      const staticSummary = `the comment ${commentId} on ${name}`
      await ignoreIfStarted(() =>
        startChild(COMMAND_WORKFLOW, {
          ...{ ...options, workflowId: formatCommandId(command), args: [command], staticSummary },
        }),
      )
    },
  }
}

async function ignoreIfStarted(start: () => Promise<unknown>): Promise<void> {
  try {
    await start()
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error
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
  const workflowId = formatWatchId(input)
  await ignoreIfStarted(() =>
    startChild(watchPull, { ...options, workflowId, args: [input], staticSummary: `watch ${name}` }),
  )
}

function formatDetails(name: string, { state, looks, unchanged, pauseMs, trouble }: WatchState): string {
  const lines = [
    `**${name}** is ${state ?? 'not seen yet'}`,
    `Looked ${looks} times, ${unchanged} of them found nothing new; the next look is in ${Math.round(pauseMs / 1000)} s, or when it is woken`,
    ...(trouble === undefined ? [] : [`**Trouble** (${trouble.code}): ${trouble.detail}`]),
  ]
  return lines.join('\n\n')
}
