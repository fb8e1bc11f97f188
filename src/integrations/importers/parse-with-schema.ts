// Parses a report by a schema that is permissive about what nobody reads. Every problem names its place by a JSON pointer.

import { z } from 'zod'
import { isJsonObject } from '../../domain/text/parse-json.ts'

export type Parsed<T> =
  | { readonly data: T; readonly problems?: undefined }
  | { readonly problems: readonly string[]; readonly data?: undefined }

const MAX_PROBLEMS = 20

export function parseWithSchema<T>(schema: z.ZodType<T>, value: unknown): Parsed<T> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return { data: parsed.data }
  const problems = parsed.error.issues.map(
    ({ path, message }) => `${toPointer(path)}: ${message.replace(/^Invalid input: /, '')}`,
  )
  const more = problems.length - MAX_PROBLEMS
  return { problems: more > 0 ? [...problems.slice(0, MAX_PROBLEMS), `and ${more} more problems`] : problems }
}

/** RFC 6901. */
export function toPointer(path: readonly PropertyKey[]): string {
  return path.map((each) => `/${String(each).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('') || 'the report'
}

/** A member that tools leave out, or write as null. */
export function optional<T extends z.ZodType>(schema: T) {
  return schema.nullish().transform((value) => value ?? undefined)
}

export function lenientList<T extends z.ZodType>(schema: T) {
  return z
    .array(schema)
    .nullish()
    .transform((value) => value ?? [])
}

/** Whether all members of a list that is not empty have a form. */
export function isListWith(value: unknown, hasForm: (item: Record<string, unknown>) => boolean): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((item) => isJsonObject(item) && hasForm(item))
}
