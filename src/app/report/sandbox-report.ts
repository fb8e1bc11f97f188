// Reports the sandbox that was asked for and the ones that agents ran in. A session may move to another machine, so
// each call records its own; before the first call the session's start does.
import type { SessionEvent } from '../../domain/session/events/index.ts'
import type { SessionRecord } from '../../domain/session/session.ts'
import { describeSandbox, type Sandbox } from '../../domain/settings/sandbox-level.ts'
import type { Settings } from '../../domain/settings/schema.ts'

export interface SandboxReport {
  readonly mode: Settings['sandbox']['mode']
  /** Distinct sandboxes in the order of the calls; empty without any record. */
  readonly found: readonly Sandbox[]
}

export function buildSandboxReport({ settings }: SessionRecord, events: readonly SessionEvent[]): SandboxReport {
  const calls = events.flatMap(({ type, data }) => (type === 'fix_call_completed' ? (data.sandbox ?? []) : []))
  const starts = events.flatMap(({ type, data }) => (type === 'fix_session_started' ? data.sandbox : []))
  const found = calls.length > 0 ? calls : starts
  return { mode: settings.sandbox.mode, found: [...new Set(found)] }
}

export function describeSandboxReport({ mode, found }: SandboxReport): string | undefined {
  if (found.length === 0) return undefined
  const asked = ` (sandbox.mode: ${mode}${mode === 'require' ? ', for your commands, too' : ''})`
  return `${found.map(describeSandbox).join('; some in ')}${asked}`
}
