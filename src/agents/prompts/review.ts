// Renders the prompts of a review: the call that has it done, its experts, and the verifier. What is reviewed is data throughout;
// instructions and conventions come from the commit that the change is compared with.
import type { ExpertName } from '../../domain/review/experts.ts'
import type { ReviewFinding } from '../../domain/review/finding.ts'
import type { DismissedFinding } from '../../domain/review/refute-dismissed.ts'
import type { AgentDefinitions, GuidelineName } from '../definitions.ts'
import type { SubAgent } from '../provider-contract.ts'
import { EXPERT_FORMAT, REPLY_FORMATS } from '../replies/reply-format.ts'
import {
  collapseWhitespace,
  type PromptLimits,
  renderClosingLine,
  resolvePromptLimits,
  textParts,
} from './prompt-frame.ts'
import { jsonPart, type PromptPart, renderPrompt, SHRINK_ORDER, textPart } from './render-prompt.ts'

/** The change under review, as its prompts show it. */
export interface ShownChange {
  readonly head: string
  readonly base: string
  /** The folder with the diffs. */
  readonly diffs: string
  readonly files: readonly {
    readonly path: string
    readonly kind: string
    readonly from?: string | undefined
    /** Its diff in that folder; absent for what has no text. */
    readonly diff?: string | undefined
  }[]
  /** The specification, a folder or file of the reviewed commit. */
  readonly spec?: string | undefined
}

/** A finding of an earlier review of ours that nobody has settled. */
export type ShownEarlierFinding = Pick<ReviewFinding, 'id' | 'file' | 'quote' | 'title' | 'failure'>

interface ReviewPromptInput {
  readonly blockId: string
  readonly stepId: string
  readonly change: ShownChange
  readonly notes?: string | undefined
  readonly conventions?: string | undefined
  readonly limits?: Partial<PromptLimits> | undefined
}

export interface LeadPromptInput extends ReviewPromptInput {
  readonly iteration: number
  readonly experts: readonly ExpertName[]
  readonly earlier: readonly ShownEarlierFinding[]
  readonly dismissed: readonly DismissedFinding[]
  /** Why the answer before this could not be used. */
  readonly problem?: string | undefined
}

export interface VerifierPromptInput extends ReviewPromptInput {
  readonly findings: readonly ReviewFinding[]
}

const DISMISSED_REMARK =
  'What stands in `dismissed` was looked at and turned down, for its `reason`: raise it again only with `new_evidence`, which says what was not known then.'

/** The name of an expert's sub-agent, and of its file below `agents/`. */
export function toExpertAgent(name: ExpertName): string {
  return `reviewer-${name}`
}

export function renderLeadPrompt(agents: AgentDefinitions, input: LeadPromptInput): string {
  const { stepId, iteration, experts, earlier, problem } = input
  const limits = resolvePromptLimits(input.limits)
  return renderPrompt({
    most: limits.whole,
    instructions: [agents.loadAgent('review_lead').instructions],
    call: { role: 'review_lead', call: stepId, iteration, codes: [] },
    blockId: input.blockId,
    parts: [
      jsonPart(
        'experts',
        experts.map((name) => ({ name, agent: toExpertAgent(name) })),
      ),
      changePart(input.change, limits),
      earlier.length === 0 ? undefined : listTextPart('earlier', earlier, limits),
      ...dismissedParts(input.dismissed, limits),
      ...textParts({ notes: input.notes }, limits),
    ],
    remarks: problem === undefined ? [] : [`An answer before this could not be used: ${collapseWhitespace(problem)}`],
    closing: renderClosingLine(REPLY_FORMATS.review, []),
  })
}

/** Everything that an expert is told before its first message. */
export function renderExpertPrompt(
  agents: AgentDefinitions,
  name: ExpertName,
  input: Omit<LeadPromptInput, 'earlier' | 'problem' | 'experts' | 'stepId' | 'iteration'>,
): string {
  const limits = resolvePromptLimits(input.limits)
  return renderPrompt({
    most: limits.whole,
    instructions: [agents.loadGuideline(toGuidelineName(name)), agents.loadGuideline('reviewer')],
    blockId: input.blockId,
    parts: [
      changePart(input.change, limits),
      ...dismissedParts(input.dismissed, limits),
      ...textParts({ notes: input.notes, conventions: input.conventions }, limits),
    ],
    remarks: [
      ...(input.dismissed.length === 0 ? [] : [DISMISSED_REMARK]),
      `Each \`id\` begins with "${name}-". \`read\`: every file that you looked into.`,
    ],
    closing: renderClosingLine(EXPERT_FORMAT, []),
  })
}

/** The value of Claude's `--agents`: the experts of this review. They read, and nothing else. */
export function buildExperts(
  agents: AgentDefinitions,
  experts: readonly ExpertName[],
  input: Parameters<typeof renderExpertPrompt>[2],
): Readonly<Record<string, SubAgent>> {
  const tools = agents.loadAgent('review_verifier').tools
  return Object.fromEntries(
    experts.map((name) => {
      const description = agents.describe(toGuidelineName(name))
      return [
        toExpertAgent(name),
        { description, prompt: renderExpertPrompt(agents, name, input), tools, model: 'inherit' },
      ]
    }),
  )
}

export function renderVerifierPrompt(agents: AgentDefinitions, input: VerifierPromptInput): string {
  const { stepId, findings } = input
  const limits = resolvePromptLimits(input.limits)
  const shown = findings.map(({ id, file, side, anchor, quote, title, failure, category }) => {
    const line = anchor.kind === 'unanchored' ? undefined : anchor.line
    return { id, file, side, line, quote, issue: title, failure, category }
  })
  return renderPrompt({
    most: limits.whole,
    instructions: [agents.loadAgent('review_verifier').instructions],
    call: { role: 'review_verifier', call: stepId, iteration: 1, codes: findings.map(({ id }) => id) },
    blockId: input.blockId,
    parts: [
      changePart(input.change, limits),
      jsonPart('findings', shown),
      ...textParts({ notes: input.notes, conventions: input.conventions }, limits),
    ],
    remarks: [],
    closing: renderClosingLine(
      REPLY_FORMATS.disproof,
      findings.map(({ id }) => id),
    ),
  })
}

export function toGuidelineName(name: ExpertName): GuidelineName {
  return `reviewer_${name.replaceAll('-', '_')}` as GuidelineName
}

/** A very large change is shown as far as there is room; its folder has all of it. */
function changePart(change: ShownChange, limits: PromptLimits): PromptPart {
  const { files, ...rest } = change
  const lines = files.map((file) => JSON.stringify(file)).join('\n')
  return textPart('change', `${JSON.stringify(rest)}\n${lines}`, limits.change, SHRINK_ORDER.change)
}

function dismissedParts(dismissed: readonly DismissedFinding[], limits: PromptLimits): PromptPart[] {
  return dismissed.length === 0 ? [] : [listTextPart('dismissed', dismissed, limits)]
}

function listTextPart(name: string, entries: readonly object[], limits: PromptLimits): PromptPart {
  return textPart(name, entries.map((entry) => JSON.stringify(entry)).join('\n'), limits.review, SHRINK_ORDER.review)
}
