// Reads a comment as the command that it is, once: who may give one, what it asks for, and which commit it is about are what holds at this
// moment. What strangers write costs two requests and has no answer.
import { FixwrightError } from '../../domain/errors/fixwright-error.ts'
import { formatPullPrefix } from '../../domain/forge/command-id.ts'
import { formatAddress, parseRemote } from '../../domain/forge/forge-address.ts'
import { type CommentAnswer, parseCommand } from '../../domain/forge/parse-command.ts'
import { toImportedFinding } from '../../domain/review/to-imported-finding.ts'
import type { SessionRecord } from '../../domain/session/session.ts'
import { VoteRecord } from '../../domain/vote/vote-record.ts'
import { parseVotesTarget } from '../../domain/vote/vote-subject.ts'
import type { ForgeOutcome, PullCommandInput, ReadCommand } from '../../domain/workflow-types/index.ts'
import type { ForgeApi } from '../../integrations/forge/forge.ts'
import { loadArtifact } from '../artifacts.ts'
import type { ActivityContext } from '../context.ts'
import { isAnswered } from './command-replies.ts'
import { openForgeApi, toForgeOutcome } from './forge-outcomes.ts'

export async function readCommand(
  context: ActivityContext,
  input: PullCommandInput,
): Promise<ForgeOutcome<ReadCommand>> {
  return await toForgeOutcome('read', async () => {
    const { number, commentId } = input
    const api = await openForgeApi(context, input)
    const comment = await api.getComment(commentId)
    if (comment === undefined || comment.number !== number) return ignore('there is no such comment')
    const command = parseCommand(comment.body)
    if (command === undefined) return ignore('it is no command')
    const { author: by, isByProgram, isEdited } = comment
    if (isByProgram) return ignore('a program wrote it')
    if (!(await api.mayWrite(by))) return ignore('who wrote it may not write to the repository')
    // The workflow of this comment may be forgotten by now, and what it has posted is there.
    if (await isAnswered(context, api, input)) return ignore('it was done before')
    const refuse = (why: string): ReadCommand => ({ kind: 'refused', by, why })
    if (isEdited) return refuse('the comment was edited, so nobody knows what it asked for: write a new one')
    if (command.kind === 'unreadable') return refuse(command.why)
    try {
      if (command.kind === 'fix') return await readFix(context, input, { by, codes: command.codes, api })
      const answers = command.kind === 'answer' ? command.answers : []
      return await readAnswers(context, input, { by, answers, skip: command.kind === 'skip' })
    } catch (error) {
      // A person who may give commands hears why this one is not done.
      if (error instanceof FixwrightError) return refuse(error.message)
      throw error
    }
  })
}

function ignore(why: string): ReadCommand {
  return { kind: 'ignored', why }
}

interface AskedFix {
  readonly by: string
  readonly codes: readonly string[]
  readonly api: ForgeApi
}

async function readFix(
  context: ActivityContext,
  input: PullCommandInput,
  { by, codes, api }: AskedFix,
): Promise<ReadCommand> {
  const { name, number } = input
  const refuse = (why: string): ReadCommand => ({ kind: 'refused', by, why })
  const { state, isFromFork, head, baseCommit, branch } = await api.getPull(number)
  if (state !== 'open') return refuse(`the pull request is ${state}`)
  if (isFromFork) return refuse('the pull request comes from a fork, whose code is not run')
  const votes = await findLastVotes(context, input)
  const ref = votes?.result?.votes?.record_ref
  if (votes === undefined || ref === undefined) {
    return refuse(
      `no votes on it were posted from here whose findings could be meant: "fixwright review-pr --pr ${name} --post" posts them`,
    )
  }
  const task = `votes-${votes.session_id}`
  const found = (await loadVoteRecord(context, ref, name)).findings.flatMap(({ id, severity, reports }) => {
    const finding = toImportedFinding({ ...reports[0].finding, id, severity })
    return finding === undefined ? [] : [finding]
  })
  const unknown = codes.filter((code) => !found.some(({ issue_code }) => issue_code === code))
  if (unknown.length > 0) {
    const known = found.map(({ issue_code }) => issue_code).join(', ') || 'none'
    return refuse(`the last votes have no finding ${unknown.join(', ')} that can be fixed; there are: ${known}`)
  }
  const open = await listOpenCodes(context, votes, task)
  const findings = found.filter(({ issue_code: code }) => (codes.length > 0 ? codes.includes(code) : open(code)))
  if (findings.length === 0) return refuse('the last votes have no finding that is still open')
  const { repository } = votes
  const order = { repository, findings, task, base: head, against: baseCommit, allowDirty: true }
  const asked = findings.map(({ issue_code }) => issue_code)
  return { kind: 'fix', by, codes: asked, order, branch, head, commits: [head, baseCommit] }
}

