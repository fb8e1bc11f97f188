// What is asked before the first fix: the clarifier, what only a person can answer; the planner, how each issue is to be fixed.
// Both may be the first to be asked in the conversation that the fixer goes on with: then they are told all that holds for the whole of it,
// the guidelines of the code included, so that nobody has to be told again.

import { type BatchKind, kindOfFile } from '../../domain/issue/code-kind.ts'
import type { Issue } from '../../domain/issue/issue.ts'
import type { Clarification } from '../../domain/plan/brief.ts'
import { type Agents, guidelinesFor } from '../definitions.ts'
import { REPLY_FORMATS } from '../replies/reply-format.ts'
import { jsonBlock } from './data-block.ts'
import { cutBlock } from './fit-to-limit.ts'
import { clarificationsPart, type KnownQuestion, questionsPart } from './parts/brief.ts'
import { issuesPart } from './parts/issues.ts'
import {
  type Code,
  callOf,
  closingLine,
  codeParts,
  codesOf,
  type Frame,
  HELD,
  limitsOf,
  type PromptLimits,
  render,
  type Texts,
  textParts,
  whole,
} from './render.ts'

interface TalkPrompt extends Frame, Omit<Texts, 'tree'>, Code {
  readonly issues: readonly Issue[]
  /** The conversation holds issues, conventions, notes and guidelines already. */
  readonly resuming?: boolean | undefined
}

/** `iteration` is the round. */
export interface ClarifyPrompt extends TalkPrompt {
  readonly known: readonly KnownQuestion[]
}

export interface PlanPrompt extends TalkPrompt {
  /** The order that our rules compute. */
  readonly steps: readonly (readonly string[])[]
  readonly clarifications: readonly Clarification[]
  /** Why the last plan was turned down, and what it said. */
  readonly rejected?: string | undefined
}

export function clarifyPrompt(agents: Agents, input: ClarifyPrompt): string {
  const limits = limitsOf(input.limits)
  const codes = codesOf(input.issues)
  return render({
    most: limits.whole,
    instructions: [agents.loadAgent('clarifier').instructions, ...guidelines(agents, input)],
    call: callOf('clarifier', input, codes),
    blockId: input.blockId,
    parts: [...held(input, limits), questionsPart(input.known, limits.clarifications)],
    remarks: input.resuming ? [HELD] : [],
    closing: closingLine(REPLY_FORMATS.clarify, []),
  })
}

export function planPrompt(agents: Agents, input: PlanPrompt): string {
  const limits = limitsOf(input.limits)
  const codes = codesOf(input.issues)
  return render({
    most: limits.whole,
    instructions: [agents.loadAgent('planner').instructions, ...guidelines(agents, input)],
    call: callOf('planner', input, codes),
    blockId: input.blockId,
    parts: [
      ...held(input, limits),
      whole(jsonBlock('steps', input.steps)),
      clarificationsPart(input.clarifications, limits.clarifications),
      input.rejected === undefined ? undefined : cutBlock('rejected', input.rejected, limits.plan),
    ],
    remarks: input.resuming ? [HELD] : [],
    closing: closingLine(REPLY_FORMATS.plan, codes),
  })
}

function guidelines(agents: Agents, { issues, resuming }: TalkPrompt): readonly string[] {
  return resuming ? [] : guidelinesFor(agents, kindOf(issues))
}

function held(input: TalkPrompt, limits: PromptLimits) {
  const { notes, conventions, review } = input
  if (input.resuming) return []
  const { issues } = input
  return [issuesPart(issues), ...codeParts(input, issues, limits), ...textParts({ notes, conventions, review }, limits)]
}

function kindOf(issues: readonly Issue[]): BatchKind {
  const [first = 'backend', ...others] = new Set(issues.map(({ file }) => kindOfFile(file)))
  return others.length > 0 ? 'both' : first
}
