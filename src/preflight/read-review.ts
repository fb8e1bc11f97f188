// Reads the review that the findings come from, as background for the agents. A file that is no text, or too long, is refused.
import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import { describeReadError } from './file-errors.ts'

/** The limit for all files together. */
export const MAX_REVIEW_BYTES = 1 << 20

export interface ReviewReport {
  /** Absent if no review was given, or it is empty. */
  readonly text?: string | undefined
  readonly problems: readonly string[]
}

/** Joins the files in the given order. If there are several, each begins with its name. */
export async function readReview(files: readonly string[]): Promise<ReviewReport> {
  const read = await Promise.all(files.map(readReviewFile))
  const problems = read.flatMap(({ problem }) => problem ?? [])
  if (problems.length > 0) return { problems }
  const texts = read.flatMap(({ file, text = '' }) => (text.trim() === '' ? [] : [{ file, text: text.trimEnd() }]))
  const whole =
    texts.length > 1 ? texts.map(({ file, text }) => `${basename(file)}:\n\n${text}`) : texts.map((one) => one.text)
  const text = whole.join('\n\n')
  if (Buffer.byteLength(text) > MAX_REVIEW_BYTES)
    return { problems: [formatTooLong('the files given with --context together')] }
  return text === '' ? { problems } : { text, problems }
}

export function checkReview(review: string): ReviewReport {
  const text = review.trimEnd()
  if (Buffer.byteLength(text) > MAX_REVIEW_BYTES) return { problems: [formatTooLong('the review')] }
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
