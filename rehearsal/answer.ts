// What the model says, before it is put in either provider's words: thinking, text, tool uses, and why it stops.

import { challengerReply } from './challenger.ts'
import { type Call, findBlock, findCall, type Provider, readTurns, type Turn } from './conversation.ts'
import type { TextPreset } from './faults.ts'
import { fixerReply, fixesOf, nextToolUses, toolName } from './fixer.ts'
import { readIssues } from './prompt.ts'
import type { Scenario } from './scenario.ts'

export interface Answer {
  readonly thinking?: string | undefined
  readonly text: string
  readonly tools: readonly { readonly name: string; readonly input: Readonly<Record<string, unknown>> }[]
  readonly cutShort?: boolean
}

export interface Decision {
  readonly call: Call | undefined
  /** The reply that the prompt asked for, once it is due. */
  readonly reply: Readonly<Record<string, unknown>> | undefined
  readonly answer: Answer
}

const STRUCTURED = 'StructuredOutput'
const HUGE_BYTES = 5_000_000

export function decide(scenario: Scenario, provider: Provider, body: unknown): Decision {
  const turns = readTurns(provider, body)
  const call = findCall(turns)
  if (!call || isAuxiliary(turns, body))
    return { call: undefined, reply: undefined, answer: auxiliaryAnswer(turns, body) }
  const { thinking } = scenario
  const uses = isFixer(call) ? nextToolUses(stepsOf(scenario, call), call, scenario.together) : []
  if (uses.length > 0) {
    const tools = uses.map(({ tool, input }) => ({
      name: toolName(tool, provider),
      input: { ...input, ...also(tool, provider) },
    }))
    return { call, reply: undefined, answer: { thinking, text: '', tools } }
  }
  const reply = replyOf(scenario, call)
  return { call, reply, answer: { thinking, ...sayReply(reply, call, body) } }
}

/** Gemini's tool for edits insists on being told what for. */
function also(tool: string, provider: Provider): Readonly<Record<string, unknown>> {
  return provider === 'gemini' && tool === 'edit' ? { instruction: 'Remove the cause of the issue.' } : {}
}

/** The reply in a wrong form. Those that break the content keep its channel; those that break the form are plain text. */
export function spoil(
  reply: Readonly<Record<string, unknown>>,
  preset: TextPreset | undefined,
  text: string | undefined,
  body: unknown,
): Answer {
  const json = JSON.stringify(reply)
  switch (preset) {
    case 'fenced':
      return plain(`Here is what I did.\n\n\`\`\`json\n${JSON.stringify(reply, null, 2)}\n\`\`\`\n\nAnything else?`)
    case 'broken-json':
      return plain(`${json.slice(0, -2)},,`)
    case 'wrong-schema':
      return sayJson({ outcome: 'all good' }, body)
    case 'missing-issue':
      return sayJson(withoutFirst(reply), body)
    case 'empty':
      return plain('')
    case 'huge':
      return plain(
        `${'All work and no play makes a long reply, line by line by line.\n'.repeat(HUGE_BYTES / 63)}${json}`,
      )
    case 'repetition':
      return plain('The same sentence again and again. '.repeat(2_000))
    case 'half':
      return { ...plain(json.slice(0, Math.floor(json.length / 2))), cutShort: true }
    case 'prose':
    case undefined:
      return plain(text ?? 'I looked at it and it seems fine to me.')
  }
}

function isFixer({ call }: Call): boolean {
  return call.purpose !== 'repair' && ['fixer', 'fixer_single', 're_fixer'].includes(call.role)
}

function stepsOf(scenario: Scenario, call: Call) {
  return fixesOf(scenario, call).map(([, fix]) => fix?.steps ?? [])
}

