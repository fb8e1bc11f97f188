import { readFile } from 'node:fs/promises'
import { type Finding, type ParsedFindings, parseFindings } from '../domain/issue/parse-findings.ts'
import { describeReadError } from './file-errors.ts'

/** Text that begins with `{` or `[` is JSON, any other text names a file, and any other value is parsed JSON. */
export type FindingsInput = string | object

export type FindingsReading =
  | { readonly kind: 'unreadable'; readonly problem: string }
  /** Each problem names its file. */
  | { readonly kind: 'read'; readonly all: readonly Finding[]; readonly problems: readonly string[] }

export async function readFindings(input: FindingsInput, root: string): Promise<FindingsReading> {
  if (!isFileName(input)) return toReading(parseFindings(input, { root }), nameFindings(input))
  const text = await readFile(input, 'utf8').catch((error: NodeJS.ErrnoException) => error)
  if (text instanceof Error)
    return { kind: 'unreadable', problem: `the findings file ${input} can't be read: ${describeReadError(text)}` }
  return toReading(parseFindings(text, { root }), input)
}

export function nameFindings(input: FindingsInput): string {
  return isFileName(input) ? input : 'the findings'
}

function isFileName(input: FindingsInput): input is string {
  return typeof input === 'string' && !/^\s*[[{]/.test(input)
}

function toReading({ issues = [], problems = [] }: ParsedFindings, name: string): FindingsReading {
  return { kind: 'read', all: issues, problems: problems.map((problem) => `${name}: ${problem}`) }
}
