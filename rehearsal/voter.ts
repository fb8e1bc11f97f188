// The scripted voters. Each votes on the commit and the files that its prompt names, as the scenario says for its CLI.
import { type Call, findBlock, type Provider } from './conversation.ts'
import { parseJson } from './prompt.ts'
import type { Scenario } from './scenario.ts'
import { type ToolRequest, toolsUsed } from './tools.ts'

interface Change {
  readonly head?: string
  readonly command?: string
  readonly files?: readonly { readonly path: string }[]
}

/** A voter with a shell runs the command that it was given, once. */
export function nextVoterToolUses(call: Call): ToolRequest[] {
  const { command } = readChange(call)
  if (command === undefined || toolsUsed(call.turnsSince).length > 0) return []
  return [{ tool: 'bash', input: { command } }]
}

export function voterReply(scenario: Scenario, call: Call, provider: Provider): Record<string, unknown> {
  const { head = '', files = [] } = readChange(call)
  const script = scenario.votes[provider === 'anthropic' ? 'claude' : 'gemini']
  return {
    head,
    reviewed: files.map(({ path }) => path),
    not_reviewed: [],
    findings: [],
    feedback: 'I looked for an input that breaks it.',
    verdict_text: 'It does what it is for.',
    vote: 90,
    ...script,
  }
}

function readChange(call: Call): Change {
  return (parseJson(findBlock(call, 'change')) ?? {}) as Change
}
