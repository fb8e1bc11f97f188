// Reads what a start is given: the findings, and the review that they come from, as background for the agents.
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { type Finding, parseFindings } from '../domain/issue/parse-findings.ts'
import { describeReadError } from './file-errors.ts'

/** Text that begins with `{` or `[` is JSON, any other text names a file, and any other value is parsed JSON. */
export type FindingsInput = string | object

export interface GivenFindings {
  readonly findings: FindingsInput
  /** The codes of the chosen findings; all by default. */
  readonly only?: readonly string[] | undefined
}

export interface GivenReview {
  /** Files with the review's report, in Markdown. */
  readonly context?: readonly string[] | undefined
  /** The report itself. */
  readonly review?: string | undefined
}

export type FindingsReading =
  | { readonly kind: 'unreadable'; readonly problem: string }
  | {
      readonly kind: 'read'
      readonly all: readonly Finding[]
      /** In the order of the review. */
      readonly chosen: readonly Finding[]
      /** Each names its file. */
      readonly problems: readonly string[]
    }

export async function readFindings({ findings, only }: GivenFindings, root: string): Promise<FindingsReading> {
  const isFile = typeof findings === 'string' && !/^\s*[[{]/.test(findings)
  const name = isFile ? findings : 'the findings'
  const given = isFile ? await readFile(findings, 'utf8').catch((error: Error) => error) : findings
  if (isFile && given instanceof Error)
    return { kind: 'unreadable', problem: `the findings file ${name} can't be read: ${describeReadError(given)}` }
  const { issues: all = [], problems = [] } = parseFindings(given, { root })
  const unknown = problems.length > 0 ? [] : listUnknownCodes(all, only)
  return {
    kind: 'read',
    all,
    chosen: only === undefined ? all : all.filter(({ issue_code }) => only.includes(issue_code)),
    problems: [...problems, ...unknown].map((problem) => `${name}: ${problem}`),
  }
}

function listUnknownCodes(findings: readonly Finding[], only: readonly string[] = []): string[] {
  const unknown = only.filter((code) => !findings.some(({ issue_code }) => issue_code === code))
  return unknown.map((code) => `there is no finding ${code} to choose`)
}

/** The limit for all files together. */
export const MAX_REVIEW_BYTES = 1 << 20

export interface ReviewReport {
  /** Absent if no review was given, or it is empty. */
  readonly text?: string | undefined
  readonly problems: readonly string[]
}

/** A file that is no text, or too long, is refused. */
export async function readReview({ context = [], review }: GivenReview): Promise<ReviewReport> {
  if (review !== undefined) return checkReviewLength(review.trimEnd(), 'the review')
  const read = await Promise.all(context.map(readReviewFile))
  const problems = read.flatMap(({ problem }) => problem ?? [])
  if (problems.length > 0) return { problems }
  const texts = read.flatMap(({ file, text = '' }) => (text.trim() === '' ? [] : [{ file, text: text.trimEnd() }]))
  // If there are several files, each begins with its name.
  const parts =
    texts.length > 1 ? texts.map(({ file, text }) => `${basename(file)}:\n\n${text}`) : texts.map((one) => one.text)
  return checkReviewLength(parts.join('\n\n'), 'the files given with --context together')
}

function checkReviewLength(text: string, what: string): ReviewReport {
  if (Buffer.byteLength(text) > MAX_REVIEW_BYTES) return { problems: [formatTooLong(what)] }
  return text === '' ? { problems: [] } : { text, problems: [] }
}

interface ReadReviewFile {
  readonly file: string
  readonly text?: string
  readonly problem?: string
}

/** Reads at most one byte over the limit: the file may be a pipe, or without end. */
async function readReviewFile(file: string): Promise<ReadReviewFile> {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of createReadStream(file, { end: MAX_REVIEW_BYTES })) chunks.push(chunk)
  } catch (error) {
    return { file, problem: `the review ${file} can't be read: ${describeReadError(error)}` }
  }
  const bytes = Buffer.concat(chunks)
  if (bytes.length > MAX_REVIEW_BYTES) return { file, problem: formatTooLong(`the review ${file}`) }
  const text = decodeUtf8Text(bytes)
  if (text === undefined)
    return { file, problem: `the review ${file} is no UTF-8 text: give --context a Markdown file` }
  return { file, text }
}

function decodeUtf8Text(bytes: Buffer): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return text.includes('\0') ? undefined : text
  } catch {
    return undefined
  }
}

function formatTooLong(what: string): string {
  return `${what} would be longer than ${MAX_REVIEW_BYTES / 1024} KiB: give --context only the part that is about these findings`
}
