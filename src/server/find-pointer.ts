// Finds the member of a body that a refusal is about. Refusals come from the checks that terminal, scripts and orders have, too: they name
// an option, a setting by its path, or a place in a report.
import type { ErrorCode } from '../domain/errors/error-codes.ts'

/** The member that a refusal of this code is about, where the body has it. */
const MEMBERS: Partial<Record<ErrorCode, string>> = {
  settings_invalid: 'settings',
  findings_invalid: 'report',
  branch_unusable: 'branch',
  path_not_allowed: 'path',
  remote_not_allowed: 'url',
  repository_unreachable: 'url',
}

/** A JSON pointer; empty where it is about the whole body, or about no part of it. */
export function findPointer(code: ErrorCode, detail: string, body: unknown): string {
  if (typeof body !== 'object' || body === null) return ''
  const [, option = ''] = /--([a-z][a-z-]*)/.exec(detail) ?? []
  const named = option.replaceAll('-', '_')
  const member = [MEMBERS[code] ?? '', named].find((name) => Object.hasOwn(body, name))
  if (member === undefined) return ''
  return `/${member}${findWithin(member, detail, (body as Record<string, unknown>)[member])}`
}

function findWithin(member: string, detail: string, value: unknown): string {
  if (member === 'report') return /^the findings: ((?:\/[^/:\s]+)+): /.exec(detail)?.[1] ?? ''
  if (member !== 'settings' || typeof value !== 'object' || value === null) return ''
  const [setting] = Object.keys(value)
    .filter((path) => path !== '' && detail.includes(path))
    .sort((a, b) => b.length - a.length)
  return setting === undefined ? '' : `/${escapePointer(setting)}`
}

export function escapePointer(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1')
}
