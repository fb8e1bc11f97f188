// The review that the findings come from, as a person gives it along: Markdown that the agents read as background. It is looked at
// before anything begins: what is no text, or too long for anybody to read, is refused and never guessed at.
import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import { describeReadError } from './file-errors.ts'

/** For all files together. */
export const MAX_REVIEW_BYTES = 1 << 20

export interface ReviewReport {
  /** Absent where nothing was given, or nothing is in it. */
  readonly text?: string | undefined
  readonly problems: readonly string[]
}

/** In the order given; several are told apart by the names of their files. */
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

/** One that came as a text. */
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

/** No more of it than may be: it may be a pipe, or a file without end. */
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
