// What a comment on a pull request asks for. Its first line says whether it is a command at all; whoever wrote it, nothing of it is run.
export type CommentCommand =
  /** Without codes: all open findings of the last votes. */
  | { readonly kind: 'fix'; readonly codes: readonly string[] }
  | { readonly kind: 'answer'; readonly answers: readonly CommentAnswer[] }
  /** Goes on without answers. */
  | { readonly kind: 'skip' }
  | { readonly kind: 'unreadable'; readonly why: string }

export interface CommentAnswer {
  /** The number of the question, as the thread shows it. */
  readonly number: number
  readonly text: string
}

const COMMAND = /^\/(fix|answer|skip)(?=\s|$)[ \t]*(.*)$/
const CODE = /^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$/
const MAX_CODES = 100
const HOW_TO_ANSWER = 'write /answer, the number of the question, and the answer, as in "/answer 1 Use the second one"'

/** Cheap, and asks nobody: most comments are none. */
export function isCommand(body: string): boolean {
  return COMMAND.test(firstLine(body))
}

/** Undefined if it is no command. Only `/answer` has more than one line: its text goes on up to the next `/answer`. */
export function parseCommand(body: string): CommentCommand | undefined {
  const [, verb, rest = ''] = COMMAND.exec(firstLine(body)) ?? []
  if (verb === 'answer') return parseAnswers(body)
  if (verb === 'skip') return rest.trim() === '' ? { kind: 'skip' } : unreadable('/skip stands alone')
  return verb === 'fix' ? parseCodes(rest) : undefined
}

function parseCodes(rest: string): CommentCommand {
  const codes = [...new Set(rest.split(/[\s,]+/).filter((code) => code !== ''))]
  const wrong = codes.find((code) => !CODE.test(code))
  if (wrong !== undefined || codes.length > MAX_CODES)
    return unreadable('after /fix come the codes of findings alone, as in "/fix F001 F003", or nothing for all')
  return { kind: 'fix', codes }
}

function parseAnswers(body: string): CommentCommand {
  const parts = body
    .trim()
    .split(/^(?=\/answer(?:\s|$))/m)
    .map((part) => /^\/answer\s+(\d{1,3})[.):]?\s+(\S.*)$/s.exec(part.trim()))
  const answers = parts.flatMap((part) => (part ? [{ number: Number(part[1]), text: `${part[2]}`.trim() }] : []))
  if (answers.length < parts.length) return unreadable(HOW_TO_ANSWER)
  const isTwice = new Set(answers.map(({ number }) => number)).size < answers.length
  return isTwice ? unreadable('it answers a question twice') : { kind: 'answer', answers }
}

function unreadable(why: string): CommentCommand {
  return { kind: 'unreadable', why }
}

function firstLine(body: string): string {
  return body.replaceAll('\r', '').split('\n', 1)[0] ?? ''
}
