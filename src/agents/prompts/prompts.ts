// What each agent is asked, as one text: our words first, then the data in blocks, then one line that repeats the reply's form.
// Pure: the same input gives the same text, to the byte.

import type { BatchKind } from '../../domain/issue/code-kind.ts'
import type { Issue } from '../../domain/issue/issue.ts'
import type { Brief, Clarification } from '../../domain/plan/brief.ts'
import type { FixClaim, ReplyName } from '../../domain/stage/agent-replies.ts'
import type { SilencedCheck } from '../../domain/tampering/patterns.ts'
import { type AgentName, type Agents, guidelinesFor } from '../definitions.ts'
import { REPLY_FORMATS, WHOLE_FORMAT } from '../replies/reply-format.ts'
import { jsonBlock } from './data-block.ts'
import { cutBlock, madeBlock, type Part, RANK } from './fit-to-limit.ts'
import { briefParts, clarificationsPart } from './parts/brief.ts'
import { claimsPart } from './parts/claims.ts'
import { excerpts, type Sources } from './parts/code-excerpts.ts'
import { feedbackPart, type Verdicts } from './parts/feedback.ts'
import { issuesPart } from './parts/issues.ts'
import { type VerificationOutput, verificationPart } from './parts/verification.ts'
import {
  type Code,
  callOf,
  closingLine,
  codeParts,
  codesOf,
  type Frame,
  HELD,
  limitsOf,
  oneLine,
  render,
  type Texts,
  textParts,
  whole,
} from './render.ts'

export { clarifyPrompt, planPrompt } from './clarifier-and-planner.ts'

export interface FixerPrompt extends Frame, Texts, Code {
  readonly kind: BatchKind
  readonly issues: readonly Issue[]
  readonly steps: readonly (readonly string[])[]
  /** What people and the planner said about these issues. */
  readonly brief?: Brief | undefined
  /** What the project's own checks are, which run on the work in the end. */
  readonly checks?: readonly string[] | undefined
  /** Ask for a test that fails without the fix. */
  readonly prove?: boolean | undefined
  /** Hand every issue on to a sub-agent of its own, by what these files say. */
  readonly todo?: { readonly folder: string; readonly master: string } | undefined
  /** The conversation that goes on holds issues, conventions, guidelines and plans already. A person's notes are said again all the same. */
  readonly resuming?: boolean | undefined
}

export interface ReFixerPrompt extends FixerPrompt {
  readonly feedback: Verdicts
  readonly verification?: readonly VerificationOutput[] | undefined
  /** The earlier attempt: what it changed, and what it said about it. */
  readonly diff?: string | undefined
  readonly claims?: readonly FixClaim[] | undefined
}

export interface ChallengerPrompt extends Frame, Omit<Texts, 'tree'> {
  readonly issues: readonly Issue[]
  /** What people decided: a fix is not to be turned down for following it. */
  readonly clarifications?: readonly Clarification[] | undefined
  readonly diff: string
  readonly claims: readonly FixClaim[]
  /** Issues that are claimed to be false positives, and for which nothing was changed. */
  readonly falsePositives?: readonly string[] | undefined
  /** What is in the files that they are about. */
  readonly sources?: Sources | undefined
  /** What in the diff may silence a check. */
  readonly silenced?: readonly SilencedCheck[] | undefined
  /** Ask for one score of the whole diff besides. */
  readonly whole?: boolean | undefined
  /** The last verdicts, whose points are settled first. */
  readonly earlier?: Verdicts | undefined
  /** A reply to this same question that could not be used: asks again. */
  readonly repair?: BadReply | undefined
}

export interface BadReply {
  readonly problem: string
  readonly answer: string
}

export interface RepairPrompt extends Frame, BadReply {
  readonly role: AgentName
  readonly reply: ReplyName
  readonly codes: readonly string[]
}

/** The replies that have an entry for each issue, and for nothing else. */
const BY_ISSUE: readonly ReplyName[] = ['fix', 'challenge', 'plan']

export interface WordsPrompt extends Frame {
  readonly issues: readonly Issue[]
  readonly diff?: string | undefined
}

export function fixerPrompt(agents: Agents, input: FixerPrompt): string {
  return fixing(agents, 'fixer', input, [])
}

export function reFixerPrompt(agents: Agents, input: ReFixerPrompt): string {
  const limits = limitsOf(input.limits)
  return fixing(agents, 're_fixer', input, [
    feedbackPart(input.feedback, limits.feedback),
    verificationPart(input.verification, limits.verification),
    input.diff === undefined ? undefined : cutBlock('diff', input.diff, limits.diff, RANK.diff),
    input.claims && claimsPart(input.claims),
  ])
}

