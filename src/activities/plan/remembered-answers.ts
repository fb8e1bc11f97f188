// What people answered, kept beyond the session: where the same issue comes back in the same repository with the same text, its
// questions are answered already. An answer about everything holds again where all of the same issues come back.

import { isSameQuestion, nextQuestionId } from '../../domain/people/clarification-questions.ts'
import { type Answered, bytesOf, MOST_BYTES } from '../../domain/people/validate-messages.ts'
import { hashOf, issueTextHash } from '../../domain/session/idempotency-key.ts'
import type { IssueRecord } from '../../domain/session/records.ts'
import { type Session, todoOf, type Workshop } from '../context.ts'

/** Stands for all issues of a session, told apart from an issue of that name by its hash. */
const GENERAL = 'general'

export async function keepAnswers(shop: Workshop, session: Session, answers: readonly Answered[]): Promise<void> {
  const issues = todoOf(session)
  for (const { id, code, question, answer, by, at } of answers) {
    const asked = code === undefined ? allOf(issues) : issues.filter((each) => each.issue_code === code).map(askedOf)[0]
    if (!asked) continue
    await shop.store.answers.keep({
      ...asked,
      session_id: session.id,
      repository: session.record.repository,
      question_id: id,
      ...(await shop.masking.values({ question, answer })),
      answered_by: by,
      answered_at: new Date(at).toISOString(),
    })
  }
}

/** Those of earlier sessions that this one has not heard yet, under ids of its own. */
export async function earlierAnswers(
  { store }: Workshop,
  session: Session,
  issues: readonly IssueRecord[],
  answered: readonly Answered[],
): Promise<Answered[]> {
  const all = allOf(issues)
  const known = await store.answers.of(session.record.repository, [all, ...issues.map(askedOf)])
  const found = [...answered]
  // Half of the room is for what this session asks itself.
  let room = MOST_BYTES / 2 - bytesOf(answered)
  for (const { issue_code, text_hash, question, answer, answered_by, answered_at, session_id } of known) {
    const code = text_hash === all.text_hash ? undefined : issue_code
    const about = code === undefined ? {} : { code }
    if (found.some((each) => isSameQuestion(each, { ...about, question }))) continue
    const decided = { by: answered_by, from: `session ${session_id}`, at: Date.parse(answered_at) }
    const reused = { id: nextQuestionId(code, found), ...about, question, context: '', answer, ...decided }
    const bytes = bytesOf([reused])
    if (bytes > room) continue
    room -= bytes
    found.push(reused)
  }
  return found.slice(answered.length)
}

interface Asked {
  readonly issue_code: string
  readonly text_hash: string
}

function askedOf(issue: IssueRecord): Asked {
  return { issue_code: issue.issue_code, text_hash: issueTextHash(issue) }
}

function allOf(issues: readonly IssueRecord[]): Asked {
  const each = issues.map(askedOf).map(({ issue_code, text_hash }) => [issue_code, text_hash].join(' '))
  return { issue_code: GENERAL, text_hash: hashOf(['all of', ...each.sort()]).slice(0, 32) }
}
