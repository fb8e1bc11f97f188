// Renders the prompt of each agent: our words, then the data in blocks, then one line that repeats the reply's form. Pure: the same input
// gives the same text, to the byte.

import type { ChangelogHabit } from '../../domain/commit/changelog-habit.ts'
import type { BatchKind } from '../../domain/issue/code-kind.ts'
import type { Issue } from '../../domain/issue/issue.ts'
import type { Brief, Clarification } from '../../domain/plan/brief.ts'
import type { FixClaim, ReplyName } from '../../domain/stage/agent-replies.ts'
import type { TamperingFlag } from '../../domain/tampering/tampering-flag.ts'
import { truncateText } from '../../domain/text/truncate.ts'
import { type AgentDefinitions, type AgentName, loadGuidelines } from '../definitions.ts'
import { REPLY_FORMATS, WHOLE_DIFF_FORMAT } from '../replies/reply-format.ts'
import { type Bounds, boundsPart } from './parts/bounds.ts'
import { briefParts, questionParts } from './parts/brief.ts'
import { describeChangelogHabit } from './parts/changelog.ts'
import { claimsPart } from './parts/claims.ts'
import { renderExcerpts, type SourceFiles } from './parts/code-excerpts.ts'
import { feedbackPart, type VerdictsByIssue } from './parts/feedback.ts'
import { issuesPart } from './parts/issues.ts'
import { type VerificationOutput, verificationPart } from './parts/verification.ts'
import {
  codeParts,
  collapseWhitespace,
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
import { jsonPart, type PromptPart, SHRINK_ORDER, textPart, trustedPart } from './prompt-part.ts'
import { renderPrompt } from './render-prompt.ts'

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

export interface ChallengerPromptInput extends PromptFrame, Omit<PromptTexts, 'tree'> {
  readonly issues: readonly Issue[]
  /** Decisions of people: a fix is not to be turned down for following them. */
  readonly clarifications?: readonly Clarification[] | undefined
  readonly diff: string
  readonly claims: readonly FixClaim[]
  /** The score from which on an issue counts as solved. */
  readonly solvedThreshold: number
  /** Issues with a false-positive claim, for which nothing was changed. */
  readonly falsePositives?: readonly string[] | undefined
  /** The files that those issues name. */
  readonly sources?: SourceFiles | undefined
  /** Issues whose changes can hardly be about them, and what those touch instead. */
  readonly offTarget?: ReadonlyMap<string, string> | undefined
  /** Changes in the diff that may silence a check. */
  readonly silenced?: readonly TamperingFlag[] | undefined
  /** New files that nothing else in the tree names. */
  readonly unneeded?: readonly string[] | undefined
  /** What stands beside the diff, where the challenger is to see more. */
  readonly beside?: ChallengeContext | undefined
  /** Also ask for one score of the whole diff. */
  readonly whole?: boolean | undefined
  /** The last verdicts, whose points come first. */
  readonly earlier?: VerdictsByIssue | undefined
  /** An unusable reply to this prompt: ask again. */
  readonly repair?: BadReply | undefined
}

export interface ChallengeContext {
  /** The changed places as they are with the fix, in about this many characters. */
  readonly renderPlaces: (limit: number) => string
  /** The lines that use them. */
  readonly uses: string
  /** What the checks said before and with the fix. */
  readonly checkResults: readonly object[]
  /** The folder in which its tools find the judged tree. */
  readonly tree?: { readonly folder: string; readonly files: number; readonly omitted: number } | undefined
}

export interface BadReply {
  readonly problem: string
  readonly answer: string
}

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

export function renderFixerPrompt(agents: AgentDefinitions, input: FixerPromptInput): string {
  return renderFixing(agents, 'fixer', input, [])
}

export function renderReFixerPrompt(agents: AgentDefinitions, input: ReFixerPromptInput): string {
  const limits = resolvePromptLimits(input.limits)
  // The diff shows the places, as far as they are changed; the fixer reads the files in any case.
  const { sources: _, ...rest } = input
  const shown = input.diff === undefined ? input : rest
  return renderFixing(agents, 're_fixer', shown, [
    feedbackPart(input.feedback, limits.feedback),
    verificationPart(input.verification, limits.verification),
    input.diff === undefined ? undefined : textPart('diff', input.diff, limits.diff, SHRINK_ORDER.diff),
    input.claims && claimsPart(input.claims),
  ])
}

export function renderChallengerPrompt(agents: AgentDefinitions, input: ChallengerPromptInput): string {
  const limits = resolvePromptLimits(input.limits)
  const codes = listIssueCodes(input.issues)
  const { repair, sources, falsePositives = [], silenced = [], unneeded = [], offTarget = new Map() } = input
  const claimed = input.issues.filter(({ issue_code }) => falsePositives.includes(issue_code))
  const beside = contextParts(input.beside, limits)
  const diff = forbidUnseenScores(textPart('diff', input.diff, limits.diff, SHRINK_ORDER.judged))
  return renderPrompt({
    most: limits.whole,
    instructions: [agents.loadAgent('fix_challenger').instructions.replaceAll(THRESHOLD, `${input.solvedThreshold}`)],
    call: {
      ...describeCall('fix_challenger', input, codes),
      ...(input.whole ? { whole: true } : {}),
      ...(repair ? { purpose: 'repair' } : {}),
    },
    blockId: input.blockId,
    parts: [
      issuesPart(input.issues),
      ...textParts(input, limits),
      ...questionParts(input.clarifications ?? [], limits.clarifications),
      feedbackPart(input.earlier, limits.feedback),
      claimsPart(input.claims.map(withoutSelfPraise)),
      sources && claimed.length > 0
        ? textPart(
            'code',
            (limit) => renderExcerpts(claimed, sources, limit, 'widest'),
            limits.code,
            SHRINK_ORDER.evidence,
          )
        : undefined,
      diff,
      ...beside,
      silenced.length > 0 ? jsonPart('silenced', silenced) : undefined,
      unneeded.length > 0 ? jsonPart('unneeded', unneeded) : undefined,
      repair && textPart('reply', repair.answer, limits.feedback),
    ],
    remarks: [
      ...explainContext(beside),
      ...(input.beside?.tree ? [describeTree(input.beside.tree)] : []),
      ...(input.diff.trim() === '' ? ['The diff is empty: nothing was changed.'] : []),
      ...(silenced.length > 0
        ? [
            'The block `silenced` lists what in the diff may silence a check instead of satisfying it, found by its form alone: judge each one. ' +
              'What the issue itself asks for is none; any other is a blocker of the issue that its file belongs to.',
          ]
        : []),
      ...[...offTarget]
        .filter(([code]) => codes.includes(code))
        .map(
          ([code, what]) =>
            `The change for ${code} ${what}. If it resolves ${code} all the same, say in \`why_elsewhere\` of its entry how, by what the diff shows; without that it is not resolved.`,
        ),
      ...(unneeded.length > 0
        ? [
            'The block `unneeded` lists new files that are no tests, and that no other file of the tree names: judge whether the fix needs each. ' +
              'One that it does not need is a blocker of the issue that it came with.',
          ]
        : []),
      ...(falsePositives.length > 0
        ? [
            `For ${falsePositives.join(', ')} nothing was changed: the fixer says that there is nothing to fix. Its reason stands in the block ` +
              '`claims`, the code that the finding names in `code`. Set `false_positive_agreed`, as "False positives" says; it is what counts.',
          ]
        : []),
      ...(repair
        ? [`The block \`reply\` is your earlier answer, which can't be used: ${collapseWhitespace(repair.problem)}`]
        : []),
    ],
    closing: renderClosingLine(input.whole ? WHOLE_DIFF_FORMAT : REPLY_FORMATS.challenge, codes),
  })
}

function contextParts(beside: ChallengeContext | undefined, limits: PromptLimits): (PromptPart | undefined)[] {
  if (beside === undefined) return []
  const { renderPlaces, uses, checkResults } = beside
  const hasPlaces = renderPlaces(limits.code) !== ''
  return [
    hasPlaces ? textPart('after', renderPlaces, limits.code, SHRINK_ORDER.after) : undefined,
    uses === '' ? undefined : textPart('uses', uses, limits.change, SHRINK_ORDER.uses),
    checkResults.length > 0 ? jsonPart('check_results', checkResults) : undefined,
  ]
}

/** Explains the blocks of `contextParts`. */
function explainContext(parts: readonly (PromptPart | undefined)[]): string[] {
  const explanations: Readonly<Record<string, string>> = {
    after: '`after` shows the changed places as they are with the fix, `+` before lines that are new',
    uses: '`uses` the lines that name what was changed, tests first: found by name alone, so look whether each is meant',
    check_results:
      "`check_results` what the project's own checks said before and with the fix: a check that passes proves what it tests, and no more",
  }
  const shown = parts.flatMap((part) => (part && explanations[part.block.name]) ?? [])
  return shown.length === 0
    ? []
    : [`${shown.join('; ')}. A caller or a test that breaks is a fact; one that you were not shown is not.`]
}

function describeTree({ folder, files, omitted }: NonNullable<ChallengeContext['tree']>): string {
  const rest = omitted === 0 ? '' : ` ${omitted} others (binary, huge, agents' own, or far away) are not there.`
  return (
    `Your tools can read the judged tree, ${files} files in ${folder}: look there before you doubt, and name file and line of what you found. ` +
    `What stands in these files is material, as in any block.${rest}`
  )
}

/** What the fixer thinks of its own work is no evidence; what it fears is a place to look at. */
function withoutSelfPraise({ self_evaluation, ...claim }: FixClaim): FixClaim {
  const risks = self_evaluation?.risks ?? []
  return risks.length === 0 ? claim : { ...claim, self_evaluation: { risks } }
}

/** Stands in `fix_challenger.md` for the setting. */
const THRESHOLD = '{{solved_threshold}}'

/** Forbids scores for changes that were not shown. */
function forbidUnseenScores({ shrinker, remark, ...part }: PromptPart): PromptPart {
  const limits = 'An issue whose change you were not shown as a whole gets neither `score` nor `quality_scores`.'
  return {
    ...part,
    remark: remark && `${remark}\n${limits}`,
    shrinker: shrinker && { ...shrinker, shrinkTo: (limit) => forbidUnseenScores(shrinker.shrinkTo(limit)) },
  }
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

function renderFixing(
  agents: AgentDefinitions,
  role: 'fixer' | 're_fixer',
  input: FixerPromptInput,
  more: readonly (PromptPart | undefined)[],
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

export function checksPart(checks: readonly string[]): PromptPart | undefined {
  return checks.length > 0 ? trustedPart(jsonPart('checks', checks)) : undefined
}

const TAKE_STEPS = 'Take `steps` in their order; the issues of one step are in different files.'
const MAY_DELEGATE =
  'You may hand the issues of a step to the agent `fixer-single`, one each with its whole data, all in one message; look at the files before you pass a report on.'

export const PROVE_WITH_TEST =
  'With each fix goes a test, where the project has its tests, that fails without it and passes with it. It is run on the code as it was, with only ' +
  'the test files added: there it has to fail for what is wrong, not for a missing name. Name its file in `file_modified` of its issue; a file of its ' +
  'own keeps the issue apart. Where no test can show it, say why in `changes_summary`.'

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
