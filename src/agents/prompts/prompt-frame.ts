// What the prompts of all agents share: their limits, the call, the background texts, the code, and the closing line.

import type { Framework } from '../../domain/issue/frameworks.ts'
import type { Issue } from '../../domain/issue/issue.ts'
import { truncateText } from '../../domain/text/truncate.ts'
import type { AgentName } from '../definitions.ts'
import { renderExcerpts, type SourceFiles } from './parts/code-excerpts.ts'
import { renderNearbyHunks } from './parts/diff-excerpts.ts'
import { type PromptPart, SHRINK_ORDER, textBlock, textPart, trustedPart } from './render-prompt.ts'

/** The limit of each text in characters. Its cost in tokens is about a quarter of that. */
export interface PromptLimits {
  readonly conventions: number
  readonly diff: number
  readonly feedback: number
  readonly verification: number
  readonly clarifications: number
  readonly plan: number
  readonly code: number
  readonly review: number
  readonly change: number
  /** The whole prompt, our own words included. */
  readonly whole: number
}

const DEFAULT_LIMITS: PromptLimits = {
  conventions: 40_000,
  diff: 400_000,
  feedback: 40_000,
  verification: 24_000,
  clarifications: 40_000,
  plan: 120_000,
  code: 60_000,
  review: 60_000,
  change: 40_000,
  whole: 400_000,
}

/** A lower limit for the whole prompt lowers all others in proportion. */
export function resolvePromptLimits(own: Partial<PromptLimits> = {}): PromptLimits {
  const share = Math.min((own.whole ?? DEFAULT_LIMITS.whole) / DEFAULT_LIMITS.whole, 1)
  const shares = Object.entries(DEFAULT_LIMITS).map(([name, most]) => [name, Math.floor(most * share)])
  return { ...(Object.fromEntries(shares) as PromptLimits), ...own }
}

export interface PromptFrame {
  /** Hexadecimal. Always the same for this call, and unknown to any content. */
  readonly blockId: string
  readonly stepId: string
  readonly iteration: number
  /** Set if the call has an unusual reason. */
  readonly purpose?: string | undefined
  /** The base of the fixes, as the person calls it. */
  readonly base?: string | undefined
  /** The branch that the base was reviewed against, if it is another one. */
  readonly against?: string | undefined
  readonly limits?: Partial<PromptLimits> | undefined
}

export interface PromptTexts {
  readonly notes?: string | undefined
  /** The report of the review that found the issues. */
  readonly review?: string | undefined
  readonly conventions?: string | undefined
  /** The tree's present content: the conversation may remember another one. */
  readonly tree?: string | undefined
}

/** The issues' files and the reviewed diff, for agents that have not seen them yet. */
export interface PromptCode {
  /** Those that the repository uses, for the guidelines. */
  readonly frameworks?: readonly Framework[] | undefined
  readonly sources?: SourceFiles | undefined
  readonly reviewedDiff?: string | undefined
}

/** A reply that can't be used, and why. */
export interface BadReply {
  readonly problem: string
  readonly answer: string
}

/** Names the parts that a prompt omits when it goes on with a conversation. */
export const SEE_EARLIER_PROMPTS =
  'Issues, conventions, review, code and notes stand in earlier prompts of this conversation; `codes` in the block `call` says which issues this is about.'

export function describeCall(role: AgentName, frame: PromptFrame, codes: readonly string[]): object {
  const { stepId, iteration, base, against, purpose } = frame
  // JSON drops undefined values with their names.
  return { role, call: stepId, iteration, codes, base, against, purpose }
}

export function listIssueCodes(issues: readonly Issue[]): string[] {
  return issues.map((issue) => issue.issue_code)
}

export function textParts(
  { tree, notes, conventions, review }: PromptTexts,
  limits: PromptLimits,
): (PromptPart | undefined)[] {
  return [
    tree === undefined ? undefined : { block: textBlock('tree', tree) },
    notes === undefined ? undefined : trustedPart(textPart('notes', notes, limits.whole, SHRINK_ORDER.notes)),
    conventions === undefined
      ? undefined
      : textPart('conventions', conventions, limits.conventions, SHRINK_ORDER.conventions),
    review === undefined ? undefined : textPart('review', review, limits.review, SHRINK_ORDER.review),
  ]
}

export function codeParts(
  { sources, reviewedDiff }: PromptCode,
  issues: readonly Issue[],
  limits: PromptLimits,
): (PromptPart | undefined)[] {
  const near = (limit: number) => (reviewedDiff === undefined ? '' : renderNearbyHunks(reviewedDiff, issues, limit))
  return [
    sources && textPart('code', (limit) => renderExcerpts(issues, sources, limit), limits.code, SHRINK_ORDER.code),
    near(limits.change) === '' ? undefined : textPart('change', near, limits.change, SHRINK_ORDER.change),
  ]
}

export function renderClosingLine(format: string, codes: readonly string[]): string {
  const entries = codes.length > 0 ? `, with one entry for each of ${codes.join(', ')}` : ''
  return `Answer with one JSON object and nothing else${entries}; <…> is a bare value: ${format}`
}

export function collapseWhitespace(text: string): string {
  return truncateText(text.replace(/\s+/g, ' '), 500)
}
