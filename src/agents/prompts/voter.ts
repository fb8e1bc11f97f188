// Renders the prompt of a voter. It holds nothing of the other voter, nor of what people or checks think of the change.
import { chooseExperts } from '../../domain/review/experts.ts'
import type { Voter } from '../../domain/vote/ballot.ts'
import type { AgentDefinitions } from '../definitions.ts'
import { REPLY_FORMATS } from '../replies/reply-format.ts'
import { renderNumberedDiff } from './parts/numbered-diff.ts'
import {
  collapseWhitespace,
  describeCall,
  type PromptFrame,
  renderClosingLine,
  resolvePromptLimits,
  textParts,
} from './prompt-frame.ts'
import { jsonPart, renderPrompt, SHRINK_ORDER, textPart } from './render-prompt.ts'
import { toGuidelineName } from './review.ts'

export interface VoterPromptInput extends Omit<PromptFrame, 'iteration' | 'purpose' | 'base' | 'against'> {
  readonly voter: Voter
  readonly change: {
    readonly base: string
    readonly head: string
    readonly files: readonly { readonly path: string; readonly kind: string; readonly from?: string | undefined }[]
  }
  /** The messages of the change's commits. */
  readonly messages: readonly string[]
  /** Of the base: the change must not choose by what it is measured. */
  readonly conventions?: string | undefined
  readonly shows: /** A command that shows the change in the voter's own checkout. */
    | { readonly kind: 'command'; readonly command: string }
    | { readonly kind: 'diff'; readonly diff: string; readonly tree: string; readonly omitted: number }
  readonly repair?: { readonly problem: string; readonly answer: string } | undefined
}

export function renderVoterPrompt(agents: AgentDefinitions, input: VoterPromptInput): string {
  const limits = resolvePromptLimits(input.limits)
  const { voter, change, messages, shows, conventions, repair } = input
  const role = `voter_${voter}` as const
  return renderPrompt({
    most: limits.whole,
    instructions: [
      agents.loadGuideline('voting'),
      agents.loadAgent(role).instructions,
      agents.loadGuideline('reviewer'),
      ...chooseExperts(
        change.files.map(({ path }) => path),
        { hasSpec: false },
      ).map((lane) => agents.loadGuideline(toGuidelineName(lane))),
    ],
    call: {
      ...describeCall(role, { ...input, iteration: 1 }, []),
      ...(repair ? { purpose: 'repair' } : {}),
    },
    blockId: input.blockId,
    parts: [
      jsonPart('change', { ...change, ...(shows.kind === 'command' ? { command: shows.command } : {}) }),
      textPart('messages', messages.join('\n\n'), limits.review, SHRINK_ORDER.review),
      ...textParts({ conventions }, limits),
      shows.kind === 'diff'
        ? textPart('diff', renderNumberedDiff(shows.diff), limits.diff, SHRINK_ORDER.judged)
        : undefined,
      repair && textPart('reply', repair.answer, limits.feedback),
    ],
    remarks: [
      ...(shows.kind === 'diff' ? [describeReadableTree(shows)] : []),
      ...(repair
        ? [`The block \`reply\` is your earlier answer, which can't be counted: ${collapseWhitespace(repair.problem)}`]
        : []),
    ],
    closing: renderClosingLine(REPLY_FORMATS.vote, []),
  })
}

function describeReadableTree({ tree, omitted }: { readonly tree: string; readonly omitted: number }): string {
  const less = omitted > 0 ? `, without ${omitted} of its files (links, binary or huge ones, and those for agents)` : ''
  return `The commit to vote on lies in the folder ${tree}${less}.`
}
