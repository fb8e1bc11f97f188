// The form of a case, and what the cases share.
import type { NewEvent } from '../../../../../src/domain/session/events/index.ts'

/** An event, made by its constructor, with the key that it is known by and the sentence that people read. */
export type Case = readonly [event: NewEvent, key: string, message: string]

export const AT = Date.parse('2026-11-18T12:00:00.000Z')
export const ADA = { by: 'Ada', from: 'terminal', at: AT }
export const ISSUE = { issue_code: 'A', issue_id: 'i1', issue_index: 1, total_issues: 2 }
export const COMMIT = '0123456789abcdef'
export const FILES = Array.from({ length: 130 }, (_, index) => `f${index + 1}`)
export const FIRST_TEN = FILES.slice(0, 10).join(', ')
