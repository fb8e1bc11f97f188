// The scripted fixer. What is still to do is read from what the tools answered since the prompt: a file is read before it is
// edited, an edit whose text is not there is left out, and when nothing is left the reply is given.
// Gap: a step with `bash` is taken to have run when the same command was used since the prompt.

import { type Call, findCall, issuesOf, type ToolResult, type ToolUse } from './conversation.ts'
import { masterOf, nextHandOns, reports } from './delegation.ts'
import { atIteration, type Fix, type Scenario, type Step } from './scenario.ts'
import {
  type Done,
  isTool,
  isUnchanged,
  lastRead,
  type Tool,
  type ToolRequest,
  toolsUsed,
  withoutNumbers,
} from './tools.ts'
import { nextVoterToolUses } from './voter.ts'

const FIXERS = ['fixer', 're_fixer', 'fixer_single']

/** The tool uses to ask for now; none when the reply is due. `offered`: the tools that the CLI has. */
export function nextToolUses(scenario: Scenario, call: Call, offered: readonly string[]): ToolRequest[] {
  const { role, purpose } = call.call
  if (role === 'voter_claude') return nextVoterToolUses(call)
  if (!FIXERS.includes(role) || purpose === 'repair') return []
  const master = masterOf(call, offered)
  if (master !== undefined) return nextHandOns(call, master)
  const done = toolsUsed(call.turnsSince)
  const todo = call.blocks.get('fix_todo')
  if (todo !== undefined && !lastRead(done, todo)) return [{ tool: 'read', input: { file_path: todo } }]
  return nextSteps(scenario, call, done)
}

function nextSteps(scenario: Scenario, call: Call, done: readonly Done[]): ToolRequest[] {
  const requests: ToolRequest[] = []
  for (const [, fix] of fixesOf(scenario, call)) {
    const next = fix?.steps.map((step) => pending(step, done)).find((request) => request !== undefined)
    if (next && !requests.some((other) => JSON.stringify(other) === JSON.stringify(next))) requests.push(next)
    if (next && !scenario.together) break
  }
  return requests
}

export function fixerReply(scenario: Scenario, call: Call, offered: readonly string[]): Record<string, unknown> {
  const reported = reports(answeredFor(call))
  const delegates = masterOf(call, offered) !== undefined
  const results = fixesOf(scenario, call).map(
    ([code, fix]) => reported.get(code) ?? (delegates ? inNoStep(code) : claimFor(code, fix, call)),
  )
  return call.call.role === 'fixer_single' ? (results[0] ?? {}) : { results }
}

/** A repair gives the answer of the call before it. */
function answeredFor(call: Call): Call {
  return call.call.purpose === 'repair' ? (findCall(call.turnsBefore) ?? call) : call
}

function fixesOf(scenario: Scenario, call: Call): (readonly [code: string, fix: Fix | undefined])[] {
  const { codes, iteration } = call.call
  return codes.map((code) => [code, atIteration(scenario.issues[code]?.fixes, iteration)])
}

function claimFor(code: string, fix: Fix | undefined, call: Call): Record<string, unknown> {
  const issue = issuesOf(call).find((candidate) => candidate.issue_code === code)
  const edited = fix?.steps.find((step) => step.tool !== 'bash')
  return {
    issue_code: code,
    status: fix?.status ?? 'skipped',
    file_modified: edited && 'file' in edited ? edited.file : (issue?.file ?? ''),
    changes_summary: fix?.summary ?? (fix ? `Changed what ${code} names.` : `${code} is not in the scenario.`),
    self_evaluation: { confidence: 90, completeness: 'full', risks: [] },
    ...fix?.reply,
  }
}

function inNoStep(code: string): Record<string, unknown> {
  return { issue_code: code, status: 'skipped', changes_summary: `${code} is in no step of the master todo file.` }
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
  const read = lastRead(done, step.file)
  if (!read || (last && done.indexOf(read) < done.indexOf(last))) {
    return tries.length > 1 ? undefined : { tool: 'read', input: { file_path: step.file } }
  }
  // An edit of this call may have made the text that this one is about.
  const edited = all(
    done,
    'edit',
    (input) => input.file_path === step.file && String(input.new_string).includes(firstLine(step.old)),
  )
  if (edited.length === 0 && !mayHold(read.result, step.old)) return undefined
  return { tool: 'edit', input: { file_path: step.file, old_string: step.old, new_string: step.new } }
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? ''
}

function pendingWrite(step: Step & { tool: 'write' }, done: readonly Done[]): ToolRequest | undefined {
  const tries = all(done, 'write', (input) => input.file_path === step.file)
  const last = tries.at(-1)
  if (last && (!mustReadFirst(last) || tries.length > 1)) return undefined
  if (last && !lastRead(done, step.file)) return { tool: 'read', input: { file_path: step.file } }
  return { tool: 'write', input: { file_path: step.file, content: step.content } }
}

/** Claude refuses to change a file that it has not read, or that changed since. */
function mustReadFirst({ result }: Done): boolean {
  return result?.failed === true && /not been read|modified since|read it (first|again)/i.test(result.text)
}

/** So many lines of a file are shown. */
const LINES_READ = 2000

/** Whether a file that was read may hold `old`. Where its text is not shown, or not all of it: then try. */
function mayHold(result: ToolResult | undefined, old: string): boolean {
  if (!result || result.failed) return false
  if (isUnchanged(result) || result.text.split('\n').length >= LINES_READ) return true
  return [withoutNumbers(result.text), result.text].some((text) => text.includes(old.trimEnd()))
}

function all(done: readonly Done[], tool: Tool, fits: (input: ToolUse['input']) => boolean): Done[] {
  return done.filter(({ use }) => isTool(use.name, tool) && fits(use.input))
}

function used(done: readonly Done[], tool: Tool, fits: (input: ToolUse['input']) => boolean): boolean {
  return all(done, tool, fits).length > 0
}
