// Keys for recognising the same work. A session's idempotency key makes the same work on the same repository the same session: the store
// has one running session of a key. The workflow id names the session, so Temporal refuses to start one twice.
import { createHash } from 'node:crypto'
import type { Issue } from '../issue/issue.ts'

export function hashJson(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex')
}

/** Every review starts its codes anew, so by default the texts of the findings identify the task. */
export function deriveTaskId(issues: readonly object[]): string {
  return `task-${hashJson(issues.map((issue) => hashJson(issue)).sort()).slice(0, 16)}`
}

/** Identifies an issue's text: answers about it hold as long as the text is the same. */
export function hashIssueText({
  title,
  description,
  file,
  line,
  suggested_fix,
}: Pick<Issue, 'title' | 'description' | 'file' | 'line' | 'suggested_fix'>): string {
  return hashJson([title, description, file, line ?? null, suggested_fix ?? null]).slice(0, 32)
}

/** `idSeed` is that of the repository. */
export function deriveSessionKey(idSeed: string, taskId: string, issueIds: readonly string[]): string {
  return hashJson([idSeed, taskId, [...issueIds].sort()]).slice(0, 32)
}

export function toWorkflowId(sessionId: string): string {
  return `fix-session/${sessionId}`
}

/** An id short enough to type, without letters that look alike. */
export function toSessionId(bytes: Uint8Array): string {
  const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789'
  return `fx-${[...bytes.subarray(0, 8)].map((byte) => alphabet[byte % alphabet.length]).join('')}`
}

/** An order's session is identified by the run that ordered it, so that a retry finds the same session. */
export function deriveOrderSessionId({ workflowId, runId }: { workflowId: string; runId: string }): string {
  return toSessionId(
    createHash('sha256')
      .update(JSON.stringify([workflowId, runId]))
      .digest(),
  )
}
