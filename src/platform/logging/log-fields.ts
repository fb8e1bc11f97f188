export type LogFields = Readonly<Record<string, unknown>>

const MAX_DEPTH = 6

/** Converts fields to what JSON can hold: errors with their stacks and causes, and limited in depth. */
export function toLogFields(fields: LogFields, depth = 0): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, toLogValue(value, depth)]))
}

function toLogValue(value: unknown, depth: number): unknown {
  if (typeof value === 'bigint' || typeof value === 'symbol') return String(value)
  if (typeof value === 'function') return undefined
  if (typeof value !== 'object' || value === null) return value
  if (depth >= MAX_DEPTH) return '…'
  if (value instanceof Error) return toLogFields(toErrorFields(value), depth + 1)
  if (Array.isArray(value)) return value.map((each) => toLogValue(each, depth + 1))
  if (value instanceof Date) return value.toISOString()
  return toLogFields(value as LogFields, depth + 1)
}

/** `type` is how Temporal identifies a failure. */
function toErrorFields(error: Error & { readonly code?: unknown; readonly type?: unknown }): LogFields {
  const { name, message, stack, code, type, cause } = error
  return { name, message, stack, code, type, cause }
}
