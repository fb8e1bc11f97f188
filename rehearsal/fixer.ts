// The scripted fixer. What is still to do is read from what the tools answered since the prompt: a file is read before it is
// edited, an edit whose text is not there is left out, and when nothing is left the reply is given.
// Gap: a step with `bash` is taken to have run when the same command was used since the prompt.

import type { Call, ToolResult, ToolUse, Turn } from './conversation.ts'
import { findBlock } from './conversation.ts'
import { readIssues } from './prompt.ts'
import { atIteration, type Fix, type Scenario, type Step } from './scenario.ts'

export interface ToolRequest {
  readonly tool: 'read' | Step['tool']
  readonly input: Readonly<Record<string, unknown>>
}

interface Done {
  readonly use: ToolUse
  readonly result: ToolResult | undefined
}

/** The tool uses to ask for now; none when the reply is due. */
export function nextToolUses(steps: readonly (readonly Step[])[], call: Call, together: boolean): ToolRequest[] {
  const done = toolsUsed(call.turnsSince)
  const requests: ToolRequest[] = []
  for (const issue of steps) {
    const next = issue.map((step) => pending(step, done)).find((request) => request !== undefined)
    if (next && !requests.some((other) => JSON.stringify(other) === JSON.stringify(next))) requests.push(next)
    if (next && !together) break
  }
  return requests
}

export function fixesOf(scenario: Scenario, call: Call): (readonly [code: string, fix: Fix | undefined])[] {
  const { codes, iteration } = call.call
  return codes.map((code) => [code, atIteration(scenario.issues[code]?.fixes, iteration)])
}

export function fixerReply(scenario: Scenario, call: Call): { results: Record<string, unknown>[] } {
  const issues = readIssues(new Map([['issues', findBlock(call, 'issues') ?? '[]']]))
  const results = fixesOf(scenario, call).map(([code, fix]) => {
    const issue = issues.find((candidate) => candidate.issue_code === code)
    const edited = fix?.steps.find((step) => step.tool !== 'bash')
    return {
      issue_code: code,
      status: fix?.status ?? 'skipped',
      file_modified: edited && 'file' in edited ? edited.file : (issue?.file ?? ''),
      changes_summary: fix?.summary ?? (fix ? `Changed what ${code} names.` : `${code} is not in the scenario.`),
      self_evaluation: { confidence: 90, completeness: 'full', risks: [] },
      ...fix?.reply,
    }
  })
  return { results }
}

function pending(step: Step, done: readonly Done[]): ToolRequest | undefined {
  switch (step.tool) {
    case 'bash':
      if (used(done, 'bash', (input) => input.command === step.command)) return undefined
      return { tool: 'bash', input: { command: step.command, ...(step.timeoutMs ? { timeout: step.timeoutMs } : {}) } }
    case 'write':
      return pendingWrite(step, done)
    case 'edit':
      return pendingEdit(step, done)
  }
}

function pendingEdit(step: Step & { tool: 'edit' }, done: readonly Done[]): ToolRequest | undefined {
  const tries = all(done, 'edit', (input) => input.file_path === step.file && input.old_string === step.old)
  const last = tries.at(-1)
  if (last && !mustReadFirst(last)) return undefined
  const read = done.findLast(({ use }) => isTool(use.name, 'read') && use.input.file_path === step.file)
  if (!read || (last && done.indexOf(read) < done.indexOf(last))) {
    return tries.length > 1 ? undefined : { tool: 'read', input: { file_path: step.file } }
  }
  if (!mayHold(read.result, step.old)) return undefined
  return { tool: 'edit', input: { file_path: step.file, old_string: step.old, new_string: step.new } }
}

function pendingWrite(step: Step & { tool: 'write' }, done: readonly Done[]): ToolRequest | undefined {
  const tries = all(done, 'write', (input) => input.file_path === step.file)
  const last = tries.at(-1)
  if (last && (!mustReadFirst(last) || tries.length > 1)) return undefined
  const read = done.some(({ use }) => isTool(use.name, 'read') && use.input.file_path === step.file)
  if (last && !read) return { tool: 'read', input: { file_path: step.file } }
  return { tool: 'write', input: { file_path: step.file, content: step.content } }
}

/** Claude refuses to change a file that it has not read, or that changed since. */
function mustReadFirst({ result }: Done): boolean {
  return result?.failed === true && /not been read|modified since|read it (first|again)/i.test(result.text)
}

/** Whether a file that was read may hold `old`. Claude numbers the lines, and says "unchanged" for a file it read before: then try. */
function mayHold(result: ToolResult | undefined, old: string): boolean {
  if (!result || result.failed) return false
  if (/unchanged since/i.test(result.text.slice(0, 200))) return true
  const plain = result.text
    .split('\n')
    .map((line) => line.replace(/^\s*\d+[\t→]/, ''))
    .join('\n')
  return plain.includes(old.trimEnd()) || result.text.includes(old.trimEnd())
}

const NAMES: Readonly<Record<ToolRequest['tool'], readonly string[]>> = {
  read: ['Read', 'read_file'],
  edit: ['Edit', 'replace'],
  write: ['Write', 'write_file'],
  bash: ['Bash', 'run_shell_command'],
}

/** The name that the CLI at hand gives to a tool. */
export function toolName(tool: ToolRequest['tool'], provider: 'anthropic' | 'gemini'): string {
  return NAMES[tool][provider === 'anthropic' ? 0 : 1] ?? tool
}

function isTool(name: string, tool: ToolRequest['tool']): boolean {
  return NAMES[tool].includes(name)
}

function toolsUsed(turns: readonly Turn[]): Done[] {
  const results = turns.flatMap((turn) => turn.results)
  const uses = turns.flatMap((turn) => turn.uses)
  return uses.map((use, index) => ({ use, result: answerOf(use, uses.slice(0, index), results) }))
}

/** By id; where ids are only names (Gemini), the n-th use of a name has its n-th answer. */
function answerOf(use: ToolUse, earlier: readonly ToolUse[], results: readonly ToolResult[]): ToolResult | undefined {
  return results.filter((result) => result.id === use.id)[earlier.filter((other) => other.id === use.id).length]
}

function all(done: readonly Done[], tool: ToolRequest['tool'], fits: (input: ToolUse['input']) => boolean): Done[] {
  return done.filter(({ use }) => isTool(use.name, tool) && fits(use.input))
}

function used(done: readonly Done[], tool: ToolRequest['tool'], fits: (input: ToolUse['input']) => boolean): boolean {
  return all(done, tool, fits).length > 0
}
