// Parses JSON: of a person, whose mistake is reported with its line and column, and of a program, which is JSON or is not.
import { toOneLine } from './truncate.ts'

export type ParsedJson =
  | { readonly value: unknown; readonly problem?: undefined }
  | { readonly problem: string; readonly value?: undefined }

export function parseJson(text: string): ParsedJson {
  const json = text.replace(/^\uFEFF/, '')
  if (json.trim() === '') return { problem: 'is empty' }
  // What UTF-16 looks like, in which PowerShell's `>` writes.
  if (json.includes('\0') || json.startsWith('\uFFFD')) return { problem: 'is no UTF-8 text: save it as UTF-8' }
  try {
    return { value: JSON.parse(json) }
  } catch (error) {
    const before = json.slice(0, findBadPosition(json)).split('\n')
    const reason = error instanceof Error ? error.message.replace(/ in JSON at position.*| \(line .*/s, '') : ''
    return {
      problem: `line ${before.length}, column ${(before.at(-1) ?? '').length + 1}: is not JSON: ${toOneLine(reason)}`,
    }
  }
}

/** Undefined if it is no JSON. */
export function parseJsonIfValid(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Bisects, as the engine does not always say where the error is: the longest beginning of possible JSON ends right before it. */
function findBadPosition(json: string): number {
  let [good, bad] = [0, json.length + 1]
  while (bad - good > 1) {
    const middle = (good + bad) >> 1
    if (isJsonPrefix(json.slice(0, middle))) good = middle
    else bad = middle
  }
  return good
}

function isJsonPrefix(beginning: string): boolean {
  try {
    JSON.parse(beginning)
    return true
  } catch (error) {
    const message = error instanceof Error ? error.message : ''
    const position = /at position (\d+)/.exec(message)?.[1]
    return /end of JSON|Unterminated string/.test(message) || Number(position ?? -1) >= beginning.length
  }
}
