// Reads the review that findings come from, as background for the agents.
import { basename } from 'node:path'
import { describeReadError } from './file-errors.ts'
import { readAtMost } from './read-at-most.ts'

export interface GivenReview {
  /** Files with the review's report, in Markdown. */
  readonly context?: readonly string[] | undefined
  /** The report itself. */
  readonly review?: string | undefined
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

async function readReviewFile(file: string): Promise<ReadReviewFile> {
  let bytes: Buffer | undefined
  try {
    bytes = await readAtMost(file, MAX_REVIEW_BYTES)
  } catch (error) {
    return { file, problem: `the review ${file} can't be read: ${describeReadError(error)}` }
  }
  if (bytes === undefined) return { file, problem: formatTooLong(`the review ${file}`) }
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
