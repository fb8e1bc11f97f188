// The tools of both CLIs as the model sees them: what they are called, which were used since a prompt, and what they answered.

import type { Provider, ToolResult, ToolUse, Turn } from './conversation.ts'

export type Tool = 'read' | 'edit' | 'write' | 'bash' | 'agent'

export interface ToolRequest {
  readonly tool: Tool
  readonly input: Readonly<Record<string, unknown>>
}

export interface Done {
  readonly use: ToolUse
  readonly result: ToolResult | undefined
}

/** Claude calls what its manual calls Task `Agent`. */
const NAMES: Readonly<Record<Tool, readonly string[]>> = {
  read: ['Read', 'read_file'],
  edit: ['Edit', 'replace'],
  write: ['Write', 'write_file'],
  bash: ['Bash', 'run_shell_command'],
  agent: ['Agent'],
}

/** The name that the CLI at hand gives to a tool. */
export function toolName(tool: Tool, provider: Provider): string {
  return NAMES[tool][provider === 'anthropic' ? 0 : 1] ?? tool
}

export function isTool(name: string, tool: Tool): boolean {
  return NAMES[tool].includes(name)
}

export function toolsUsed(turns: readonly Turn[]): Done[] {
  const results = turns.flatMap((turn) => turn.results)
  const uses = turns.flatMap((turn) => turn.uses)
  return uses.map((use, index) => ({ use, result: answerOf(use, uses.slice(0, index), results) }))
}

/** By id; where ids are only names (Gemini), the n-th use of a name has its n-th answer. */
function answerOf(use: ToolUse, earlier: readonly ToolUse[], results: readonly ToolResult[]): ToolResult | undefined {
  return results.filter((result) => result.id === use.id)[earlier.filter((other) => other.id === use.id).length]
}

export function lastRead(done: readonly Done[], file: string): Done | undefined {
  return done.findLast(({ use }) => isTool(use.name, 'read') && use.input.file_path === file)
}

/** Claude says "unchanged" instead of a file's text when it has shown it before. */
export function isUnchanged(result: ToolResult): boolean {
  return /unchanged since/i.test(result.text.slice(0, 200))
}

/** A file's text without the numbers that Claude puts before its lines. */
export function withoutNumbers(text: string): string {
  return text
    .split('\n')
    .map((line) => line.replace(/^\s*\d+[\t→]/, ''))
    .join('\n')
}
