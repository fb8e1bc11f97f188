// Comments that tell the thread of a pull request about a command: what was started, what is asked, and how it ended.
import type { OpenDecision, SessionRecord } from '../session/session.ts'
import { renderMarkdownTable } from '../text/markdown-table.ts'
import type { CommandReply } from '../workflow-types/commands.ts'
import { toPostedLine } from './posted-text.ts'

const MAX_CHARACTERS = 1_000

type Clarification = Extract<OpenDecision, { readonly kind: 'clarification' }>

export interface ReplyFacts {
  readonly sessionId: string | undefined
  /** Absent while its order is being checked, and where it was refused. */
  readonly session: SessionRecord | undefined
}

/** Undefined where there is nothing to say: somebody has answered the question meanwhile. */
export function composeReply(reply: CommandReply, { sessionId, session }: ReplyFacts): string | undefined {
  switch (reply.kind) {
    case 'refused':
      return `**Not done**: ${toPosted(reply.why)}`
    case 'started':
      return [
        `**At work** on ${reply.codes.join(', ')}, from ${reply.head.slice(0, 12)} on, in session \`${sessionId}\`.`,
        ...(session?.waiting === undefined ? [] : [describeWait(session)]),
      ].join('\n\n')
    case 'questions':
      return session?.decision?.kind === 'clarification' ? composeQuestions(session.decision, sessionId) : undefined
    case 'ended':
      return composeEnd(reply, session, sessionId)
  }
}

function describeWait({ waiting, decision, session_id: id }: SessionRecord): string {
  const reason = `It waits: ${toPosted(waiting?.reason ?? '')}`
  if (decision?.kind === 'clarification') return `${reason} Its questions stand below.`
  if (decision === undefined) return reason
  return `${reason} That is decided where it runs: \`fixwright ${decision.kind} ${id}\`.`
}

function composeQuestions({ questions }: Clarification, sessionId: string | undefined): string {
  const list = questions.map(({ issue_code: code, question, context }, index) => {
    const about = code === undefined ? '' : ` (${code})`
    const more = context.trim() === '' ? '' : `\n   ${toPosted(context)}`
    return `${index + 1}.${about} ${toPosted(question)}${more}`
  })
  return [
    `**Questions** of session \`${sessionId}\``,
    list.join('\n'),
    'Answer in a new comment, which begins with `/answer`, the number of the question and the answer; further lines beginning so answer further ones. `/skip` goes on without answers. Who may write to this repository may answer.',
  ].join('\n\n')
}

function composeEnd(
  { pull, problem, isOthers }: Extract<CommandReply, { readonly kind: 'ended' }>,
  session: SessionRecord | undefined,
  sessionId: string | undefined,
): string {
  if (isOthers)
    return `**Already at work**: session \`${sessionId}\` does this, as somebody else has asked for; it says there what comes of it.`
  const result = session?.result
  if (result === undefined) return `**Ended** without a result: session \`${sessionId}\`.`
  const { issues_fixed: fixed, issues_requested: requested, ending } = result
  const rows = result.results.map(({ issue_code, status, commit_sha, error }) => {
    const became = commit_sha === undefined ? toPosted(error ?? status) : `fixed by ${commit_sha.slice(0, 12)}`
    return [issue_code, became]
  })
  return [
    `**Fixed ${fixed} of ${requested}** in session \`${sessionId}\`.`,
    ...(ending === undefined ? [] : [toPosted(ending.reason)]),
    ...(rows.length === 0 ? [] : [renderMarkdownTable(['finding', 'what became of it'], rows)]),
    ...(pull === undefined ? [] : [`Its commits are in #${pull}, which asks to be merged into this branch.`]),
    ...(problem === undefined ? [] : [`Its commits could not be brought here: ${toPosted(problem)}`]),
  ].join('\n\n')
}

/** The body of the pull request with the commits. */
export function composeCommandBody({ result, session_id: id }: SessionRecord, number: number): string {
  const commits = (result?.commits ?? []).map(({ sha, message, issue_codes }) => {
    const [subject = ''] = message.split('\n', 1)
    return `- ${sha.slice(0, 12)} ${toPosted(subject)} (${issue_codes.join(', ')})`
  })
  return [
    `Findings of the votes on #${number}, fixed in session \`${id}\` because somebody asked for it there.`,
    commits.join('\n'),
  ].join('\n\n')
}

function toPosted(text: string): string {
  return toPostedLine(text, MAX_CHARACTERS)
}
