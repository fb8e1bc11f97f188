// Renders what the challenger is told: the issues, the diff and the claims, with what surrounds them, as far as the settings let it see that.

import type { Issue } from '../../domain/issue/issue.ts'
import type { Clarification } from '../../domain/plan/brief.ts'
import type { FixClaim } from '../../domain/stage/reply-schemas.ts'
import type { TamperingFlag } from '../../domain/tampering/tampering-flag.ts'
import type { AgentDefinitions } from '../definitions.ts'
import { REPLY_FORMATS, WHOLE_DIFF_FORMAT } from '../replies/reply-format.ts'
import { questionParts } from './parts/brief.ts'
import { claimsPart } from './parts/claims.ts'
import { renderExcerpts, type SourceFiles } from './parts/code-excerpts.ts'
import { feedbackPart, type VerdictsByIssue } from './parts/feedback.ts'
import { issuesPart } from './parts/issues.ts'
import {
  type BadReply,
  collapseWhitespace,
  describeCall,
  listIssueCodes,
  type PromptFrame,
  type PromptLimits,
  type PromptTexts,
  renderClosingLine,
  resolvePromptLimits,
  textParts,
} from './prompt-frame.ts'
import { jsonPart, type PromptPart, renderPrompt, SHRINK_ORDER, textPart } from './render-prompt.ts'

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
