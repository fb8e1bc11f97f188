// Answers that outlive their session: they hold again if the same issue with the same text comes back.

import { isSameQuestion, nextQuestionId } from '../../domain/people/clarification-questions.ts'
import { type AnsweredQuestion, countJsonBytes, MAX_ANSWERS_BYTES } from '../../domain/people/validate-messages.ts'
import { hashIssueText, hashJson } from '../../domain/session/idempotency-key.ts'
import type { IssueRecord } from '../../domain/session/store-records.ts'
import { type ActivityContext, claimedIssues, type Session } from '../context.ts'

/** Stands for all issues of a session; the hash tells it from an issue with this code. */
const GENERAL_ISSUE_CODE = 'general'

export async function rememberAnswers(
  context: ActivityContext,
  session: Session,
  answers: readonly AnsweredQuestion[],
): Promise<void> {
  const issues = claimedIssues(session)
  for (const { id, code, question, answer, by, at } of answers) {
    const asked =
      code === undefined
        ? generalAnswerKey(issues)
        : issues.filter((each) => each.issue_code === code).map(issueAnswerKey)[0]
    if (!asked) continue
    await context.store.answers.add({
      ...asked,
      session_id: session.id,
      repository_id: session.record.repository_id,
      question_id: id,
      ...(await context.masking.maskValues({ question, answer })),
      answered_by: by,
      answered_at: new Date(at).toISOString(),
    })
  }
}

/** The answers of earlier sessions that this one does not have yet, under ids of its own. */
export async function findEarlierAnswers(
  { store }: ActivityContext,
  session: Session,
  issues: readonly IssueRecord[],
  answered: readonly AnsweredQuestion[],
): Promise<AnsweredQuestion[]> {
  const all = generalAnswerKey(issues)
  const known = await store.answers.listForIssues(session.record.repository_id, [all, ...issues.map(issueAnswerKey)])
  const found = [...answered]
  // Half of the room stays free for this session's own questions.
  let room = MAX_ANSWERS_BYTES / 2 - countJsonBytes(answered)
  for (const { issue_code, text_hash, question, answer, answered_by, answered_at, session_id } of known) {
    const code = text_hash === all.text_hash ? undefined : issue_code
    const about = code === undefined ? {} : { code }
    if (found.some((each) => isSameQuestion(each, { ...about, question }))) continue
    const decided = { by: answered_by, from: `session ${session_id}`, at: Date.parse(answered_at) }
    const reused = { id: nextQuestionId(code, found), ...about, question, context: '', answer, ...decided }
    const bytes = countJsonBytes([reused])
    if (bytes > room) continue
    room -= bytes
    found.push(reused)
  }
  return found.slice(answered.length)
}

interface AnswerKey {
  readonly issue_code: string
  readonly text_hash: string
}

function issueAnswerKey(issue: IssueRecord): AnswerKey {
  return { issue_code: issue.issue_code, text_hash: hashIssueText(issue) }
}

/** A general answer holds again only if all of the same issues come back. */
function generalAnswerKey(issues: readonly IssueRecord[]): AnswerKey {
  const each = issues.map(issueAnswerKey).map(({ issue_code, text_hash }) => [issue_code, text_hash].join(' '))
  return { issue_code: GENERAL_ISSUE_CODE, text_hash: hashJson(['all of', ...each.sort()]).slice(0, 32) }
}