function replyOf(scenario: Scenario, call: Call): Readonly<Record<string, unknown>> {
  const issues = readIssues(new Map([['issues', findBlock(call, 'issues') ?? '[]']]))
  const title = issues[0]?.title ?? call.call.codes.join(' ')
  switch (call.call.role) {
    case 'fix_challenger':
      return challengerReply(scenario, call)
    case 'git-branch-creator':
      return { branch: scenario.branch ?? `fix/${slug(title)}` }
    case 'git-committer':
      return { message: scenario.message ?? `Fix ${title} (${call.call.codes.join(', ')})` }
    default:
      return fixerReply(scenario, call)
  }
}

function sayReply(reply: Readonly<Record<string, unknown>>, call: Call, body: unknown): Answer {
  const uses = call.turnsSince.flatMap((turn) => turn.uses).filter((use) => use.name === STRUCTURED)
  const results = call.turnsSince.flatMap((turn) => turn.results)
  const accepted = uses.some((use) => results.some((result) => result.id === use.id && !result.failed))
  return accepted ? plain('Done.') : sayJson(reply, body)
}

function sayJson(reply: Readonly<Record<string, unknown>>, body: unknown): Answer {
  const offered = (body as { tools?: { name?: string }[] }).tools?.some((tool) => tool.name === STRUCTURED)
  return offered ? { text: '', tools: [{ name: STRUCTURED, input: reply }] } : plain(JSON.stringify(reply))
}

function plain(text: string): Answer {
  return { text, tools: [] }
}

function withoutFirst(reply: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { results, issues } = reply
  if (Array.isArray(results)) return { ...reply, results: results.slice(1) }
  return issues ? { ...reply, issues: Object.fromEntries(Object.entries(issues).slice(1)) } : reply
}

function slug(title: string): string {
  const words = title.toLowerCase().replace(/[^a-z0-9]+/g, '-')
  return words.replace(/^-|-$/g, '').slice(0, 50) || 'issues'
}

/** Requests that the CLIs make for themselves: summaries, titles, quota checks, and Gemini's questions with a schema. */
function isAuxiliary(turns: readonly Turn[], body: unknown): boolean {
  return isCompaction(turns) || schemaAskedFor(body) !== undefined || isTitle(body)
}

function auxiliaryAnswer(turns: readonly Turn[], body: unknown): Answer {
  const schema = schemaAskedFor(body)
  if (schema !== undefined) return plain(JSON.stringify(fill(schema)))
  if (!isCompaction(turns)) return plain('Ready')
  const prompt = turns.findLast((turn) => findCall([turn]))?.text ?? ''
  return plain(`<analysis>Nothing is lost.</analysis>\n<summary>\n${prompt}\n</summary>`)
}

function isCompaction(turns: readonly Turn[]): boolean {
  const last = turns.findLast((turn) => turn.by === 'user')
  return last !== undefined && !findCall([last]) && /detailed summary of (the|this|our) conversation/i.test(last.text)
}

function isTitle(body: unknown): boolean {
  const { system, tools, max_tokens } = body as { system?: unknown; tools?: unknown[]; max_tokens?: number }
  if (max_tokens === 1) return true
  return !tools?.length && /\b(title|topic)\b/i.test(JSON.stringify(system ?? '').slice(0, 2_000))
}

interface AskedSchema {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly properties?: Readonly<Record<string, AskedSchema>>
}

function schemaAskedFor(body: unknown): AskedSchema | undefined {
  const config = (body as { generationConfig?: { responseJsonSchema?: AskedSchema; responseSchema?: AskedSchema } })
    .generationConfig
  const output = (body as { output_config?: { format?: { schema?: AskedSchema } } }).output_config
  return config?.responseJsonSchema ?? config?.responseSchema ?? output?.format?.schema
}

function fill(schema: AskedSchema): unknown {
  if (schema.enum) return schema.enum[0]
  switch (schema.type?.toLowerCase()) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([name, property]) => [name, fill(property)]),
      )
    case 'array':
      return []
    case 'boolean':
      return false
    case 'number':
    case 'integer':
      return 0
    default:
      return 'none'
  }
}
