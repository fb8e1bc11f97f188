// The findings that a start is given: a file, the JSON itself, or the value that it stands for.
import { readFile } from 'node:fs/promises'
import { type Finding, type ParsedFindings, parseFindings } from '../domain/issue/parse-findings.ts'
import { describeReadError } from './file-errors.ts'

/** A text that begins with `{` or `[` is JSON, any other text names a file; what is no text is taken as it is. */
export type FindingsInput = string | object

export type FindingsReading =
  | { readonly kind: 'unreadable'; readonly problem: string }
  /** Each problem names the file it is in. */
  | { readonly kind: 'read'; readonly all: readonly Finding[]; readonly problems: readonly string[] }

export async function readFindings(input: FindingsInput, root: string): Promise<FindingsReading> {
  if (!isFileName(input)) return toReading(parseFindings(input, { root }), nameFindings(input))
  const text = await readFile(input, 'utf8').catch((error: NodeJS.ErrnoException) => error)
  if (text instanceof Error)
    return { kind: 'unreadable', problem: `the findings file ${input} can't be read: ${describeReadError(text)}` }
  return toReading(parseFindings(text, { root }), input)
}

/** What problems in them are told of. */
export function nameFindings(input: FindingsInput): string {
  return isFileName(input) ? input : 'the findings'
}

function isFileName(input: FindingsInput): input is string {
  return typeof input === 'string' && !/^\s*[[{]/.test(input)
}

function toReading({ issues = [], problems = [] }: ParsedFindings, name: string): FindingsReading {
  return { kind: 'read', all: issues, problems: problems.map((problem) => `${name}: ${problem}`) }
}
