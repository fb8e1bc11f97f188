// Does what a comment on a pull request asks for, once: reads it, starts the session or brings it the answers, and says in the thread what
// comes of it. While its session works or waits for people, nothing runs for it.
import {
  ApplicationFailure,
  ChildWorkflowFailure,
  type RetryPolicy,
  WorkflowExecutionAlreadyStartedError,
} from '@temporalio/common'
import { condition, defineSignal, executeChild, log, setHandler, startChild } from '@temporalio/workflow'
import { formatCommandId, toCommandSessionId } from '../../domain/forge/command-id.ts'
import { truncateText } from '../../domain/text/truncate.ts'
import type {
  CommandOutcome,
  CommandReply,
  CommandSession,
  ForgeOutcome,
  JoinedSummary,
  PullCommandInput,
  ReadCommand,
  SessionActivities,
  SessionSummary,
  StandingReply,
} from '../../domain/workflow-types/index.ts'
import { COMMAND_LOOK_SIGNAL, TROUBLE_SIGNAL } from '../../domain/workflow-types/temporal-names.ts'
import { fixSession } from '../fix-session.ts'
import { PATIENT_RETRY } from '../temporal/session-activities.ts'
import { createOnce, untilAllowed } from './create-once.ts'
import { createForgePorts } from './forge-ports.ts'
import { openPullRequest } from './open-pull-request.ts'

const MAX_WHY = 1000

type FixCommand = Extract<ReadCommand, { readonly kind: 'fix' }>
type AnswerCommand = Extract<ReadCommand, { readonly kind: 'answer' }>
type SessionEnd =
  | { readonly kind: 'ended'; readonly summary: SessionSummary | JoinedSummary }
  | { readonly kind: 'failed'; readonly why: string }

