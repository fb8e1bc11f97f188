import type { z } from 'zod'
import { Issue } from './issue.ts'

/** An issue as a reviewer hands it over, before the store gives it an id. */
export const Finding = Issue.omit({ issue_id: true })
export type Finding = z.infer<typeof Finding>