/** The last ones that were posted on the pull request and have a record. */
async function findLastVotes(
  { store }: ActivityContext,
  { remote, number }: PullCommandInput,
): Promise<SessionRecord | undefined> {
  const place = formatPlace(remote)
  return (await store.sessions.list({ kind: 'votes' })).find((session) => {
    const target = parseVotesTarget(session)
    if (target?.number !== number || session.result?.votes === undefined) return false
    return formatPlace(target.remote) === place
  })
}

async function loadVoteRecord(context: ActivityContext, ref: string, pull: string): Promise<VoteRecord> {
  try {
    return await loadArtifact(context, ref, VoteRecord)
  } catch (error) {
    if (error instanceof FixwrightError) throw error
    const advice = `"fixwright review-pr --pr ${pull} --post" votes anew`
    throw new FixwrightError(
      'artifact_not_found',
      `the last votes can't be read (${(error as Error).message}): ${advice}`,
    )
  }
}

function formatPlace(remote: string): string | undefined {
  const address = parseRemote(remote)
  return address && formatAddress(address).toLowerCase()
}

/** A finding that nobody asked for yet is in no task. */
async function listOpenCodes(
  { store }: ActivityContext,
  { repository_id }: SessionRecord,
  task_id: string,
): Promise<(code: string) => boolean> {
  const known = new Map((await store.issues.list({ repository_id, task_id })).map((each) => [each.issue_code, each]))
  return (code) => {
    const issue = known.get(code)
    return issue === undefined || issue.status === 'open'
  }
}

interface GivenAnswers {
  readonly by: string
  readonly answers: readonly CommentAnswer[]
  readonly skip: boolean
}

/** They belong to the questions that are open now, of the one session that a comment on this pull request has started and that asks. */
async function readAnswers(
  { store, masking }: ActivityContext,
  input: PullCommandInput,
  { by, answers, skip }: GivenAnswers,
): Promise<ReadCommand> {
  const refuse = (why: string): ReadCommand => ({ kind: 'refused', by, why })
  const prefix = formatPullPrefix(input)
  const asking = (await store.sessions.list({ running: true })).filter(
    ({ workflow_id, decision }) => workflow_id.startsWith(prefix) && decision?.kind === 'clarification',
  )
  const [session, ...others] = asking
  if (session?.decision?.kind !== 'clarification') return refuse('no session of this pull request has an open question')
  if (others.length > 0) {
    const ids = asking.map(({ session_id }) => session_id).join(', ')
    return refuse(`several sessions ask (${ids}): answer where they run, with "fixwright answer"`)
  }
  const { questions, request } = session.decision
  const wrong = answers.find(({ number }) => questions[number - 1] === undefined)
  if (wrong !== undefined) return refuse(`there is no question ${wrong.number}; there are ${questions.length}`)
  const given = answers.map(({ number, text }) => [questions[number - 1]?.id ?? '', text] as const)
  // The history holds the message from here on.
  const message = { answers: await masking.maskValues(Object.fromEntries(given)), skip, request }
  return { kind: 'answer', by, sessionId: session.session_id, message }
}
