// `fixwright answer SESSION`: answers a session's questions, one by one at the terminal, from options, or from a file.

import { readFileSync } from 'node:fs'
import { FixwrightError, RefusedError } from '../../app/errors.ts'
import { describeReadError } from '../../app/format-values.ts'
import type { SessionState } from '../../domain/session/session-state.ts'
import { withSessionConversation } from '../session/message-session.ts'
import { printNotice } from '../terminal/console.ts'
import { describeQuestion, describeWait } from '../terminal/describe-decision.ts'
import { isInteractive } from '../terminal/prompt.ts'

export interface AnswerOptions {
  readonly json: boolean
  /** `ID=text`. */
  readonly answers: readonly string[]
  readonly file?: string | undefined
  readonly skip: boolean
}

export async function runAnswerCommand(typed: string, options: AnswerOptions): Promise<number> {
  const answers = collectAnswers(options)
  return withSessionConversation(typed, async (conversation) => {
    if (Object.keys(answers).length > 0 || options.skip) {
      await conversation.send('answerClarification', { answers, skip: options.skip })
      return await conversation.finish(options.json)
    }
    const state = await conversation.state()
    if (state.questions.length === 0) throw new RefusedError('bad_input', [describeNothingAsked(state)])
    if (!isInteractive()) throw new FixwrightError('bad_input', printHowToAnswer(state))
    await conversation.askOpenItems(state)
    return await conversation.finish(options.json)
  })
}

function collectAnswers({ answers, file }: AnswerOptions): Record<string, string> {
  const problems: string[] = []
  const all = new Map<string, string>()
  const add = (id: string, text: string): void => {
    if (all.has(id) && all.get(id) !== text) problems.push(`${id} is answered twice, differently`)
    all.set(id, text)
  }
  if (file !== undefined) for (const [id, text] of Object.entries(parseAnswersFile(file))) add(id, text)
  for (const each of answers) {
    const at = each.indexOf('=')
    if (at < 1) problems.push(`--answer ${each}: must be ID=text, as in --answer FUNC-001-q1="the strict one"`)
    else add(each.slice(0, at).trim(), each.slice(at + 1))
  }
  if (problems.length > 0) throw new RefusedError('bad_input', problems)
  return Object.fromEntries(all)
}

function parseAnswersFile(file: string): Record<string, string> {
  let content: unknown
  try {
    content = JSON.parse(readFileSync(file === '-' ? 0 : file, 'utf8'))
  } catch (error) {
    throw new RefusedError('file_unusable', [`the answers in ${file} can't be read: ${describeReadError(error)}`])
  }
  const entries =
    typeof content === 'object' && content !== null && !Array.isArray(content) ? Object.entries(content) : []
  const isAll = entries.length > 0 && entries.every(([, text]) => typeof text === 'string')
  if (!isAll)
    throw new RefusedError('file_unusable', [
      `${file} must hold answers by the ids of their questions: {"FUNC-001-q1": "the strict one"}`,
    ])
  return Object.fromEntries(entries)
}

function describeNothingAsked(state: SessionState): string {
  const { session_id, ended_at, status, waiting } = state
  if (ended_at !== null) return `session ${session_id} has ended: ${status}`
  return `session ${session_id} asks nothing now${waiting === null ? '' : `; it ${describeWait(state)}`}`
}

function printHowToAnswer({ session_id, questions }: SessionState): string {
  for (const question of questions) printNotice(describeQuestion(question, process.stderr))
  return `nothing was changed: give --answer ${questions[0]?.id}="…" (repeatable), --file answers.json, or --skip; "fixwright answer ${session_id}" on a terminal asks one by one`
}
