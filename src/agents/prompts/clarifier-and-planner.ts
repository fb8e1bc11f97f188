// Renders the prompts before the first fix: the clarifier asks what only a person can answer, the planner plans each fix. Either may
// begin the conversation that the fixer resumes, so its prompt then holds all material for the whole of it.

import type { Issue } from '../../domain/issue/issue.ts'
import type { Clarification } from '../../domain/plan/brief.ts'
import type { AgentDefinitions } from '../definitions.ts'
import { REPLY_FORMATS } from '../replies/reply-format.ts'
import { type EarlierQuestion, questionParts } from './parts/brief.ts'
import { issuesPart } from './parts/issues.ts'
import {
  codeParts,
  describeCall,
  listIssueCodes,
  type PromptCode,
  type PromptFrame,
  type PromptLimits,
  type PromptTexts,
  renderClosingLine,
  resolvePromptLimits,
  SEE_EARLIER_PROMPTS,
  textParts,
} from './prompt-frame.ts'
import { jsonPart, renderPrompt, textPart } from './render-prompt.ts'

interface ContextPromptInput extends PromptFrame, Omit<PromptTexts, 'tree'>, PromptCode {
  readonly issues: readonly Issue[]
  /** The conversation already holds issues, conventions, notes and guidelines. */
  readonly isResuming?: boolean | undefined
}

/** `iteration` is the round. */
export interface ClarifierPromptInput extends ContextPromptInput {
  readonly earlierQuestions: readonly EarlierQuestion[]
}

export interface PlannerPromptInput extends ContextPromptInput {
  /** The order that our own rules compute. */
  readonly steps: readonly (readonly string[])[]
  readonly clarifications: readonly Clarification[]
  /** Why the last plan was rejected, and its text. */
  readonly rejectedPlan?: string | undefined
}

export function renderClarifierPrompt(agents: AgentDefinitions, input: ClarifierPromptInput): string {
  const limits = resolvePromptLimits(input.limits)
  const codes = listIssueCodes(input.issues)
  return renderPrompt({
    most: limits.whole,
    instructions: [agents.loadAgent('clarifier').instructions],
    call: describeCall('clarifier', input, codes),
    blockId: input.blockId,
    parts: [...contextParts(input, limits), ...questionParts(input.earlierQuestions, limits.clarifications)],
    remarks: input.isResuming ? [SEE_EARLIER_PROMPTS] : [],
    closing: renderClosingLine(REPLY_FORMATS.clarify, []),
  })
}

export function renderPlannerPrompt(agents: AgentDefinitions, input: PlannerPromptInput): string {
  const limits = resolvePromptLimits(input.limits)
  const codes = listIssueCodes(input.issues)
  return renderPrompt({
    most: limits.whole,
    instructions: [agents.loadAgent('planner').instructions],
    call: describeCall('planner', input, codes),
    blockId: input.blockId,
    parts: [
      ...contextParts(input, limits),
      jsonPart('steps', input.steps),
      ...questionParts(input.clarifications, limits.clarifications),
      input.rejectedPlan === undefined ? undefined : textPart('rejected', input.rejectedPlan, limits.plan),
    ],
    remarks: input.isResuming ? [SEE_EARLIER_PROMPTS] : [],
    closing: renderClosingLine(REPLY_FORMATS.plan, codes),
  })
}

function contextParts(input: ContextPromptInput, limits: PromptLimits) {
  const { notes, conventions, review } = input
  if (input.isResuming) return []
  const { issues } = input
  return [issuesPart(issues), ...codeParts(input, issues, limits), ...textParts({ notes, conventions, review }, limits)]
}
