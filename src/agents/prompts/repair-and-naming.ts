// Renders the small prompts: the same answer in a readable form, and names for branch and commits.

import type { Issue } from '../../domain/issue/issue.ts'
import type { ReplyName } from '../../domain/stage/reply-schemas.ts'
import { truncateText } from '../../domain/text/truncate.ts'
import type { AgentDefinitions, AgentName } from '../definitions.ts'
import { REPLY_FORMATS } from '../replies/reply-format.ts'
import {
  type BadReply,
  collapseWhitespace,
  describeCall,
  listIssueCodes,
  type PromptFrame,
  renderClosingLine,
  resolvePromptLimits,
} from './prompt-frame.ts'
import { jsonPart, renderPrompt, SHRINK_ORDER, textPart } from './render-prompt.ts'

export interface RepairPromptInput extends PromptFrame, BadReply {
  readonly role: AgentName
  readonly reply: ReplyName
  readonly codes: readonly string[]
}

/** Replies with one entry for each issue, and nothing else. */
const REPLIES_BY_ISSUE: readonly ReplyName[] = ['fix', 'challenge', 'plan']

export interface NamingPromptInput extends PromptFrame {
  readonly issues: readonly Issue[]
  /** The issues of each commit. */
  readonly commits?: readonly (readonly string[])[] | undefined
  readonly diff?: string | undefined
}

const MAX_REPLY_LENGTH = 40_000

/** Asks once for the same answer in a readable form. The prompt is complete by itself, in case the conversation is gone. */
export function renderRepairPrompt(input: RepairPromptInput): string {
  const limits = resolvePromptLimits(input.limits)
  return renderPrompt({
    most: limits.whole,
    instructions: [
      "Your last answer can't be used. Give it again as valid JSON. Change nothing, in files or in what you said: what it did not say stays out.",
    ],
    call: { ...describeCall(input.role, input, input.codes), purpose: 'repair' },
    blockId: input.blockId,
    parts: [textPart('reply', input.answer, Math.min(MAX_REPLY_LENGTH, limits.whole / 2), SHRINK_ORDER.notes)],
    remarks: [`What is wrong with \`reply\`: ${collapseWhitespace(input.problem)}`],
    closing: renderClosingLine(REPLY_FORMATS[input.reply], REPLIES_BY_ISSUE.includes(input.reply) ? input.codes : []),
  })
}

export function renderBranchPrompt(agents: AgentDefinitions, input: NamingPromptInput): string {
  return renderNaming(agents, 'git-branch-creator', input)
}

export function renderCommitterPrompt(agents: AgentDefinitions, input: NamingPromptInput): string {
  return renderNaming(agents, 'git-committer', input)
}

function renderNaming(
  agents: AgentDefinitions,
  role: 'git-branch-creator' | 'git-committer',
  input: NamingPromptInput,
): string {
  const { instructions, reply } = agents.loadAgent(role)
  const limits = resolvePromptLimits(input.limits)
  const limit = input.limits?.diff ?? limits.diff / 10
  return renderPrompt({
    most: limits.whole,
    instructions: [instructions],
    call: describeCall(role, input, listIssueCodes(input.issues)),
    blockId: input.blockId,
    parts: [
      jsonPart(
        'issues',
        input.issues.map(({ issue_code, title, file }) => ({
          issue_code,
          title: truncateText(title, 200),
          file: truncateText(file, 200),
        })),
      ),
      input.commits && jsonPart('commits', input.commits),
      input.diff === undefined ? undefined : textPart('diff', input.diff, limit, SHRINK_ORDER.diff),
    ],
    remarks: [],
    closing: renderClosingLine(REPLY_FORMATS[reply], []),
  })
}