export function challengerPrompt(agents: Agents, input: ChallengerPrompt): string {
  const limits = limitsOf(input.limits)
  const codes = codesOf(input.issues)
  const { repair, sources, falsePositives = [], silenced = [] } = input
  const claimed = input.issues.filter(({ issue_code }) => falsePositives.includes(issue_code))
  const diff = judged(cutBlock('diff', input.diff, limits.diff, RANK.judged))
  return render({
    most: limits.whole,
    instructions: [agents.loadAgent('fix_challenger').instructions, agents.loadGuideline('engineering_principles')],
    call: {
      ...callOf('fix_challenger', input, codes),
      ...(input.whole ? { whole: true } : {}),
      ...(repair ? { purpose: 'repair' } : {}),
    },
    blockId: input.blockId,
    parts: [
      issuesPart(input.issues),
      ...textParts(input, limits),
      clarificationsPart(input.clarifications ?? [], limits.clarifications),
      feedbackPart(input.earlier, limits.feedback),
      claimsPart(input.claims),
      sources && claimed.length > 0
        ? madeBlock('code', (limit) => excerpts(claimed, sources, limit, 'widest'), limits.code, RANK.evidence)
        : undefined,
      diff,
      silenced.length > 0 ? whole(jsonBlock('silenced', silenced)) : undefined,
      repair && cutBlock('reply', repair.answer, limits.feedback),
    ],
    remarks: [
      ...(input.diff.trim() === '' ? ['The diff is empty: nothing was changed.'] : []),
      ...(silenced.length > 0
        ? [
            'The block `silenced` lists what in the diff may silence a check instead of satisfying it, found by its form alone: judge each one. ' +
              'What the issue itself asks for is none; any other is a blocker of the issue that its file belongs to.',
          ]
        : []),
      ...(falsePositives.length > 0
        ? [
            `For ${falsePositives.join(', ')} nothing was changed: the fixer says that there is nothing to fix. Its reason stands in the block ` +
              '`claims`, the code that the finding names in `code`. Set `false_positive_agreed`, as "False positives" says; it is what counts.',
          ]
        : []),
      ...(repair
        ? [`The block \`reply\` is your earlier answer, which can't be used: ${oneLine(repair.problem)}`]
        : []),
    ],
    closing: closingLine(input.whole ? WHOLE_FORMAT : REPLY_FORMATS.challenge, codes),
  })
}

/** Of what was not shown nothing can be said. */
function judged({ gives, remark, ...part }: Part): Part {
  const limits = 'An issue whose change you were not shown as a whole gets neither `score` nor `quality_scores`.'
  return {
    ...part,
    remark: remark && `${remark}\n${limits}`,
    gives: gives && { ...gives, to: (limit) => judged(gives.to(limit)) },
  }
}

const MOST_OF_A_REPLY = 40_000

/** Asks once for the same answer in a form that can be read. Stands by itself, should the conversation be gone. */
export function repairPrompt(input: RepairPrompt): string {
  const limits = limitsOf(input.limits)
  return render({
    most: limits.whole,
    instructions: [
      "Your last answer can't be used. Give the same answer again, as valid JSON of the form that stands at the end. Change nothing " +
        'in the files and nothing in what you said. What your answer did not say, leave out: never make up a status, a score or a question.',
    ],
    call: { ...callOf(input.role, input, input.codes), purpose: 'repair' },
    blockId: input.blockId,
    parts: [cutBlock('reply', input.answer, Math.min(MOST_OF_A_REPLY, limits.whole / 2), RANK.notes)],
    remarks: [`The block \`reply\` holds that answer. What is wrong with it: ${oneLine(input.problem)}`],
    closing: closingLine(REPLY_FORMATS[input.reply], BY_ISSUE.includes(input.reply) ? input.codes : []),
  })
}

export function branchPrompt(agents: Agents, input: WordsPrompt): string {
  return words(agents, 'git-branch-creator', input)
}

export function committerPrompt(agents: Agents, input: WordsPrompt): string {
  return words(agents, 'git-committer', input)
}

function fixing(
  agents: Agents,
  role: 'fixer' | 're_fixer',
  input: FixerPrompt,
  more: readonly (Part | undefined)[],
): string {
  const limits = limitsOf(input.limits)
  const codes = codesOf(input.issues)
  const { brief, todo, checks = [], tree, notes, conventions, review, resuming = false } = input
  return render({
    most: limits.whole,
    instructions: [agents.loadAgent(role).instructions, ...(resuming ? [] : guidelinesFor(agents, input.kind))],
    call: callOf(role, input, codes),
    blockId: input.blockId,
    parts: [
      resuming ? undefined : issuesPart(input.issues),
      whole(jsonBlock('steps', input.steps)),
      ...briefParts(brief, codes, limits, { holdsPlans: resuming || todo !== undefined }),
      checks.length > 0 ? whole(jsonBlock('checks', checks)) : undefined,
      todo && whole(jsonBlock('todo', { folder: todo.folder, master: todo.master })),
      ...(resuming ? [] : codeParts(input, input.issues, limits)),
      ...textParts(resuming ? { tree, notes } : { tree, notes, conventions, review }, limits),
      ...more,
    ],
    remarks: [...(resuming ? [HELD] : []), ...(input.prove ? [todo ? `${PROVE} ${PASS_ON}` : PROVE] : [])],
    closing: closingLine(REPLY_FORMATS.fix, codes),
  })
}

const PROVE =
  'With each fix goes a test: one that fails without it and passes with it, in a file where the project has its tests. It is run on the code as ' +
  'it was, with nothing of yours added but the test files: there it has to fail for what is wrong, and not for a name that is missing. Name its file ' +
  'in `file_modified` of its issue; a file of its own keeps the issue apart from others. Where no test can show it, say why in `changes_summary`.'

const PASS_ON = 'Say this to each sub-agent, too.'

function words(agents: Agents, role: 'git-branch-creator' | 'git-committer', input: WordsPrompt): string {
  const { instructions, reply } = agents.loadAgent(role)
  const limits = limitsOf(input.limits)
  const limit = input.limits?.diff ?? limits.diff / 10
  return render({
    most: limits.whole,
    instructions: [instructions],
    call: callOf(role, input, codesOf(input.issues)),
    blockId: input.blockId,
    parts: [
      issuesPart(input.issues),
      input.diff === undefined ? undefined : cutBlock('diff', input.diff, limit, RANK.diff),
    ],
    remarks: [],
    closing: closingLine(REPLY_FORMATS[reply], []),
  })
}
