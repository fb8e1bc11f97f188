// Reads values as models write them, without guessing: a number as a string of that number, one text for a list of one.
import { truncateText } from '../../domain/text/truncate.ts'

export type RawObject = Readonly<Record<string, unknown>>

/** A number from 0 to 100, or undefined; `otherwise` is called for any other value. */
export function toPercent(value: unknown, otherwise: () => void): number | undefined {
  if (value === undefined || value === null) return undefined
  const number = typeof value === 'string' && /^\s*\d{1,3}(\.\d+)?\s*$/.test(value) ? Number(value) : value
  if (typeof number === 'number' && number >= 0 && number <= 100) return number
  otherwise()
  return undefined
}

export function toBoolean(value: unknown): unknown {
  if (value === null) return undefined
  if (value === 'true') return true
  return value === 'false' ? false : value
}

export function toStringList(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []
}

export function trimIfString(value: unknown): unknown {
  return typeof value === 'string' ? value.trim() : value
}

/** Short and on one line, for notes. */
export function describeValue(value: unknown): string {
  return truncateText(JSON.stringify(value) ?? 'nothing', 80)
}
