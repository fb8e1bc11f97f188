// A fixer that hands its issues on. Its prompt names the master todo file: it reads that, gives each issue of a step to a sub-agent of
// its own, all of a parallel step in one message, waits for what they report, and goes on with the next step. Its reply is what they reported.
// A sub-agent is told in data blocks like those of any prompt, so the model knows its requests when they come.

import { z } from 'zod'
import { type Call, issuesOf, type ToolResult } from './conversation.ts'
import { parseJson, readCallBlock, writePrompt } from './prompt.ts'
import { type Done, isTool, isUnchanged, lastRead, type ToolRequest, toolsUsed, withoutNumbers } from './tools.ts'

const SUB_AGENT = 'fixer-single'

const Master = z.looseObject({
  execution_steps: z.array(
    z.looseObject({
      mode: z.string().default('parallel'),
      issues: z.array(z.looseObject({ code: z.string(), todo: z.string() })),
    }),
  ),
})

/** The master todo file, when this call is to hand its issues on and the CLI has the tool for it. */
export function masterOf({ blocks }: Call, offered: readonly string[]): string | undefined {
  const todo = parseJson(blocks.get('todo')) as { master?: string } | undefined
  return offered.some((name) => isTool(name, 'agent')) ? todo?.master : undefined
}

export function nextHandOns(call: Call, master: string): ToolRequest[] {
  const done = toolsUsed(call.turnsSince)
  const read = lastRead(done, master)?.result
  if (!read) return [{ tool: 'read', input: { file_path: master } }]
  const before = toolsUsed(call.turnsBefore).filter(({ result }) => result && !isUnchanged(result))
  const steps = stepsIn(isUnchanged(read) ? lastRead(before, master)?.result : read)
  const handedOn = new Set(handOns(done).map(({ code }) => code))
  for (const { mode, issues } of steps) {
    const left = issues.filter(({ code }) => call.call.codes.includes(code) && !handedOn.has(code))
    const now = mode === 'serial' ? left.slice(0, 1) : left
    if (now.length > 0) return now.map(({ code, todo }) => handOn(call, code, todo))
  }
  return []
}

/** What the sub-agents reported, by code. */
export function reports(call: Call): Map<string, Record<string, unknown>> {
  const handed = handOns(toolsUsed(call.turnsSince))
  return new Map(handed.map(({ code, result }) => [code, claimIn(result) ?? unreadable(code, result)]))
}

function stepsIn(read: ToolResult | undefined): z.infer<typeof Master>['execution_steps'] {
  // Below a file, the CLI reminds some models of how many tokens are left.
  const parsed = Master.safeParse(parseJson(/\{[\s\S]*\}/.exec(withoutNumbers(read?.text ?? ''))?.[0]))
  return parsed.success ? parsed.data.execution_steps : []
}

function handOn(call: Call, code: string, todo: string): ToolRequest {
  const { call: name, iteration } = call.call
  const issues = issuesOf(call).filter(({ issue_code }) => issue_code === code)
  const prompt = writePrompt({ role: 'fixer_single', call: name, iteration, codes: [code] }, { issues, fix_todo: todo })
  return { tool: 'agent', input: { description: `fix ${code}`, prompt, subagent_type: SUB_AGENT } }
}

function handOns(done: readonly Done[]): { readonly code: string; readonly result: ToolResult | undefined }[] {
  return done.flatMap(({ use, result }) => {
    const told = isTool(use.name, 'agent') ? readCallBlock(String(use.input.prompt ?? '')) : undefined
    return told?.role === 'fixer_single' ? told.codes.map((code) => ({ code, result })) : []
  })
}

function claimIn(result: ToolResult | undefined): Record<string, unknown> | undefined {
  if (!result || result.failed) return undefined
  const claim = parseJson(/\{[\s\S]*\}/.exec(reportIn(result))?.[0])
  return typeof claim === 'object' && claim !== null ? { ...claim } : undefined
}

function unreadable(code: string, result: ToolResult | undefined): Record<string, unknown> {
  const said = result ? reportIn(result).slice(0, 500) : 'nothing came'
  return { issue_code: code, status: 'failed', changes_summary: `The sub-agent's report can't be read: ${said}` }
}

/** Without the words that the CLI puts before it. */
function reportIn({ text }: ToolResult): string {
  return text.replace(/^[\s\S]*The report follows:\n/, '').trim()
}
