// A flag marks a place in a diff that may silence a check. It decides nothing; the challenger and people look there.
import { z } from 'zod'

export const TAMPERING_DESCRIPTIONS = {
  suppression: 'tells a check to look away',
  skipped_test: 'leaves tests out',
  deleted_test: 'a test is gone',
  lowered_bar: 'a check demands less',
  changed_check: 'changes what a check runs on, or how',
  unreadable: "can't be read",
} as const

export type TamperingKind = keyof typeof TAMPERING_DESCRIPTIONS

export const TamperingFlag = z.object({
  file: z.string(),
  /** The line in the new file; null if the flag is about the whole file. */
  line: z.number().nullable(),
  kind: z.enum(Object.keys(TAMPERING_DESCRIPTIONS) as [TamperingKind, ...TamperingKind[]]),
  /** The line, or its beginning; else a description of the change to the file. */
  text: z.string(),
})
export type TamperingFlag = z.infer<typeof TamperingFlag>

/** `src/a.py:4 tells a check to look away` */
export function describeTampering({ file, line, kind }: TamperingFlag): string {
  return `${file}${line === null ? '' : `:${line}`} ${TAMPERING_DESCRIPTIONS[kind]}`
}
