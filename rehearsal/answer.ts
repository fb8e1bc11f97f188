// What the model says, before it is put in either provider's words: thinking, text, tool uses, and why it stops.

import { auxiliaryAnswer, isAuxiliary } from './auxiliary.ts'
import { challengerReply } from './challenger.ts'
import { type Call, findCall, issuesOf, type Provider, readTurns } from './conversation.ts'
import type { TextPreset } from './faults.ts'
import { fixerReply, nextToolUses } from './fixer.ts'
import { expertReply, isExpert, leadReply, nextExperts, verifierReply } from './reviewer.ts'
import type { Scenario } from './scenario.ts'
import { clarifierReply, plannerReply } from './talk.ts'
import { toolName } from './tools.ts'
import { voterReply } from './voter.ts'

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
    return { call: undefined, reply: undefined, answer: plain(auxiliaryAnswer(turns, body)) }
  const { thinking, says } = scenario
  const offered = toolsOffered(body)
  const uses = call.call.role === 'review_lead' ? nextExperts(scenario, call) : nextToolUses(scenario, call, offered)
  if (uses.length > 0) {
    const tools = uses.map(({ tool, input }) => ({
      name: toolName(tool, provider),
      input: { ...input, ...also(tool, provider) },
    }))
    return { call, reply: undefined, answer: { thinking, text: says, tools } }
  }
  const reply = replyOf(scenario, call, offered, provider)
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

function replyOf(
  scenario: Scenario,
  call: Call,
  offered: readonly string[],
  provider: Provider,
): Readonly<Record<string, unknown>> {
  const title = issuesOf(call)[0]?.title ?? call.call.codes.join(' ')
  switch (call.call.role) {
    case 'clarifier':
      return clarifierReply(scenario, call)
    case 'planner':
      return plannerReply(scenario, call)
    case 'fix_challenger':
      return challengerReply(scenario, call)
    case 'voter_claude':
    case 'voter_gemini':
      return voterReply(scenario, call, provider)
    case 'review_lead':
      return leadReply(scenario, call)
    case 'review_verifier':
      return verifierReply(scenario, call)
    case 'git-branch-creator':
      return { branch: scenario.branch ?? `fix/${slug(title)}` }
    case 'git-committer':
      return {
        subjects: scenario.subjects ?? Object.fromEntries(call.call.codes.map((code) => [code, `Fix ${title}`])),
      }
    default:
      if (isExpert(call.call.role)) return expertReply(scenario, call)
      return fixerReply(scenario, call, offered)
  }
}

function sayReply(reply: Readonly<Record<string, unknown>>, call: Call, body: unknown): Answer {
  const uses = call.turnsSince.flatMap((turn) => turn.uses).filter((use) => use.name === STRUCTURED)
  const results = call.turnsSince.flatMap((turn) => turn.results)
  const accepted = uses.some((use) => results.some((result) => result.id === use.id && !result.failed))
  return accepted ? plain('Done.') : sayJson(reply, body)
}

function sayJson(reply: Readonly<Record<string, unknown>>, body: unknown): Answer {
  return toolsOffered(body).includes(STRUCTURED)
    ? { text: '', tools: [{ name: STRUCTURED, input: reply }] }
    : plain(JSON.stringify(reply))
}

/** Claude's; Gemini tells its tools in another form, and the model knows those. */
function toolsOffered(body: unknown): string[] {
  const { tools } = body as { tools?: readonly { readonly name?: string }[] }
  return (tools ?? []).flatMap(({ name }) => name ?? [])
}

function plain(text: string): Answer {
  return { text, tools: [] }
}

function withoutFirst(reply: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { results, issues } = reply
  if (Array.isArray(results)) return { ...reply, results: results.slice(1) }
  if (Array.isArray(issues)) return { ...reply, issues: issues.slice(1) }
  return issues ? { ...reply, issues: Object.fromEntries(Object.entries(issues).slice(1)) } : reply
}

function slug(title: string): string {
  const words = title.toLowerCase().replace(/[^a-z0-9]+/g, '-')
  return words.replace(/^-|-$/g, '').slice(0, 50) || 'issues'
}