export async function runPullCommand(input: PullCommandInput): Promise<CommandOutcome> {
  const ports = createForgePorts(input)
  let isNews = true
  /** Why the last reply does not stand in the thread. */
  let unsaid: string | undefined
  setHandler(defineSignal(COMMAND_LOOK_SIGNAL), () => {
    isNews = true
  })
  // Sent by activities that fail again and again; the outcome says the same later.
  setHandler(defineSignal<[string]>(TROUBLE_SIGNAL), () => undefined)

  // Before it is known who wrote it nobody can be answered, so a forge that is down for a while must not end this.
  const command = await read(`read the comment ${input.commentId}`, (each) => each.readCommand(input), PATIENT_RETRY)
  if ('problem' in command) return giveUp(command.problem)
  switch (command.value.kind) {
    case 'ignored':
      return { kind: 'ignored', detail: command.value.why }
    case 'refused':
      return await refuse(command.value.why)
    case 'answer':
      return await answer(command.value)
    case 'fix':
      return await fix(command.value)
  }

  /** Whoever can't be looked up may give no commands, and has no answer in the thread. */
  function giveUp(problem: string): CommandOutcome {
    const advice = '"fixwright github doctor" says what the credential may do; a new comment is read anew'
    log.warn('a comment that may be a command could not be read', {
      comment: input.commentId,
      pull: input.name,
      problem,
      advice,
    })
    return { kind: 'failed', detail: problem }
  }

  async function refuse(why: string): Promise<CommandOutcome> {
    await post({ kind: 'refused', why })
    return conclude('refused', why)
  }

  async function answer({ by, sessionId, message }: AnswerCommand): Promise<CommandOutcome> {
    const work = { ...input, by, sessionId, message }
    const sent = await read(`answer session ${sessionId}`, (each) => each.answerSession(work))
    const problem = 'problem' in sent ? sent.problem : sent.value.refusal
    if (problem !== undefined) return await refuse(problem)
    await read('show that it was read', (each) => each.acknowledgeCommand(input))
    return { kind: 'answer', detail: `session ${sessionId}` }
  }

  async function fix(asked: FixCommand): Promise<CommandOutcome> {
    const { codes, head, order, commits } = asked
    if (commits !== undefined) {
      const work = { ...input, repository: order.repository, commits }
      const fetched = await read(`fetch ${head.slice(0, 12)}`, (each) => each.fetchPullCommits(work))
      if ('problem' in fetched) return await refuse(explainMissing(head, fetched.problem))
    }
    const workflowId = toCommandSessionId(formatCommandId(input))
    const child = await startChild(fixSession, {
      ...{ workflowId, args: [order], parentClosePolicy: 'ABANDON', workflowTaskTimeout: '3s' },
      staticSummary: `${codes.join(', ')} for ${input.name}, asked for by ${asked.by}`,
    })
    const session: CommandSession = { workflowId, runId: child.firstExecutionRunId }
    let end: SessionEnd | undefined
    void child.result().then(
      (summary) => {
        end = { kind: 'ended', summary }
      },
      (error: unknown) => {
        end = { kind: 'failed', why: explainFailure(error) }
      },
    )
    // A session's waits are bounded, and so is this history: each costs some 30 events.
    for (;;) {
      await condition(() => isNews || end !== undefined)
      if (end !== undefined) return await finish(asked, end)
      isNews = false
      await post({ kind: 'started', codes, head }, session)
      await post({ kind: 'questions' }, session)
    }
  }

  async function finish({ branch, codes }: FixCommand, end: SessionEnd): Promise<CommandOutcome> {
    if (end.kind === 'failed') return await refuse(end.why)
    const { summary } = end
    if (summary.status === 'skipped') return await refuse(`nothing is left to do about ${codes.join(', ')}`)
    const session = { sessionId: summary.sessionId }
    if (summary.status === 'joined') {
      await post({ kind: 'ended', isOthers: true }, session)
      return conclude('fix', `session ${summary.sessionId} does it already`)
    }
    const published = await publish(branch, session)
    await post({ kind: 'ended', ...published }, session)
    return conclude('fix', `session ${summary.sessionId}: ${summary.fixed} of ${summary.requested}`)
  }

  function conclude(kind: CommandOutcome['kind'], detail: string): CommandOutcome {
    return { kind, detail: unsaid === undefined ? detail : `${detail}; the thread does not say so: ${unsaid}` }
  }

  async function publish(
    branch: string,
    session: CommandSession,
  ): Promise<{ readonly pull?: number; readonly problem?: string }> {
    const described = await read('describe the pull request', (each) =>
      each.describeCommandPull({ ...input, session, branch }),
    )
    if ('problem' in described) return described
    if (described.value === undefined) return {}
    const { sessionId } = described.value
    try {
      const made = await executeChild(openPullRequest, {
        ...{ workflowId: `pull-request/${sessionId}`, args: [{ ...described.value, homeQueue: input.homeQueue }] },
        ...{ parentClosePolicy: 'ABANDON', staticSummary: `pull request of session ${sessionId}` },
      })
      if (made.kind === 'refused') return { problem: made.detail }
      return made.kind === 'pull' ? { pull: made.pull.number } : {}
    } catch (error) {
      if (error instanceof WorkflowExecutionAlreadyStartedError)
        return { problem: `its pull request is being opened already: "fixwright pr ${sessionId}" shows it` }
      return { problem: explainFailure(error) }
    }
  }

  /** One comment for each thing that is to be said, which is edited when it changes. */
  async function post(reply: CommandReply, session?: CommandSession): Promise<void> {
    const work = { ...input, reply, session }
    let last: StandingReply = { isCurrent: false, duplicates: [] }
    const made = await createOnce<StandingReply>({
      ...ports,
      find: async () => {
        const found = await ports.read('look for the reply', (each) => each.findCommandReply(work))
        if (found.kind !== 'done') return found
        last = found.value
        return { kind: 'done', value: last.isCurrent ? [last] : [] }
      },
      create: () => ports.write(`reply: ${reply.kind}`, (each) => each.postCommandReply(work)),
    })
    unsaid = made.kind === 'refused' ? made.detail : undefined
    for (const id of last.duplicates) {
      await read('take a second reply away', (each) => each.withdrawCommandReply({ ...input, id }))
    }
  }

  async function read<T>(
    summary: string,
    work: (activities: SessionActivities) => Promise<ForgeOutcome<T>>,
    retry?: RetryPolicy,
  ): Promise<{ readonly value: T } | { readonly problem: string }> {
    const outcome = await untilAllowed(ports, () => ports.read(summary, work, retry))
    return outcome.kind === 'done' ? { value: outcome.value } : { problem: outcome.detail }
  }
}

function explainMissing(head: string, problem: string): string {
  const advice =
    'write the command again once that is mended; "fixwright github doctor" says what the credential may do'
  return `${head.slice(0, 12)} could not be fetched (${problem}): ${advice}`
}

/** What a session's order was refused for, in the words of its checks. */
function explainFailure(error: unknown): string {
  const cause = error instanceof ChildWorkflowFailure ? error.cause : error
  if (cause instanceof ApplicationFailure) return truncateText(cause.message, MAX_WHY)
  return truncateText(cause instanceof Error ? cause.message : String(error), MAX_WHY)
}
