// The identity of a result, from the code that it is about and not from its line: it stays the same while lines are inserted above.
import { createHash } from 'node:crypto'
import { toToolKey } from '../../domain/issue/tool-key.ts'
import { hashJson } from '../../domain/session/idempotency-key.ts'
import type { ReportedResult } from './importer.ts'

/** As many as CodeQL's own uploader takes. */
const BLOCK_CHARACTERS = 100

export interface Fingerprint {
  /** Of tool, rule, file and code. */
  readonly fingerprint: string
  /** Of the code alone, so that a moved file can be recognised. */
  readonly codeHash: string
}

export type CodeHasher = (line: number) => string | undefined

/** Hashes the code that begins at a line: its first 100 characters that are not blank, and how many lines before begin the same. */
export function createCodeHasher(content: string): CodeHasher {
  const lines = content.split('\n').map((line) => line.replace(/\s+/g, ''))
  const code = lines.join('')
  const seen = new Map<string, number>()
  let offset = 0
  const blocks = lines.map((line) => {
    const block = code.slice(offset, offset + BLOCK_CHARACTERS)
    offset += line.length
    const before = seen.get(block) ?? 0
    // A blank line begins as the next one does, and would count it twice.
    if (line !== '') seen.set(block, before + 1)
    return { block, before }
  })
  return (line) => {
    const { block = '', before } = blocks[line - 1] ?? {}
    return block === '' ? undefined : `${hashText(block)}:${before}`
  }
}

/** Without the file's code, the tool's hash of it decides, then the report's copy of it, then the message. */
export function computeFingerprint(
  { tool, rule, place, lineHash, message }: ReportedResult,
  file: string,
  hashCode: CodeHasher | undefined,
): Fingerprint {
  const snippet = place?.snippet?.replace(/\s+/g, '').slice(0, BLOCK_CHARACTERS)
  const codeHash =
    (place?.line === undefined ? undefined : hashCode?.(place.line)) ?? lineHash ?? hashText(snippet || message)
  return { codeHash, fingerprint: hashJson([toToolKey(tool), rule, file, codeHash]) }
}

function hashText(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}
