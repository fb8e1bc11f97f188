// Says before a session begins what it will take and where its agents run, so that nobody begins 500 issues without a word. Plans and
// replies decide what it really takes.
import type { Finding } from '../../domain/issue/parse-findings.ts'
import { describeSandbox } from '../../domain/settings/sandbox-level.ts'
import { effectiveIterations, isChallenged, type Settings } from '../../domain/settings/schema.ts'
import { detectSandboxLevel } from '../../platform/sandbox/enter-sandbox.ts'

export interface SessionPreview {
  readonly issues: number
  /** Agent calls, if each batch passes at once, and if each goes through all rounds. */
  readonly calls: { readonly least: number; readonly most: number }
  /** Of the least number of calls. */
  readonly tokens: number
  /** From this number of issues on, somebody is asked. */
  readonly askAbove: number
  /** What the agents run in, in words. */
  readonly sandbox: string
}

/** Seen with small findings: a call reads its tools and the repository before it looks at an issue. */
const TOKENS_PER_CALL = 20_000
const TOKENS_PER_ISSUE = 8_000

export async function previewSession(findings: readonly Finding[], settings: Settings): Promise<SessionPreview> {
  const { max_issues_per_cli_call, ask_above_issues } = settings.limits
  const issues = findings.length
  const least = Math.ceil(issues / max_issues_per_cli_call) * (isChallenged(settings) ? 2 : 1)
  return {
    issues,
    calls: { least, most: least * Math.max(effectiveIterations(settings), 1) },
    tokens: least * TOKENS_PER_CALL + issues * TOKENS_PER_ISSUE,
    askAbove: ask_above_issues,
    sandbox: describeSandbox(await detectSandboxLevel(settings.sandbox)),
  }
}
