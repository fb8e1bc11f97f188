// Renders what a sub-agent is told before it gets its issue: all that holds for the call that hands issues on to it.
import type { BatchKind } from '../../domain/issue/code-kind.ts'
import { type AgentDefinitions, loadGuidelines } from '../definitions.ts'
import { REPLY_FORMATS } from '../replies/reply-format.ts'
import { checksPart, type FixerPromptInput, PROVE_WITH_TEST } from './fixer-and-challenger.ts'
import { boundsPart } from './parts/bounds.ts'
import { describeChangelogHabit } from './parts/changelog.ts'
import { renderClosingLine, resolvePromptLimits, textParts } from './prompt-frame.ts'
import { renderPrompt } from './render-prompt.ts'

export type SubAgentPromptInput = Pick<
  FixerPromptInput,
  'blockId' | 'frameworks' | 'bounds' | 'changelog' | 'checks' | 'conventions' | 'limits' | 'notes' | 'requireTest'
> & { readonly kind: BatchKind }

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
