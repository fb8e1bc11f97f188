// Renders what the agents that fix are told: the fixer, the re-fixer after a round that failed, and the sub-agent that gets single issues.
// Pure: the same input gives the same text, to the byte.

import type { ChangelogHabit } from '../../domain/commit/changelog-habit.ts'
import type { BatchKind } from '../../domain/issue/code-kind.ts'
import type { Issue } from '../../domain/issue/issue.ts'
import type { Brief } from '../../domain/plan/brief.ts'
import type { FixClaim } from '../../domain/stage/reply-schemas.ts'
import { type AgentDefinitions, loadGuidelines } from '../definitions.ts'
import { REPLY_FORMATS } from '../replies/reply-format.ts'
import { type Bounds, boundsPart } from './parts/bounds.ts'
import { briefParts } from './parts/brief.ts'
import { claimsPart } from './parts/claims.ts'
import { feedbackPart, type VerdictsByIssue } from './parts/feedback.ts'
import { issuesPart } from './parts/issues.ts'
import { type VerificationOutput, verificationPart } from './parts/verification.ts'
import {
  codeParts,
  describeCall,
  listIssueCodes,
  type PromptCode,
  type PromptFrame,
  type PromptTexts,
  renderClosingLine,
  resolvePromptLimits,
  SEE_EARLIER_PROMPTS,
  textParts,
} from './prompt-frame.ts'
import { jsonPart, type PromptPart, renderPrompt, SHRINK_ORDER, textPart, trustedPart } from './render-prompt.ts'

export interface FixerPromptInput extends PromptFrame, PromptTexts, PromptCode {
  readonly kind: BatchKind
  readonly issues: readonly Issue[]
  readonly steps: readonly (readonly string[])[]
  /** Answers, plans and notes on these issues, from people and the planner. */
  readonly brief?: Brief | undefined
  /** The project's own checks, which run on the work in the end. */
  readonly checks?: readonly string[] | undefined
  readonly bounds?: Bounds | undefined
  /** It may hand single issues to the sub-agent. */
  readonly mayDelegate?: boolean | undefined
  /** Ask for a test that fails without the fix. */
  readonly requireTest?: boolean | undefined
  /** The changelog in which fixes of this repository have an entry. */
  readonly changelog?: ChangelogHabit | undefined
  /** Hand every issue to a sub-agent of its own, described by these files. */
  readonly todo?: { readonly folder: string; readonly master: string } | undefined
  /** The conversation already holds issues, conventions and plans. A person's notes are repeated all the same. */
  readonly isResuming?: boolean | undefined
  /** The conversation is a fixer's own, and holds guidelines and bounds. */
  readonly holdsGuidelines?: boolean | undefined
}

export interface ReFixerPromptInput extends FixerPromptInput {
  readonly feedback: VerdictsByIssue
  readonly verification?: readonly VerificationOutput[] | undefined
  /** The diff of the earlier attempt. */
  readonly diff?: string | undefined
  readonly claims?: readonly FixClaim[] | undefined
}

interface RoundPrompt {
  readonly role: 'fixer' | 're_fixer'
  /** What only this round's prompt holds. */
  readonly more: readonly (PromptPart | undefined)[]
}

export function renderFixerPrompt(
  agents: AgentDefinitions,
  input: FixerPromptInput,
  { role, more }: RoundPrompt = { role: 'fixer', more: [] },
): string {
  const limits = resolvePromptLimits(input.limits)
  const codes = listIssueCodes(input.issues)
  const { brief, todo, checks = [], bounds, tree, notes, conventions, review, isResuming = false } = input
  return renderPrompt({
    most: limits.whole,
    instructions: [
      agents.loadAgent(role).instructions,
      agents.loadGuideline('fixing'),
      ...(todo ? [agents.loadGuideline('delegating')] : []),
      ...(input.holdsGuidelines || todo ? [] : loadGuidelines(agents, input.kind, input.frameworks)),
    ],
    call: describeCall(role, input, codes),
    blockId: input.blockId,
    parts: [
      isResuming ? undefined : issuesPart(input.issues),
      jsonPart('steps', input.steps),
      boundsPart(bounds, { hasChecks: checks.length > 0, isHeld: input.holdsGuidelines }),
      ...briefParts(brief, codes, limits, { holdsPlans: isResuming || todo !== undefined }),
      checksPart(checks),
      todo && jsonPart('todo', { folder: todo.folder, master: todo.master }),
      ...(isResuming ? [] : codeParts(input, input.issues, limits)),
      ...textParts(isResuming ? { tree, notes } : { tree, notes, conventions, review }, limits),
      ...more,
    ],
    remarks: [
      ...(isResuming ? [SEE_EARLIER_PROMPTS] : []),
      ...(todo ? [] : [input.mayDelegate ? `${TAKE_STEPS} ${MAY_DELEGATE}` : TAKE_STEPS]),
      ...(input.changelog ? [describeChangelogHabit(input.changelog)] : []),
      ...(input.requireTest ? [PROVE_WITH_TEST] : []),
    ],
    closing: renderClosingLine(REPLY_FORMATS.fix, codes),
  })
}

