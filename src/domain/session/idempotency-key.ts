// By what things are known again. The idempotency key: the same work on the same repository is the same session. It becomes the
// workflow's id, so that Temporal itself refuses the double start.
import { createHash } from 'node:crypto'
import type { Issue } from '../issue/issue.ts'

export function hashJson(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex')
}

/** Codes start again in every review, so by default the task is told apart by what its findings say. */
export function deriveTaskId(issues: readonly object[]): string {
  return `task-${hashJson(issues.map((issue) => hashJson(issue)).sort()).slice(0, 16)}`
}

/** What somebody answered about an issue holds as long as the issue says the same. */
export function hashIssueText({
  title,
  description,
  file,
  line,
  suggested_fix,
}: Pick<Issue, 'title' | 'description' | 'file' | 'line' | 'suggested_fix'>): string {
  return hashJson([title, description, file, line ?? null, suggested_fix ?? null]).slice(0, 32)
}

export function deriveSessionKey(repository: string, taskId: string, issueIds: readonly string[]): string {
  return hashJson([repository, taskId, [...issueIds].sort()]).slice(0, 32)
}

export function toWorkflowId(key: string): string {
  return `fix-session/${key}`
}

/** Short enough to type, and without letters that look alike. */
export function toSessionId(bytes: Uint8Array): string {
  const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789'
  return `fx-${[...bytes.subarray(0, 8)].map((byte) => alphabet[byte % alphabet.length]).join('')}`
}

/** An order's session is known by the run that ordered it, so that whoever looks at the order again finds it. */
export function deriveOrderSessionId({ workflowId, runId }: { workflowId: string; runId: string }): string {
  return toSessionId(
    createHash('sha256')
      .update(JSON.stringify([workflowId, runId]))
      .digest(),
  )
}