export function renderReFixerPrompt(agents: AgentDefinitions, input: ReFixerPromptInput): string {
  const limits = resolvePromptLimits(input.limits)
  // The diff shows the places, as far as they are changed; the fixer reads the files in any case.
  const { sources: _, ...rest } = input
  const shown = input.diff === undefined ? input : rest
  const more = [
    feedbackPart(input.feedback, limits.feedback),
    verificationPart(input.verification, limits.verification),
    input.diff === undefined ? undefined : textPart('diff', input.diff, limits.diff, SHRINK_ORDER.diff),
    input.claims && claimsPart(input.claims),
  ]
  return renderFixerPrompt(agents, shown, { role: 're_fixer', more })
}

export type SubAgentPromptInput = Pick<
  FixerPromptInput,
  'blockId' | 'frameworks' | 'bounds' | 'changelog' | 'checks' | 'conventions' | 'limits' | 'notes' | 'requireTest'
> & { readonly kind: BatchKind }

/** Renders what a sub-agent is told before it gets its issue: all that holds for the call that hands issues on to it. */
export function renderSubAgentPrompt(agents: AgentDefinitions, input: SubAgentPromptInput): string {
  const limits = resolvePromptLimits(input.limits)
  const { bounds, changelog, checks = [], conventions, notes } = input
  return renderPrompt({
    most: limits.whole,
    instructions: [
      agents.loadAgent('fixer_single').instructions,
      agents.loadGuideline('fixing'),
      ...loadGuidelines(agents, input.kind, input.frameworks),
    ],
    blockId: input.blockId,
    parts: [
      boundsPart(bounds, { hasChecks: checks.length > 0 }),
      checksPart(checks),
      ...textParts({ notes, conventions }, limits),
    ],
    remarks: [
      ...(changelog ? [describeChangelogHabit(changelog)] : []),
      ...(input.requireTest ? [PROVE_WITH_TEST] : []),
    ],
    closing: renderClosingLine(REPLY_FORMATS.claim, []),
  })
}

function checksPart(checks: readonly string[]): PromptPart | undefined {
  return checks.length > 0 ? trustedPart(jsonPart('checks', checks)) : undefined
}

const TAKE_STEPS = 'Take `steps` in their order; the issues of one step are in different files.'
const MAY_DELEGATE =
  'You may hand the issues of a step to the agent `fixer-single`, one each with its whole data, all in one message; look at the files before you pass a report on.'

const PROVE_WITH_TEST =
  'With each fix goes a test, where the project has its tests, that fails without it and passes with it. It is run on the code as it was, with only ' +
  'the test files added: there it has to fail for what is wrong, not for a missing name. Name its file in `file_modified` of its issue; a file of its ' +
  'own keeps the issue apart. Where no test can show it, say why in `changes_summary`.'

function describeChangelogHabit({ kind, path }: ChangelogHabit): string {
  return kind === 'file'
    ? `Fixes of this repository usually come with an entry in \`${path}\`: one is welcome with yours, short and in the manner of the latest ones there.`
    : `Fixes of this repository usually come with a file of their own in \`${path}\`: one for each issue is welcome, named and written like the ` +
        'latest ones there. Name it in `file_modified` of its issue.'
}
